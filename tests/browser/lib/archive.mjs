// A small writer of PMTiles archives (version 3): one root directory, or one with a leaf for each
// so many tiles.

import { gzipSync } from "node:zlib";

/** The tile's number along the Hilbert curves. */
export function tileNumber({ z, x, y }) {
  let number = (4 ** z - 1) / 3;
  for (let half = 2 ** z / 2; half >= 1; half /= 2) {
    const right = Math.floor(x / half) % 2;
    const down = Math.floor(y / half) % 2;
    number += half * half * ((3 * right) ^ down);
    if (down === 0) {
      if (right === 1) [x, y] = [2 ** z - 1 - x, 2 ** z - 1 - y];
      [x, y] = [y, x];
    }
  }
  return number;
}

function numbers(list) {
  const bytes = [];
  for (let number of list) {
    while (number > 127) {
      bytes.push((number % 128) + 128);
      number = Math.floor(number / 128);
    }
    bytes.push(number);
  }
  return bytes;
}

function directory(entries) {
  const steps = entries.map(({ id }, i) => id - (i === 0 ? 0 : entries[i - 1].id));
  return gzipSync(
    Buffer.from(
      numbers([
        entries.length,
        ...steps,
        ...entries.map(({ run }) => run),
        ...entries.map(({ data }) => data.length),
        ...entries.map(({ offset }) => offset + 1),
      ]),
    ),
  );
}

function placed(entries) {
  let offset = 0;
  return entries.map((entry) => {
    const placed = { ...entry, offset };
    offset += entry.data.length;
    return placed;
  });
}

/** An archive of `{ z, x, y, data }`, pictures in PNG; `version` and `kind` may be wrong ones. */
export function archive(tiles, { leafSize = 4, version = 3, kind = 2 } = {}) {
  const entries = placed(
    tiles.map((tile) => ({ id: tileNumber(tile), run: 1, data: tile.data })).sort((a, b) => a.id - b.id),
  );
  const leaves = [];
  for (let at = 0; at < entries.length; at += leafSize) {
    const part = entries.slice(at, at + leafSize);
    leaves.push({ id: part[0].id, run: 0, data: directory(part) });
  }
  const root = directory(placed(leaves));
  const header = Buffer.alloc(127);
  header.write("PMTiles", "latin1");
  header[7] = version;
  const metadata = gzipSync(Buffer.from("{}"));
  const parts = [root, metadata, Buffer.concat(leaves.map(({ data }) => data)), Buffer.concat(entries.map(({ data }) => data))];
  let at = header.length;
  for (const [i, part] of parts.entries()) {
    header.writeBigUInt64LE(BigInt(at), 8 + 16 * i);
    header.writeBigUInt64LE(BigInt(part.length), 16 + 16 * i);
    at += part.length;
  }
  const zooms = tiles.map(({ z }) => z);
  header.set([1, 2, 1, kind, Math.min(...zooms), Math.max(...zooms)], 96);
  return Buffer.concat([header, ...parts]);
}
