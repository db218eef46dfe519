// PNG pictures made and read by hand, and where places lie on a web map.

import { deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** A PNG whose pixel `x, y` has the colour `[r, g, b]` that `color(x, y)` says. */
export function png(width, height, color) {
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows.set(color(x, y), y * (1 + 3 * width) + 1 + 3 * x);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function checkSum(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
  }
  return ~sum >>> 0;
}

function chunk(name, data) {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const ends = [Buffer.alloc(4), Buffer.alloc(4)];
  ends[0].writeUInt32BE(data.length);
  ends[1].writeUInt32BE(checkSum(named));
  return Buffer.concat([ends[0], named, ends[1]]);
}

/** A screenshot's pixels: `{ width, height, at(x, y) }`. */
export function pixels(bytes) {
  let at = SIGNATURE.length;
  let header;
  const packed = [];
  while (at < bytes.length) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString("latin1", at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") header = data;
    if (name === "IDAT") packed.push(data);
    at += 12 + length;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 2: 3, 6: 4 }[header[9]];
  const step = width * channels;
  const rows = inflateSync(Buffer.concat(packed));
  const plain = Buffer.alloc(step * height);
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (step + 1)];
    for (let i = 0; i < step; i += 1) {
      const left = i < channels ? 0 : plain[y * step + i - channels];
      const above = y === 0 ? 0 : plain[(y - 1) * step + i];
      const corner = i < channels || y === 0 ? 0 : plain[(y - 1) * step + i - channels];
      plain[y * step + i] = rows[y * (step + 1) + 1 + i] + predicted(filter, left, above, corner);
    }
  }
  return { width, height, at: (x, y) => [...plain.subarray((y * width + x) * channels).subarray(0, 3)] };
}

function predicted(filter, left, above, corner) {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** The pixel of the whole Web-Mercator world at which a place lies. */
export function worldPixel({ lat, lon }, zoom) {
  const size = 256 * 2 ** zoom;
  const y = Math.asinh(Math.tan((lat * Math.PI) / 180));
  return { x: size * (lon / 360 + 0.5), y: size * (0.5 - y / (2 * Math.PI)) };
}

/** The colour of the lines that cross at a place, and of the ground around. */
export const LINE = [255, 0, 255];
export const GROUND = [196, 222, 200];

/** The picture of tile `z/x/y` of a map on which two lines cross at that place, three pixels wide. */
export function crossTile(place, { z, x, y }) {
  const pixel = worldPixel(place, z);
  const [across, down] = [pixel.x - 256 * x, pixel.y - 256 * y];
  const isLine = (at, line) => Math.abs(at + 0.5 - line) <= 1.5;
  return png(256, 256, (px, py) => (isLine(px, across) || isLine(py, down) ? LINE : GROUND));
}

const isColor = (color, wanted) => color.every((part, i) => Math.abs(part - wanted[i]) < 40);

/**
 * Where the lines cross on a screenshot, looked for at most 100 pixels from a point; `off` pixels
 * left and above of it, where no marker lies. Undefined when there are none.
 */
export function crossing(picture, { x, y }, off) {
  const middle = (count, look) => {
    const found = [...Array(count).keys()].filter((at) => isColor(look(at), LINE));
    return found.length > 0 && found.at(-1) - found[0] < 60 ? (found[0] + found.at(-1) + 1) / 2 : undefined;
  };
  const reach = 100;
  const [left, top] = [Math.round(x - reach), Math.round(y - reach)];
  const [row, column] = [Math.round(y - off), Math.round(x - off)];
  const across = middle(2 * reach, (at) => picture.at(left + at, row));
  const down = middle(2 * reach, (at) => picture.at(column, top + at));
  return across === undefined || down === undefined ? undefined : { x: left + across, y: top + down };
}
