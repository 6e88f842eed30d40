import { nextTurn } from '../../base/steps.js';

/** How paths and schemas are written in a document. What it gives for several objects can be put together; in JSON, with commas between them. */
export interface DocumentForm {
  readonly version: 2 | 3;
  paths(paths: Readonly<Record<string, unknown>>): Promise<Buffer>;
  schemas(schemas: Readonly<Record<string, unknown>>): Promise<Buffer>;
}

export const V2_JSON: DocumentForm = jsonForm(2);
export const V3_JSON: DocumentForm = jsonForm(3);

/** Text is turned into bytes in pieces of about this many characters. */
const PIECE = 128 << 10;

/** The entries of an object as JSON, with commas between them, and turns for others. */
export async function jsonEntries(object: Readonly<Record<string, unknown>>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let text = '';
  let comma = '';
  for (const [key, value] of Object.entries(object)) {
    text += `${comma}${JSON.stringify(key)}:${JSON.stringify(value)}`;
    comma = ',';
    if (text.length < PIECE) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await nextTurn();
  }
  return Buffer.concat([...pieces, Buffer.from(text)]);
}

function jsonForm(version: 2 | 3): DocumentForm {
  return { version, paths: jsonEntries, schemas: jsonEntries };
}
