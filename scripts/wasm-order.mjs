// Puts the functions of a wasm module into an order in which they compress better: gzip looks back
// 32 kB, so functions that resemble each other should be neighbours. Nothing else changes; calls,
// exports and tables name the same functions by their new numbers.

const SECTION = { imports: 2, functions: 3, globals: 6, exports: 7, start: 8, elements: 9, code: 10 };
const CUSTOM = 0;

/** How many bytes make one feature of a function. */
const SHINGLE = 6;
/** A feature of more functions than this tells nothing. */
const COMMON = 60;
/** The next function is chosen for its likeness to so many bytes before it. */
const LOOK_BACK = 16_000;

/** The module with its functions in another order. */
export function ordered(module) {
  const sections = sectionsOf(module);
  const imported = importedFunctions(sections.find(({ id }) => id === SECTION.imports)?.body);
  const bodies = items(sections.find(({ id }) => id === SECTION.code).body, (body, at) => {
    const [size, start] = number(body, at);
    return start + size;
  });
  const order = byLikeness(bodies);
  const places = new Int32Array(order.length);
  order.forEach((old, place) => (places[old] = place));
  const renumbered = (index) => (index < imported ? index : imported + places[index - imported]);

  const out = [module.subarray(0, 8)];
  for (const { id, body } of sections) {
    // Names by number would name the wrong ones; no other one is for a browser.
    if (id === CUSTOM) continue;
    const changed = inSection(id, body, order, renumbered);
    out.push(Buffer.from([id]), leb(changed.length), changed);
  }
  return Buffer.concat(out);
}

function inSection(id, body, order, renumbered) {
  const edit = new Edit(body, renumbered);
  switch (id) {
    case SECTION.functions: {
      const types = items(body, (bytes, at) => number(bytes, at)[1]);
      return Buffer.concat([leb(types.length), ...order.map((old) => types[old])]);
    }
    case SECTION.code: {
      const bodies = items(body, (bytes, at) => {
        const [size, start] = number(bytes, at);
        return start + size;
      });
      return Buffer.concat([leb(bodies.length), ...order.map((old) => code(bodies[old], renumbered))]);
    }
    case SECTION.start:
      edit.functionIndex();
      return edit.done();
    case SECTION.exports:
      edit.times(() => {
        edit.skip(edit.number());
        if (edit.byte() === 0) edit.functionIndex();
        else edit.number();
      });
      return edit.done();
    case SECTION.globals:
      edit.times(() => {
        edit.skip(2);
        edit.expression();
      });
      return edit.done();
    case SECTION.elements:
      edit.times(() => elementSegment(edit));
      return edit.done();
    default:
      return body;
  }
}

function elementSegment(edit) {
  const flags = edit.number();
  const isActive = (flags & 1) === 0;
  const holdsExpressions = (flags & 4) !== 0;
  if (isActive && flags & 2) edit.number();
  if (isActive) edit.expression();
  if (flags & 3) edit.skip(1);
  edit.times(() => (holdsExpressions ? edit.expression() : edit.functionIndex()));
}

function code(entry, renumbered) {
  const [, start] = number(entry, 0);
  const edit = new Edit(entry.subarray(start), renumbered);
  edit.times(() => {
    edit.number();
    edit.skip(1);
  });
  edit.expression();
  const body = edit.done();
  return Buffer.concat([leb(body.length), body]);
}

/** Reads on through bytes and exchanges the numbers of functions. */
class Edit {
  #bytes;
  #renumbered;
  #at = 0;
  #copied = 0;
  #out = [];

  constructor(bytes, renumbered) {
    this.#bytes = bytes;
    this.#renumbered = renumbered;
  }

  byte() {
    return this.#bytes[this.#at++];
  }

  skip(count) {
    this.#at += count;
  }

  number() {
    const [value, end] = number(this.#bytes, this.#at);
    this.#at = end;
    return value;
  }

  times(act) {
    for (let left = this.number(); left > 0; left -= 1) act();
  }

  functionIndex() {
    this.#out.push(this.#bytes.subarray(this.#copied, this.#at));
    this.#out.push(leb(this.#renumbered(this.number())));
    this.#copied = this.#at;
  }

  /** Instructions up to the end of the outermost block. */
  expression() {
    for (let depth = 1; depth > 0; ) {
      const op = this.byte();
      if (op === 0x02 || op === 0x03 || op === 0x04) {
        this.number(); // the block's type
        depth += 1;
      } else if (op === 0x0b) {
        depth -= 1;
      } else if (op === 0x10 || op === 0x12 || op === 0xd2) {
        this.functionIndex(); // call, tail call, reference
      } else {
        this.#immediates(op);
      }
    }
  }

  #immediates(op) {
    const has = (first, last) => op >= first && op <= last;
    if (op === 0x0e) {
      this.times(() => this.number());
      this.number();
    } else if (has(0x0c, 0x0d) || has(0x20, 0x26) || has(0x3f, 0x42) || op === 0xd0) {
      this.number();
    } else if (op === 0x11 || op === 0x13) {
      this.number();
      this.number();
    } else if (op === 0x1c) {
      this.times(() => this.skip(1));
    } else if (has(0x28, 0x3e)) {
      this.number();
      this.number();
    } else if (op === 0x43) {
      this.skip(4);
    } else if (op === 0x44) {
      this.skip(8);
    } else if (op === 0xfc) {
      const bulk = this.number();
      const immediates = bulk < 8 ? 0 : [2, 1, 2, 1, 2, 1, 2, 1, 1, 1][bulk - 8];
      if (immediates === undefined) throw new Error(`wasm instruction fc ${bulk} is not known here`);
      for (let left = immediates; left > 0; left -= 1) this.number();
    } else if (!(has(0x00, 0x01) || op === 0x05 || op === 0x0f || has(0x1a, 0x1b) || has(0x45, 0xc4) || op === 0xd1)) {
      throw new Error(`wasm instruction ${op.toString(16)} is not known here`);
    }
  }

