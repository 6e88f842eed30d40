import type { Steps } from '../../base/steps.js';
import { decodeError } from './decode-error.js';
import { stringEnd } from './json-scan.js';
import { NumberLiteral } from './number-literal.js';

/** Deeper nesting is refused. Upstream's limit is 10000; nothing that is meant seriously comes near either. */
export const MAX_DEPTH = 1000;

/** Keys that occur more than once, by the object they occur in; with the values that a later one took the place of. */
export type DuplicateKeys = ReadonlyMap<object, ReadonlyMap<string, readonly unknown[]>>;

/** Characters between two pauses: a few milliseconds. */
const CHARACTERS_PER_STEP = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5d;
const BRACE = 0x7d;
/** Strings without escapes up to this length are cut out at once. */
const SHORT = 200;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const PLAIN_INTEGER = /^-?[0-9]{1,15}$/;
/** What may stand behind a backslash. */
const ESCAPES = '"\\/bfnrtu';
const HEXADECIMAL = /[0-9a-fA-F]/;

/**
 * A JSON parser for what `JSON.parse` cannot tell: which keys are duplicates, how numbers were written, and upstream's words for what is wrong.
 * The last of several values of a key wins.
 */
export class JsonParser {
  private position = 0;
  private depth = 0;
  private pauseAt = CHARACTERS_PER_STEP;
  readonly duplicates = new Map<object, Map<string, unknown[]>>();

  constructor(
    private readonly text: string,
    /** Numbers are just numbers, whatever their text. */
    private readonly plainNumbers = false,
  ) {}

  /** Throws `KUBE_CANNOT_DECODE` with upstream's message. */
  *parse(): Steps<unknown> {
    this.blanks();
    let value = this.scalar();
    if (value === undefined) value = yield* this.container();
    this.blanks();
    if (this.position < this.text.length) throw this.unexpected('after top-level value');
    return value;
  }

  /** A value that holds no others; undefined: an object or an array begins here. */
  private scalar(): unknown {
    const char = this.text[this.position];
    switch (char) {
      case '{':
      case '[':
        return undefined;
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
    }
    if (char !== undefined && (char === '-' || (char >= '0' && char <= '9'))) return this.number();
    throw this.unexpected('looking for beginning of value');
  }

  private container(): Steps<unknown> {
    return this.text[this.position] === '{' ? this.object() : this.array();
  }

  private *object(): Steps<Record<string, unknown>> {
    this.enter();
    const object: Record<string, unknown> = {};
    this.blanks();
    if (this.text[this.position] === '}') return this.leave(object);
    for (;;) {
      if (this.text[this.position] !== '"') throw this.unexpected('looking for beginning of object key string');
      const key = this.string();
      this.blanks();
      if (this.text[this.position] !== ':') throw this.unexpected('after object key');
      this.position++;
      this.blanks();
      let value = this.scalar();
      if (value === undefined) value = yield* this.container();
      if (Object.hasOwn(object, key)) this.duplicate(object, key, object[key]);
      if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
      else object[key] = value;
      this.blanks();
      const char = this.text[this.position];
      if (char === '}') return this.leave(object);
      if (char !== ',') throw this.unexpected('after object key:value pair');
      this.position++;
      if (this.isPauseDue()) yield;
      this.blanks();
    }
  }

  private *array(): Steps<unknown[]> {
    this.enter();
    const array: unknown[] = [];
    this.blanks();
    if (this.text[this.position] === ']') return this.leave(array);
    for (;;) {
      const value = this.scalar();
      array.push(value === undefined ? yield* this.container() : value);
      this.blanks();
      const char = this.text[this.position];
      if (char === ']') return this.leave(array);
      if (char !== ',') throw this.unexpected('after array element');
      this.position++;
      if (this.isPauseDue()) yield;
      this.blanks();
    }
  }

  private isPauseDue(): boolean {
    if (this.position < this.pauseAt) return false;
    this.pauseAt = this.position + CHARACTERS_PER_STEP;
    return true;
  }

