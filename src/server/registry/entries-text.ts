import type { V1ManagedFieldsEntry } from '../../api/generated/types.js';

/** Texts of this many sets are remembered, of this many characters in all. */
const MAX_SETS = 128;
const MAX_CHARACTERS = 8 << 20;

/** Managed fields as JSON. Sets are shared between versions of an object and between objects of one shape, so that most of them have been written just before. */
export class EntriesText {
  private readonly sets = new Map<object, string>();
  private characters = 0;

  text(entries: readonly V1ManagedFieldsEntry[]): string {
    const texts: string[] = [];
    for (const entry of entries) {
      const { fieldsV1, ...rest } = entry;
      const head = JSON.stringify(rest);
      // Each by itself: cutting something off the end of all that came before would copy it for every entry.
      texts.push(fieldsV1 === undefined || fieldsV1 === null ? head : `${head.slice(0, -1)}${head.length > 2 ? ',' : ''}"fieldsV1":${this.set(fieldsV1)}}`);
    }
    return `[${texts.join(',')}]`;
  }

  /** The text of one set. */
  set(fields: object): string {
    let text = this.sets.get(fields);
    if (text === undefined) {
      text = JSON.stringify(fields);
      if (this.sets.size >= MAX_SETS || this.characters + text.length > MAX_CHARACTERS) {
        this.sets.clear();
        this.characters = 0;
      }
      this.characters += text.length;
      this.sets.set(fields, text);
    }
    return text;
  }
}
