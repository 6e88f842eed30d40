import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Suffix of files that are being written. */
export const TEMPORARY = '.tmp';
/** Suffix of files that were compressed. */
export const COMPRESSED = '.gz';

/** Replaces a file by `<file>.gz`; at any moment one of them is whole. The work is done by Node's thread pool. */
export async function compressFile(path: string): Promise<void> {
  const temporary = `${path}${TEMPORARY}`;
  try {
    const { mode } = await stat(path);
    await pipeline(createReadStream(path), createGzip(), createWriteStream(temporary, { mode: mode & 0o777 }));
    await rename(temporary, `${path}${COMPRESSED}`);
    await rm(path);
  } finally {
    await rm(temporary, { force: true });
  }
}