  private enter(): void {
    if (++this.depth > MAX_DEPTH) throw this.unexpected('exceeded max depth');
    this.position++;
  }

  private leave<T>(value: T): T {
    this.depth--;
    this.position++;
    return value;
  }

  private string(): string {
    const start = this.position;
    for (let i = start + 1; i < start + SHORT; i++) {
      const code = this.text.charCodeAt(i);
      if (code === QUOTE) {
        this.position = i + 1;
        return this.text.slice(start + 1, i);
      }
      if (!(code >= 0x20) || code === BACKSLASH) break;
    }
    return this.longString(start);
  }

  /** A long string, or one with escapes. */
  private longString(start: number): string {
    const end = stringEnd(this.text, start);
    let value;
    try {
      value = JSON.parse(this.text.slice(start, end + 1)) as string;
    } catch {
      throw this.wrongString();
    }
    this.position = end + 1;
    return value;
  }

  /** What is wrong with a string. */
  private wrongString(): Error {
    for (;;) {
      const code = this.text.charCodeAt(++this.position);
      if (!(code >= 0x20)) return this.unexpected('in string literal');
      if (code !== BACKSLASH) continue;
      const char = this.text[++this.position];
      if (char === undefined || !ESCAPES.includes(char)) return this.unexpected('in string escape code');
      if (char !== 'u') continue;
      for (let digits = 0; digits < 4; digits++) {
        if (!HEXADECIMAL.test(this.text[++this.position] ?? '')) return this.unexpected('in \\u hexadecimal character escape');
      }
    }
  }

  private word(word: string, value: boolean | null): boolean | null {
    for (const char of word) {
      if (this.text[this.position] !== char) throw this.unexpected(`in literal ${word} (expecting '${char}')`);
      this.position++;
    }
    return value;
  }

  private number(): number | NumberLiteral {
    const digit = this.text.charCodeAt(this.position) - 0x30;
    const after = this.text.charCodeAt(this.position + 1);
    if (digit >= 0 && (after === COMMA || after === BRACKET || after === BRACE)) {
      this.position++;
      return digit;
    }
    NUMBER.lastIndex = this.position;
    const text = NUMBER.exec(this.text)?.[0];
    if (text === undefined) {
      this.position++;
      throw this.unexpected('in numeric literal');
    }
    this.position += text.length;
    const next = this.text[this.position];
    if (next === '.' && !/[.eE]/.test(text)) {
      this.position++;
      throw this.unexpected('after decimal point in numeric literal');
    }
    if ((next === 'e' || next === 'E') && !/[eE]/.test(text)) {
      this.position++;
      if (/[-+]/.test(this.text[this.position] ?? '')) this.position++;
      throw this.unexpected('in exponent of numeric literal');
    }
    return this.plainNumbers || PLAIN_INTEGER.test(text) ? Number(text) : new NumberLiteral(text);
  }

  private duplicate(object: object, key: string, replaced: unknown): void {
    const keys = this.duplicates.get(object) ?? new Map<string, unknown[]>();
    this.duplicates.set(object, keys);
    const values = keys.get(key);
    if (values) values.push(replaced);
    else keys.set(key, [replaced]);
  }

  private blanks(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.position++;
    }
  }

  private unexpected(context: string): Error {
    const char = this.text.codePointAt(this.position);
    if (char === undefined) return decodeError('unexpected end of JSON input');
    return decodeError(`invalid character ${charText(char)} ${context}`);
  }
}

/** A character as upstream quotes it: of text beyond ASCII, the first byte only. */
function charText(point: number): string {
  const text = String.fromCodePoint(point);
  const byte = String.fromCharCode(Buffer.from(text)[0]!);
  if (byte === "'") return "'\\''";
  if (byte === '"') return `'"'`;
  if (byte === '\u007f') return "'\\x7f'";
  const named: Readonly<Record<string, string>> = { '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\u0007': '\\a', '\\': '\\\\' };
  if (named[byte] !== undefined) return `'${named[byte]}'`;
  return byte < ' ' ? `'\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}'` : `'${byte}'`;
}
