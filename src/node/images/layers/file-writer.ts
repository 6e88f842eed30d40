import { lchown, link, lutimes, open, symlink } from 'node:fs/promises';
import type { Attributes } from './layer-tree.js';

/** Files being written at the same time. */
const WIDTH = 8;

/** Bytes of files that wait to be written. */
const WAITING_BYTES = 16 * 1024 ** 2;

/**
 * Writes small files of a layer several at a time, since each costs half a dozen trips to the thread pool. An error of one is thrown
 * by the next call.
 */
export class FileWriter {
  private readonly running = new Set<Promise<void>>();
  private waitingBytes = 0;
  private failure: { readonly error: unknown } | undefined;

  /** A file whose content is all there. */
  async write(path: string, content: readonly Buffer[], bytes: number, attributes: Attributes): Promise<void> {
    while (this.running.size >= WIDTH || (this.waitingBytes > 0 && this.waitingBytes + bytes > WAITING_BYTES)) await Promise.race(this.running);
    this.check();
    this.waitingBytes += bytes;
    const job: Promise<void> = writeFile(path, content, attributes).catch((error: unknown) => {
      this.failure ??= { error };
    }).finally(() => {
      this.running.delete(job);
      this.waitingBytes -= bytes;
    });
    this.running.add(job);
  }

  /** Waits for all of them. */
  async drain(): Promise<void> {
    await Promise.all(this.running);
    this.check();
  }

  /** Waits for all of them, whether they failed or not. */
  async settle(): Promise<void> {
    await Promise.all(this.running);
  }

  private check(): void {
    if (this.failure) throw this.failure.error;
  }
}

/** Writes a new file; what is at `path` already, also a link, is an error. */
export async function writeFile(path: string, content: Iterable<Buffer> | AsyncIterable<Buffer>, attributes: Attributes): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const bytes of content) {
      for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
    }
    // Before the mode: a change of the owner takes set-user-ID bits away.
    if (!isOurs(attributes)) await file.chown(attributes.uid, attributes.gid);
    await file.chmod(attributes.mode);
    await file.utimes(attributes.mtime, attributes.mtime);
  } finally {
    await file.close();
  }
}

/** Makes a symbolic link. */
export async function writeSymlink(path: string, target: string, attributes: Attributes): Promise<void> {
  await symlink(target, path);
  if (!isOurs(attributes)) await lchown(path, attributes.uid, attributes.gid);
  await lutimes(path, attributes.mtime, attributes.mtime);
}

/** Makes a hard link; a symbolic link at `from` is not followed. */
export function writeHardLink(from: string, path: string): Promise<void> {
  return link(from, path);
}

/** Whether new files have this owner by themselves. */
export function isOurs({ uid, gid }: Attributes): boolean {
  return uid === process.geteuid?.() && gid === process.getegid?.();
}
