import { nextTurn } from '../../base/steps.js';

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
/** Bytes that are looked at before others get their turn. */
const BYTES_PER_TURN = 512 << 10;
/** Entries are parsed in groups of about this size. */
const GROUP_BYTES = 128 << 10;

/** A field of a document that is an object itself: where its entries are in the text, in groups. */
export interface Section {
  readonly name: string;
  /** Behind the opening brace. */
  readonly start: number;
  /** Of the closing brace. */
  readonly end: number;
  /** Of the commas between groups of entries. */
  readonly cuts: readonly number[];
}

/** Finds fields of a big JSON document without parsing all of it; the document has them, and they are not empty. In the order of the text. */
export async function sectionsOf(text: Buffer, names: readonly string[]): Promise<Section[]> {
  const sections: Section[] = [];
  let depth = 0;
  let key: readonly [number, number] = [0, 0];
  let open: { name: string; start: number; cuts: number[] } | undefined;
  for (let i = 0; i < text.length; i++) {
    if (i % BYTES_PER_TURN === BYTES_PER_TURN - 1) await nextTurn();
    switch (text[i]) {
      case QUOTE: {
        const start = i + 1;
        i = stringEnd(text, i);
        if (depth === 1 && text[i + 1] === COLON) key = [start, i];
        break;
      }
      case 0x7b:
      case 0x5b:
        if (++depth === 2) {
          const name = text.toString('utf8', ...key);
          if (names.includes(name)) open = { name, start: i + 1, cuts: [] };
        }
        break;
      case 0x7d:
      case 0x5d:
        if (--depth === 1 && open) {
          sections.push({ ...open, end: i });
          open = undefined;
        }
        break;
      case COMMA:
        if (depth === 2 && open && i - (open.cuts.at(-1) ?? open.start) > GROUP_BYTES) open.cuts.push(i);
    }
  }
  return sections;
}

/** The entries of a section, some at a time. */
export function* entriesOf(text: Buffer, { start, end, cuts }: Section): Generator<Record<string, unknown>> {
  let from = start;
  for (const cut of [...cuts, end]) {
    yield JSON.parse(`{${text.toString('utf8', from, cut)}}`) as Record<string, unknown>;
    from = cut + 1;
  }
}

/** The document with its sections empty. */
export function withoutSections(text: Buffer, sections: readonly Section[]): Record<string, unknown> {
  let rest = '';
  let from = 0;
  for (const { start, end } of sections) {
    rest += text.toString('utf8', from, start);
    from = end;
  }
  return JSON.parse(rest + text.toString('utf8', from)) as Record<string, unknown>;
}

/** Index of the quote that ends the string beginning at `start`. */
function stringEnd(text: Buffer, start: number): number {
  let i = start + 1;
  while (text[i] !== QUOTE) i += text[i] === BACKSLASH ? 2 : 1;
  return i;
}
