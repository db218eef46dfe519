// Reading the text messages out of the bytes that a WebSocket client sends: its request first, then
// masked frames (RFC 6455). Pure.

const END_OF_REQUEST = "\r\n\r\n";
const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;

export class FrameReader {
  #unread = Buffer.alloc(0);
  #isUpgraded = false;
  #parts = [];

  /** Takes what came, in any pieces; answers the messages that are complete with it. */
  read(bytes) {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    if (!this.#isUpgraded) {
      const end = this.#unread.indexOf(END_OF_REQUEST);
      if (end < 0) return [];
      this.#unread = this.#unread.subarray(end + END_OF_REQUEST.length);
      this.#isUpgraded = true;
    }
    const messages = [];
    for (let frame = this.#next(); frame; frame = this.#next()) {
      if (![CONTINUATION, TEXT, BINARY].includes(frame.opcode)) continue;
      this.#parts.push(frame.payload);
      if (frame.isLast) messages.push(Buffer.concat(this.#parts.splice(0)).toString());
    }
    return messages;
  }

  #next() {
    const bytes = this.#unread;
    if (bytes.length < 2) return undefined;
    if (bytes[0] & 0x70) throw new Error("a compressed frame, which the relay cannot read");
    const short = bytes[1] & 0x7f;
    const wide = short === 126 ? 2 : short === 127 ? 8 : 0;
    const isMasked = (bytes[1] & 0x80) !== 0;
    const start = 2 + wide + (isMasked ? 4 : 0);
    if (bytes.length < start) return undefined;
    const length = wide === 2 ? bytes.readUInt16BE(2) : wide === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
    if (bytes.length < start + length) return undefined;
    const payload = Buffer.from(bytes.subarray(start, start + length));
    if (isMasked) {
      const mask = bytes.subarray(start - 4, start);
      for (let i = 0; i < length; i += 1) payload[i] ^= mask[i & 3];
    }
    this.#unread = bytes.subarray(start + length);
    return { isLast: (bytes[0] & 0x80) !== 0, opcode: bytes[0] & 0x0f, payload };
  }
}
