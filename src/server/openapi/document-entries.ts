import { nextTurn } from '../../base/steps.js';

/** Text is turned into bytes in pieces of about this many characters. */
const PIECE = 256 << 10;

/** The entries of an object as JSON, each `"key":value`, with turns for others in between. */
export async function entriesText(object: Readonly<Record<string, unknown>>): Promise<string[]> {
  const texts: string[] = [];
  let length = 0;
  for (const [key, value] of Object.entries(object)) {
    const text = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
    texts.push(text);
    if ((length += text.length) < PIECE) continue;
    length = 0;
    await nextTurn();
  }
  return texts;
}

/** Texts as bytes, with `separator` between them, and with turns for others in between. */
export async function joinedBytes(texts: readonly string[], separator: string): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let piece = '';
  for (const [i, text] of texts.entries()) {
    piece += i === 0 ? text : separator + text;
    if (piece.length < PIECE) continue;
    pieces.push(Buffer.from(piece));
    piece = '';
    await nextTurn();
  }
  if (piece !== '') pieces.push(Buffer.from(piece));
  return pieces;
}
