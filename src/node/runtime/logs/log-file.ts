import { open, type FileHandle } from 'node:fs/promises';
import { KubeError, errorMessage } from '../../../base/errors.js';

const BLOCK = 64 * 1024;
/** No line is longer: the monitor cuts them at 8 KiB. Where one is, it is taken in pieces. */
const LONGEST_LINE = 1024 * 1024;
const NEWLINE = 0x0a;

/** A log file that is read from its beginning or from a point near its end. */
export class LogFile {
  private rest: Buffer = Buffer.alloc(0);

  private constructor(private readonly handle: FileHandle, readonly inode: bigint, private position: number) {}

  /** Opens a file. Throws `KUBE_LOG` when it cannot be read. */
  static async open(path: string): Promise<LogFile> {
    try {
      const handle = await open(path, 'r');
      return new LogFile(handle, (await handle.stat({ bigint: true })).ino, 0);
    } catch (error) {
      throw new KubeError('KUBE_LOG', `failed to open log file ${JSON.stringify(path)}: ${errorMessage(error)}`, { cause: error });
    }
  }

  /** Goes to the beginning of the last `lines` lines; what follows the last end of line is not counted. Reads only the end of the file. */
  async seekTail(lines: number): Promise<void> {
    let start = (await this.handle.stat()).size;
    let missing = lines + 1;
    this.position = 0;
    while (start > 0) {
      const from = Math.max(0, start - BLOCK);
      const block = await this.readAt(from, start - from);
      for (let at = block.lastIndexOf(NEWLINE); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)) {
        if (--missing > 0) continue;
        this.position = from + at + 1;
        return;
      }
      start = from;
    }
  }

  /** Goes to the end. */
  async seekEnd(): Promise<void> {
    this.position = (await this.handle.stat()).size;
  }

  /** The next lines, whole; undefined at the end of the file, for now. */
  async read(): Promise<Buffer | undefined> {
    for (;;) {
      const block = await this.readAt(this.position, BLOCK);
      if (block.length === 0) return undefined;
      this.position += block.length;
      const bytes = this.rest.length === 0 ? block : Buffer.concat([this.rest, block]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      if (end === 0 && bytes.length < LONGEST_LINE) {
        this.rest = bytes;
        continue;
      }
      this.rest = end === 0 ? Buffer.alloc(0) : bytes.subarray(end);
      return end === 0 ? bytes : bytes.subarray(0, end);
    }
  }

  /** What follows the last end of line; it is taken away. */
  takeRest(): Buffer | undefined {
    const { rest } = this;
    this.rest = Buffer.alloc(0);
    return rest.length > 0 ? rest : undefined;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  private async readAt(position: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.handle.read(Buffer.allocUnsafe(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  }
}

/** Cuts bytes after each end of line. */
export function* splitLines(block: Buffer): Generator<Buffer> {
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(NEWLINE, at);
    const next = end < 0 ? block.length : end + 1;
    yield block.subarray(at, next);
    at = next;
  }
}
