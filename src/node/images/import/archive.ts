import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { errorCode, errorMessage, fileFailure } from '../../../base/errors.js';
import { ImageError, refused } from '../image-error.js';
import { decompressed } from '../layers/decompress.js';
import type { ImageLimits } from '../limits.js';

const MAX_ENTRIES = 100_000;
const MAX_LINKS = 16;
const CHUNK = 256 * 1024;

type ArchiveEntry = { readonly offset: number; readonly size: number } | { readonly link: string };

/** What is in an image archive; read in any order. */
export class Archive {
  private constructor(private readonly file: string, private readonly temporary: boolean, private readonly entries: ReadonlyMap<string, ArchiveEntry>) {}

  /**
   * Opens a tar, plain or compressed, from a file or a stream. What cannot be read in any order is first written to `temporary`, a path
   * that does not exist yet. `close` removes it.
   */
  static async open(source: string | AsyncIterable<Uint8Array>, temporary: string, limits: ImageLimits, signal: AbortSignal | undefined): Promise<Archive> {
    const what = typeof source === 'string' ? `archive ${source}` : 'the archive';
    if (typeof source === 'string' && (await isPlain(source))) return new Archive(source, false, await index(source, what, signal));
    try {
      const bytes = typeof source === 'string' ? createReadStream(source, { highWaterMark: CHUNK }) : buffers(source);
      const file = await open(temporary, 'wx', 0o600);
      try {
        for await (const chunk of decompressed(bytes, what, { ...limits, maxBytes: limits.layerBytes })) {
          signal?.throwIfAborted();
          for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
        }
      } finally {
        await file.close();
      }
      return new Archive(temporary, true, await index(temporary, what, signal));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** Bytes of a file in it; undefined: there is none. */
  size(name: string): number | undefined {
    return this.find(name)?.size;
  }

  /** The content of a file as a stream. Throws when there is none. */
  stream(name: string): AsyncIterable<Buffer> {
    const entry = this.find(name);
    if (!entry) throw refused(`the archive has no ${name}`);
    return entry.size === 0 ? Readable.from([]) : createReadStream(this.file, { start: entry.offset, end: entry.offset + entry.size - 1, highWaterMark: CHUNK });
  }

  /** The content of a file of at most `limit` bytes. */
  async read(name: string, limit: number): Promise<Buffer> {
    const size = this.size(name);
    if (size !== undefined && size > limit) throw refused(`${name} in the archive has ${size} bytes; at most ${limit} are taken`);
    const chunks: Buffer[] = [];
    for await (const chunk of this.stream(name)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async close(): Promise<void> {
    if (this.temporary) await rm(this.file, { force: true });
  }

  private find(name: string): { readonly offset: number; readonly size: number } | undefined {
    let at = posix.normalize(name);
    for (let links = 0; links <= MAX_LINKS; links++) {
      const entry = this.entries.get(at);
      if (!entry || !('link' in entry)) return entry;
      at = entry.link;
    }
    throw refused(`${name} in the archive: its links form a cycle`);
  }
}

/** Whether a file is an uncompressed tar, judged by how tars look. */
async function isPlain(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new ImageError('KUBE_IMAGE_NOT_FOUND', `cannot read archive ${path}: ${fileFailure(error)}`, { cause: error });
  });
  try {
    // A pipe or device cannot be read twice.
    if (!(await file.stat()).isFile()) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
    return bytesRead === 512 && buffer.toString('latin1', 257, 262) === 'ustar';
  } finally {
    await file.close();
  }
}

async function index(path: string, what: string, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, ArchiveEntry>> {
  const entries = new Map<string, ArchiveEntry>();
  const tar = extract();
  const bytes = createReadStream(path, { highWaterMark: CHUNK });
  bytes.on('error', (error) => tar.destroy(error));
  bytes.pipe(tar);
  try {
    for await (const entry of tar) {
      signal?.throwIfAborted();
      const { name, type, size = 0, linkname } = entry.header;
      const key = posix.normalize(name);
      if (entries.size >= MAX_ENTRIES) throw refused(`${what} has more than ${MAX_ENTRIES} entries`);
      if (type === 'file' || type === 'contiguous-file') entries.set(key, { offset: (entry.header as { readonly byteOffset?: number }).byteOffset!, size });
      else if (type === 'symlink') entries.set(key, { link: posix.normalize(posix.join(posix.dirname(key), linkname ?? '')) });
      else if (type === 'link') entries.set(key, { link: posix.normalize(linkname ?? '') });
      for await (const chunk of entry as AsyncIterable<Buffer>) void chunk;
    }
  } catch (error) {
    if (error instanceof ImageError || signal?.aborted || errorCode(error)) throw error;
    throw refused(`${what} is not a proper tar archive: ${errorMessage(error)}`, error);
  } finally {
    bytes.destroy();
  }
  return entries;
}

async function* buffers(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of source) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
