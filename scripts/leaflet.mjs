// Bundles the parts of Leaflet that the map uses into target/leaflet.js, which puts them on the
// window as `L`: two thirds of the whole library. What `src/ui/map/` calls and is not listed here is
// missing on the page, as soon as it is called.
//
// Trunk runs it before every build (Trunk.toml).

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

// What the bindings name, and the handlers of touch, mouse and wheel, which the map looks up itself.
const PARTS = {
  Browser: ["core/Browser.js", "default"],
  DivIcon: ["layer/marker/DivIcon.js"],
  LatLng: ["geo/LatLng.js"],
  Map: ["map/Map.js"],
  Marker: ["layer/marker/Marker.js"],
  Point: ["geometry/Point.js"],
  TileLayer: ["layer/tile/TileLayer.js"],
};
const HANDLERS = ["DoubleClickZoom", "Drag", "ScrollWheelZoom", "TouchZoom"];

const source = (path) => JSON.stringify(`leaflet/src/${path}`);
const { version } = JSON.parse(readFileSync(`${root}/node_modules/leaflet/package.json`, "utf8"));

// The only marker is the vehicle: it has a picture of its own, and nobody drags it.
const STUBS = [
  [/\/marker\/Marker\.Drag\.js$/, "export const MarkerDrag = null;"],
  [/\/marker\/Icon\.Default\.js$/, "export { Icon as IconDefault } from './Icon.js';"],
];
const withStubs = {
  name: "with-stubs",
  setup: ({ onLoad }) => {
    for (const [filter, contents] of STUBS) {
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
    }
  },
};

await build({
  stdin: {
    contents: [
      ...HANDLERS.map((name) => `import ${source(`map/handler/Map.${name}.js`)};`),
      ...Object.entries(PARTS).map(
        ([name, [path, exported = name]]) => `import { ${exported} as ${name} } from ${source(path)};`,
      ),
      `window.L = { ${Object.keys(PARTS).join(", ")} };`,
    ].join("\n"),
    resolveDir: root,
  },
  bundle: true,
  minify: true,
  // Its private names; those that it also puts into quotes stay.
  mangleProps: /^_[a-z]/,
  reserveProps: /^_leaflet/,
  format: "iife",
  target: "es2022",
  banner: { js: `/* Leaflet ${version}, parts of it; (c) Volodymyr Agafonkin, CloudMade; BSD-2-Clause */` },
  outfile: `${root}/target/leaflet.js`,
  plugins: [withStubs],
  logLevel: "error",
});
