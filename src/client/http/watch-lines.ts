const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into lines; each item has the lines that one chunk completed. Empty lines are
 * dropped, and so is an unfinished last line: a watch frame always ends with a newline.
 */
export async function* parseLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  // Pieces of a line that is longer than a chunk are joined once, at its end.
  let pieces: Buffer[] = [];
  for await (const chunk of chunks) {
    const lines: string[] = [];
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      const tail = chunk.subarray(from, to);
      const line = pieces.length > 0 ? Buffer.concat([...pieces, tail]) : tail;
      pieces = [];
      if (line.length > 0) lines.push(line.toString('utf8'));
      from = to + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
}
