/** A parsed regular expression. */
export type Expression =
  | { readonly type: 'empty' }
  | { readonly type: 'character'; matches(point: number): boolean }
  | { readonly type: 'assert'; holds(before: number, after: number): boolean }
  | { readonly type: 'sequence' | 'choice'; readonly parts: readonly Expression[] }
  | { readonly type: 'repeat'; readonly min: number; readonly max: number; readonly of: Expression };

type Matcher = (point: number) => boolean;

interface Flags {
  readonly fold: boolean;
  readonly multi: boolean;
  readonly dotAll: boolean;
}

const MAX_REPEAT = 1000;
const EMPTY: Expression = { type: 'empty' };
const isDigit: Matcher = (point) => point >= 48 && point <= 57;
const isSpace: Matcher = (point) => point === 9 || point === 10 || point === 12 || point === 13 || point === 32;
const CLASSES: Readonly<Record<string, Matcher>> = { d: isDigit, w: isWord, s: isSpace };
const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };
const POSIX: Readonly<Record<string, Matcher>> = {
  alnum: of(/[0-9A-Za-z]/), alpha: of(/[A-Za-z]/), ascii: (point) => point < 128, blank: of(/[\t ]/), cntrl: (point) => point < 32 || point === 127, digit: isDigit,
  graph: of(/[!-~]/), lower: of(/[a-z]/), print: of(/[ -~]/), punct: of(/[!-/:-@[-`{-~]/), space: of(/[\t\n\v\f\r ]/), upper: of(/[A-Z]/), word: isWord, xdigit: of(/[0-9A-Fa-f]/),
};

/** Reads an expression in Go's syntax. Throws `Error` with Go's message. */
export function parsePattern(source: string): Expression {
  return new Parser(source).parse();
}

class Parser {
  private at = 0;
  private depth = 0;
  private readonly text: readonly string[];

  constructor(private readonly source: string) {
    this.text = Array.from(source);
  }

  parse(): Expression {
    const expression = this.choice({ fold: false, multi: false, dotAll: false });
    if (this.at < this.text.length) throw this.error('unexpected )', this.source);
    return expression;
  }

  private error(what: string, part: string): Error {
    return new Error(`error parsing regexp: ${what}: \`${part}\``);
  }

  private choice(flags: Flags): Expression {
    const state = { flags };
    const parts = [this.sequence(state)];
    while (this.text[this.at] === '|') {
      this.at++;
      parts.push(this.sequence(state));
    }
    return parts.length === 1 ? parts[0]! : { type: 'choice', parts };
  }

  private sequence(state: { flags: Flags }): Expression {
    const parts: Expression[] = [];
    for (;;) {
      const character = this.text[this.at];
      if (character === undefined || character === '|' || character === ')') break;
      const atom = this.atom(state);
      parts.push(this.repeats(atom));
    }
    return parts.length === 1 ? parts[0]! : parts.length === 0 ? EMPTY : { type: 'sequence', parts };
  }

  private repeats(atom: Expression): Expression {
    let result = atom;
    let times = 0;
    for (;;) {
      const start = this.at;
      const range = this.range();
      if (range === undefined) return result;
      // Whether it is greedy makes no difference to whether it matches.
      if (this.text[this.at] === '?') this.at++;
      if (++times > 1) throw this.error('invalid nested repetition operator', this.text.slice(start - 1, this.at).join(''));
      result = { type: 'repeat', ...range, of: result };
    }
  }

  private range(): { readonly min: number; readonly max: number } | undefined {
    const character = this.text[this.at];
    if (character === '*' || character === '+' || character === '?') {
      this.at++;
      return { min: character === '+' ? 1 : 0, max: character === '?' ? 1 : Infinity };
    }
    if (character !== '{') return undefined;
    const match = /^\{(\d+)(,(\d*))?\}/.exec(this.text.slice(this.at, this.at + 16).join(''));
    if (!match) return undefined;
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === '' ? Infinity : Number(match[3]);
    if (min > MAX_REPEAT || (max !== Infinity && max > MAX_REPEAT) || max < min) throw this.error('invalid repeat count', match[0]);
    this.at += match[0].length;
    return { min, max };
  }

  private atom(state: { flags: Flags }): Expression {
    const { flags } = state;
    const character = this.text[this.at++]!;
    switch (character) {
      case '(':
        return this.group(state);
      case '[':
        return this.set(flags);
      case '.':
        return { type: 'character', matches: flags.dotAll ? () => true : (point) => point !== 10 };
      case '^':
        return { type: 'assert', holds: flags.multi ? (before) => before < 0 || before === 10 : (before) => before < 0 };
      case '$':
        return { type: 'assert', holds: flags.multi ? (_, after) => after < 0 || after === 10 : (_, after) => after < 0 };
      case '\\':
        return this.escape(flags);
      case '*':
      case '+':
      case '?':
        throw this.error('missing argument to repetition operator', character);
      default:
        return literal(character.codePointAt(0)!, flags.fold);
    }
  }

  private group(state: { flags: Flags }): Expression {
    let { flags } = state;
    if (this.text[this.at] === '?') {
      const rest = this.text.slice(this.at + 1, this.at + 80).join('');
      const named = /^P?<(\w+)>/.exec(rest);
      if (named) this.at += 1 + named[0].length;
      else {
        const match = /^([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
        if (!match) throw this.error('invalid or unsupported Perl syntax', `(?${rest.slice(0, 1)}`);
        this.at += 1 + match[0].length;
        flags = changed(flags, match[1]!, true);
        if (match[2] !== undefined) flags = changed(flags, match[2], false);
        if (match[3] === ')') {
          state.flags = flags;
          return EMPTY;
        }
      }
    }
    if (++this.depth > MAX_REPEAT) throw this.error('expression nests too deeply', this.source);
    const inside = this.choice(flags);
    this.depth--;
    if (this.text[this.at] !== ')') throw this.error('missing closing )', this.source);
    this.at++;
    return inside;
  }

  private escape(flags: Flags): Expression {
    const character = this.text[this.at];
    if (character === undefined) throw this.error('trailing backslash at end of expression', '');
    switch (character) {
      case 'A':
        this.at++;
        return { type: 'assert', holds: (before) => before < 0 };
      case 'z':
        this.at++;
        return { type: 'assert', holds: (_, after) => after < 0 };
      case 'b':
      case 'B': {
        this.at++;
        const wanted = character === 'b';
        return { type: 'assert', holds: (before, after) => (isWord(before) !== isWord(after)) === wanted };
      }
      case 'Q': {
        this.at++;
        const end = this.source.indexOf('\\E', this.text.slice(0, this.at).join('').length);
        const from = this.text.slice(0, this.at).join('').length;
        const quoted = Array.from(this.source.slice(from, end < 0 ? undefined : end));
        this.at += quoted.length + (end < 0 ? 0 : 2);
        return { type: 'sequence', parts: quoted.map((each) => literal(each.codePointAt(0)!, flags.fold)) };
      }
    }
    const matches = this.classEscape();
    return matches ? { type: 'character', matches } : literal(this.codeEscape(), flags.fold);
  }

  /** `\d`, `\pL` and the like behind the backslash. */
  private classEscape(): Matcher | undefined {
    const character = this.text[this.at]!;
    const lower = character.toLowerCase();
    if (Object.hasOwn(CLASSES, lower)) {
      this.at++;
      const matches = CLASSES[lower]!;
      return character === lower ? matches : (point) => !matches(point);
    }
    if (lower !== 'p') return undefined;
    const match = /^[pP](?:([A-Z])|\{(\^?)([A-Za-z_]+)\})/.exec(this.text.slice(this.at, this.at + 40).join(''));
    if (!match) throw this.error('invalid character class range', `\\${character}`);
    this.at += match[0].length;
    const name = match[1] ?? match[3]!;
    const matches = unicodeClass(name);
    if (!matches) throw this.error('invalid character class range', `\\${match[0]}`);
    return (character === 'P') !== (match[2] === '^') ? (point) => !matches(point) : matches;
  }

  private codeEscape(): number {
    const character = this.text[this.at++]!;
    if (Object.hasOwn(CONTROLS, character)) return CONTROLS[character]!;
    if (character === 'x') {
      const match = /^(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(this.text.slice(this.at, this.at + 8).join(''));
      if (!match) throw this.error('invalid escape sequence', '\\x');
      this.at += match[0].length;
      return parseInt(match[1] ?? match[2]!, 16);
    }
    if (/[0-7]/.test(character)) {
      const match = /^[0-7]{1,2}/.exec(this.text.slice(this.at, this.at + 2).join(''));
      if (character !== '0' && !match) throw this.error('invalid escape sequence', `\\${character}`);
      this.at += match?.[0].length ?? 0;
      return parseInt(`${character}${match?.[0] ?? ''}`, 8);
    }
    const point = character.codePointAt(0)!;
    if (point < 128 && !isWord(point)) return point;
    throw this.error('invalid escape sequence', `\\${character}`);
  }

  private set(flags: Flags): Expression {
    const start = this.at - 1;
    let negated = false;
    if (this.text[this.at] === '^') {
      negated = true;
      this.at++;
    }
    const parts: Matcher[] = [];
    for (let first = true; first || this.text[this.at] !== ']'; first = false) {
      if (this.at >= this.text.length) throw this.error('missing closing ]', this.text.slice(start).join(''));
      parts.push(this.setPart(flags.fold));
    }
    this.at++;
    const matches: Matcher = (point) => parts.some((part) => part(point));
    return { type: 'character', matches: negated ? (point) => !matches(point) : matches };
  }

  private setPart(fold: boolean): Matcher {
    if (this.text[this.at] === '[' && this.text[this.at + 1] === ':') {
      const match = /^\[:(\^?)(\w+):\]/.exec(this.text.slice(this.at, this.at + 20).join(''));
      if (match) {
        const matches = Object.hasOwn(POSIX, match[2]!) ? POSIX[match[2]!] : undefined;
        if (!matches) throw this.error('invalid character class range', match[0]);
        this.at += match[0].length;
        return match[1] === '^' ? (point) => !matches(point) : matches;
      }
    }
    if (this.text[this.at] === '\\') {
      this.at++;
      if (this.at >= this.text.length) throw this.error('trailing backslash at end of expression', '');
      const matches = this.classEscape();
      if (matches) return matches;
      this.at--;
    }
    const from = this.at;
    const low = this.setPoint();
    let high = low;
    if (this.text[this.at] === '-' && this.text[this.at + 1] !== ']' && this.text[this.at + 1] !== undefined) {
      this.at++;
      high = this.setPoint();
      if (high < low) throw this.error('invalid character class range', this.text.slice(from, this.at).join(''));
    }
    const within: Matcher = (point) => point >= low && point <= high;
    return fold ? (point) => within(point) || others(point).some(within) : within;
  }

  private setPoint(): number {
    const character = this.text[this.at]!;
    this.at++;
    return character === '\\' ? this.codeEscape() : character.codePointAt(0)!;
  }
}

function of(pattern: RegExp): Matcher {
  return (point) => pattern.test(String.fromCodePoint(point));
}

function unicodeClass(name: string): Matcher | undefined {
  if (name === 'Any') return () => true;
  for (const property of [name, `Script=${name}`]) {
    try {
      return of(new RegExp(`^\\p{${property}}$`, 'u'));
    } catch {
      // Not of that sort.
    }
  }
  return undefined;
}

function literal(point: number, fold: boolean): Expression {
  return { type: 'character', matches: fold ? (other) => other === point || others(other).includes(point) : (other) => other === point };
}

/** The same letter in the other cases. */
function others(point: number): number[] {
  const text = String.fromCodePoint(point);
  return [text.toLowerCase(), text.toUpperCase()].map((variant) => variant.codePointAt(0)!);
}

function changed(flags: Flags, letters: string, to: boolean): Flags {
  return {
    fold: letters.includes('i') ? to : flags.fold,
    multi: letters.includes('m') ? to : flags.multi,
    dotAll: letters.includes('s') ? to : flags.dotAll,
  };
}

/** ASCII letters, digits and the underscore. */
export function isWord(point: number): boolean {
  return (point >= 48 && point <= 57) || (point >= 65 && point <= 90) || (point >= 97 && point <= 122) || point === 95;
}