  done() {
    this.#out.push(this.#bytes.subarray(this.#copied));
    return Buffer.concat(this.#out);
  }
}

/** The numbers of the functions, each followed by the one that is most like those before it. */
function byLikeness(bodies) {
  const holders = new Map();
  const features = bodies.map((body) => featuresOf(body));
  features.forEach((own, index) => {
    for (const feature of own) {
      const known = holders.get(feature);
      if (known) known.push(index);
      else holders.set(feature, [index]);
    }
  });
  const left = new Set(bodies.keys());
  const bySize = [...left].sort((a, b) => bodies[b].length - bodies[a].length);
  const order = [];
  const likeness = new Float64Array(bodies.length);
  for (let next = bySize[0]; next !== undefined; ) {
    left.delete(next);
    order.push(next);
    const touched = new Set();
    let seen = 0;
    for (let back = order.length - 1; back >= 0; back -= 1) {
      seen += bodies[order[back]].length;
      if (seen > LOOK_BACK && back < order.length - 1) break;
      for (const feature of features[order[back]]) {
        const known = holders.get(feature);
        if (known.length > COMMON) continue;
        for (const other of known) {
          if (!left.has(other)) continue;
          likeness[other] += 1;
          touched.add(other);
        }
      }
    }
    next = undefined;
    let best = 0;
    for (const other of touched) {
      const share = likeness[other] / (bodies[other].length + 40);
      if (share > best) [best, next] = [share, other];
      likeness[other] = 0;
    }
    next ??= bySize.find((index) => left.has(index));
  }
  return order;
}

function featuresOf(body) {
  const features = new Set();
  for (let at = 0; at + SHINGLE <= body.length; at += 1) {
    features.add(body.readUIntBE(at, SHINGLE));
  }
  return features;
}

function sectionsOf(module) {
  const sections = [];
  for (let at = 8; at < module.length; ) {
    const [size, start] = number(module, at + 1);
    sections.push({ id: module[at], body: module.subarray(start, start + size) });
    at = start + size;
  }
  return sections;
}

/** The items of a vector, each ended by `end(body, at)`. */
function items(body, end) {
  let [count, at] = number(body, 0);
  const found = [];
  while (count-- > 0) {
    const next = end(body, at);
    found.push(body.subarray(at, next));
    at = next;
  }
  return found;
}

function importedFunctions(body) {
  if (!body) return 0;
  let functions = 0;
  let [count, at] = number(body, 0);
  while (count-- > 0) {
    at = afterText(body, afterText(body, at));
    if (body[at] === 0) functions += 1;
    at = afterDescription(body, at);
  }
  return functions;
}

/** Where the description of an import ends: a function, a table, a memory, a global or a tag. */
export function afterDescription(body, at) {
  const kind = body[at];
  const limits = (from) => {
    const [, afterLow] = number(body, from + 1);
    return body[from] & 1 ? number(body, afterLow)[1] : afterLow;
  };
  switch (kind) {
    case 0:
      return number(body, at + 1)[1];
    case 1:
      return limits(at + 2);
    case 2:
      return limits(at + 1);
    case 3:
      return at + 3;
    case 4:
      return number(body, at + 2)[1];
    default:
      throw new Error(`an import of kind ${kind} is not known here`);
  }
}

export function text(body, at) {
  const [length, start] = number(body, at);
  return body.toString("utf8", start, start + length);
}

export function afterText(body, at) {
  const [length, start] = number(body, at);
  return start + length;
}

export function number(bytes, at) {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return [value, at];
    scale *= 128;
  }
}

export function leb(value) {
  const bytes = [];
  do {
    const byte = value % 128;
    value = Math.floor(value / 128);
    bytes.push(value ? byte | 0x80 : byte);
  } while (value);
  return Buffer.from(bytes);
}
