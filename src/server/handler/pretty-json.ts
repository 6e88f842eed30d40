import { nextTurn } from '../../base/steps.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const NEWLINE = 0x0a;

/** Bytes of text that are indented in one step: some milliseconds. */
const BYTES_PER_STEP = 128 * 1024;

/** Indents JSON by two for each level, as it comes piece by piece: it need not be there as a whole, and is not parsed. */
export class PrettyJson {
  private target = Buffer.allocUnsafe(BYTES_PER_STEP * 2);
  private length = 0;
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** An object or an array has begun, and nothing has come in it yet. */
  private isOpen = false;

  /** What becomes of the next piece, in pieces that take a short time each. */
  *next(piece: Buffer): Generator<Buffer, void, void> {
    for (let from = 0; from < piece.length; from += BYTES_PER_STEP) {
      this.write(piece, from, Math.min(piece.length, from + BYTES_PER_STEP));
      yield Buffer.from(this.target.subarray(0, this.length));
      this.length = 0;
    }
  }

  private write(source: Buffer, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const byte = source[i]!;
      if (this.inString) {
        this.put(byte);
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === BACKSLASH) this.isEscaped = true;
        else if (byte === QUOTE) this.inString = false;
        continue;
      }
      if (byte <= SPACE) continue;
      if (byte === 0x7d || byte === 0x5d) {
        this.depth--;
        if (!this.isOpen) this.newLine();
        this.isOpen = false;
        this.put(byte);
        continue;
      }
      if (this.isOpen) {
        this.isOpen = false;
        this.newLine();
      }
      this.put(byte);
      if (byte === QUOTE) this.inString = true;
      else if (byte === COMMA) this.newLine();
      else if (byte === COLON) this.put(SPACE);
      else if (byte === 0x7b || byte === 0x5b) {
        this.depth++;
        this.isOpen = true;
      }
    }
  }

  private newLine(): void {
    this.put(NEWLINE);
    for (let i = 0; i < this.depth * 2; i++) this.put(SPACE);
  }

  private put(byte: number): void {
    if (this.length === this.target.length) this.target = Buffer.concat([this.target], this.target.length * 2);
    this.target[this.length++] = byte;
  }
}

const END = Buffer.from('\n');

/** JSON as it is shown to people, with a turn for others after each of the steps that a long one takes. */
export async function* prettyPieces(json: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  const printer = new PrettyJson();
  let isFirst = true;
  for await (const piece of json) {
    for (const part of printer.next(piece)) {
      if (!isFirst) await nextTurn();
      isFirst = false;
      yield part;
    }
  }
  yield END;
}

/** The same of what is there as a whole. */
export async function prettyBytes(json: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of prettyPieces([json])) pieces.push(piece);
  return Buffer.concat(pieces);
}
