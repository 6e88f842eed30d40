import type { V1ManagedFieldsEntry } from '../../api/generated/types.js';

/** Texts of this many sets are remembered. */
const MAX_SETS = 128;

/** Managed fields as JSON. Sets are shared between versions of an object and between objects of one shape, so that most of them have been written just before. */
export class EntriesText {
  private readonly sets = new Map<object, string>();

  text(entries: readonly V1ManagedFieldsEntry[]): string {
    let text = '[';
    for (const entry of entries) {
      const { fieldsV1, ...rest } = entry;
      const head = JSON.stringify(rest);
      text += text.length > 1 ? `,${head}` : head;
      if (fieldsV1 !== undefined && fieldsV1 !== null) text = `${text.slice(0, -1)}${head.length > 2 ? ',' : ''}"fieldsV1":${this.set(fieldsV1)}}`;
    }
    return `${text}]`;
  }

  /** The text of one set. */
  set(fields: object): string {
    let text = this.sets.get(fields);
    if (text === undefined) {
      text = JSON.stringify(fields);
      if (this.sets.size >= MAX_SETS) this.sets.clear();
      this.sets.set(fields, text);
    }
    return text;
  }
}
