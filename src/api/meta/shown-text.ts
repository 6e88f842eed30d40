/**
 * Characters that a message shows of one value. Upstream shows all of it, be it megabytes; what is that long nobody reads, and
 * making and sending it keeps others waiting (docs/decisions/0009-long-messages.md).
 */
export const MAX_SHOWN_CHARACTERS = 32 * 1024;

const CUT_OFF = '... (cut off)';

/** A text as messages show it: its beginning, when it is longer than `limit` characters. */
export function shown(text: string, limit = MAX_SHOWN_CHARACTERS): string {
  if (text.length <= limit) return text;
  const isHalf = (text.charCodeAt(limit - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, isHalf ? limit - 1 : limit)}${CUT_OFF}`;
}

/** Collects the pieces of a text until no more of it would be shown. */
export class ShownText {
  private text = '';

  /** Nothing that is added now would be seen. */
  get isFull(): boolean {
    return this.text.length > MAX_SHOWN_CHARACTERS;
  }

  add(piece: string): void {
    this.text += piece;
  }

  toString(): string {
    return shown(this.text);
  }
}

/** A value as JSON, as messages show it. Keys come in their order, or `sorted`. What is not shown is not looked at. */
export function shownJson(value: unknown, sorted = false): string {
  const text = new ShownText();
  write(value, sorted, text);
  return text.toString();
}

function write(value: unknown, sorted: boolean, text: ShownText): void {
  if (text.isFull) return;
  if (typeof value === 'string') text.add(JSON.stringify(shownWhole(value)));
  else if (typeof value !== 'object' || value === null) text.add(JSON.stringify(value) ?? 'null');
  else if (Array.isArray(value)) writeItems(value, sorted, text);
  else writeMembers(value as Readonly<Record<string, unknown>>, sorted, text);
}

/** As much of a text as can be seen of it, and a bit more, so that the whole is known to be longer. */
function shownWhole(value: string): string {
  return value.length > MAX_SHOWN_CHARACTERS ? value.slice(0, MAX_SHOWN_CHARACTERS + 1) : value;
}

function writeItems(items: readonly unknown[], sorted: boolean, text: ShownText): void {
  text.add('[');
  for (let i = 0; i < items.length && !text.isFull; i++) {
    if (i > 0) text.add(',');
    write(items[i], sorted, text);
  }
  text.add(']');
}

function writeMembers(object: Readonly<Record<string, unknown>>, sorted: boolean, text: ShownText): void {
  const keys = sorted ? Object.keys(object).sort() : Object.keys(object);
  let separator = '{';
  for (const key of keys) {
    if (text.isFull) return;
    if (object[key] === undefined) continue;
    text.add(`${separator}${JSON.stringify(shownWhole(key))}:`);
    write(object[key], sorted, text);
    separator = ',';
  }
  text.add(separator === '{' ? '{}' : '}');
}
