// The screens that the console is laid out for.

export const SCREENS = [
  { name: "tablet", width: 1280, height: 800 },
  { name: "small-tablet", width: 1024, height: 768 },
  { name: "tablet-upright", width: 800, height: 1280 },
  { name: "phone", width: 390, height: 844 },
];

/** A phone on its side, which not every page of the tools has room on. */
export const SIDEWAYS = { name: "phone-sideways", width: 844, height: 390 };

export const LANGUAGES = ["en", "zh"];
export const THEMES = ["sun", "dark"];
