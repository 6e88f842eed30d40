import { nextTurn } from '../../base/steps.js';

/** How paths and schemas are written in a document. What it gives for several objects can be put together. */
export interface DocumentForm {
  readonly version: 2 | 3;
  paths(paths: Readonly<Record<string, unknown>>): Promise<Buffer>;
  schemas(schemas: Readonly<Record<string, unknown>>): Promise<Buffer>;
}

/** JSON of version 2: each entry with a comma behind it, so that there must be others after it. */
export const V2_JSON: DocumentForm = jsonForm(2, '', ',');
/** JSON of version 3: each entry with a comma before it. */
export const V3_JSON: DocumentForm = jsonForm(3, ',', '');

/** Text is turned into bytes in pieces of about this many characters. */
const PIECE = 128 << 10;

/** The entries of an object as JSON, each `"key":value` between `before` and `after`, with turns for others in between. */
export async function jsonEntries(object: Readonly<Record<string, unknown>>, before: string, after: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const [key, value] of Object.entries(object)) {
    text += `${before}${JSON.stringify(key)}:${JSON.stringify(value)}${after}`;
    if (text.length < PIECE) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await nextTurn();
  }
  return Buffer.concat([...pieces, Buffer.from(text)]);
}

function jsonForm(version: 2 | 3, before: string, after: string): DocumentForm {
  const write = (object: Readonly<Record<string, unknown>>): Promise<Buffer> => jsonEntries(object, before, after);
  return { version, paths: write, schemas: write };
}
