import type { DocumentParts } from './custom-documents.js';
import { entriesText, joinedBytes } from './document-entries.js';
import { CompressedDocument } from './document-pieces.js';
import { nextTurn } from '../../base/steps.js';

const PATHS = '"paths":{';
const DEFINITIONS = '"definitions":{';
const COMMA = Buffer.from(',');
const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The document of version 2 with more paths and definitions in it. It is put together as text: reading and writing all of it would take long. */
export async function joinVersion2(base: Buffer, parts: Iterable<DocumentParts>): Promise<CompressedDocument> {
  const paths: string[] = [];
  const definitions: string[] = [];
  for (const part of parts) {
    paths.push(...(await entriesText(part.paths)));
    definitions.push(...(await entriesText(part.schemas)));
    await nextTurn();
  }
  const more = [{ at: endOf(base, PATHS), entries: paths }, { at: endOf(base, DEFINITIONS), entries: definitions }].sort((a, b) => a.at - b.at);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { at, entries: texts } of more) {
    pieces.push(base.subarray(from, at));
    if (texts.length > 0) pieces.push(...(await joinedBytes(texts, ',')), COMMA);
    from = at;
  }
  pieces.push(base.subarray(from));
  return CompressedDocument.of(pieces, 'application/json');
}

/** Where the value of a key of the document itself begins, behind its brace. The same words stand in schemas, too. */
function endOf(base: Buffer, text: string): number {
  for (let at = base.indexOf(text); at >= 0; at = base.indexOf(text, at + 1)) if (depthAt(base, at) === 1) return at + text.length;
  throw new TypeError(`the OpenAPI document has no ${text}`);
}

function depthAt(base: Buffer, end: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < end; i++) {
    const byte = base[i]!;
    if (quoted) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE) depth--;
  }
  return depth;
}
