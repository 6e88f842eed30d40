import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { CancelTimer, Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';

/** Under load the record is written this often: a write of its own for each batch costs as much as a tenth of the batch. */
const PAUSE_MILLISECONDS = 50;

/**
 * A small file beside the database with the newest acknowledged revision. It is written without fsync after a
 * batch, at once when there was none shortly before: a power cut may leave it behind (harmless), but if it is ahead of the database, acknowledged writes are missing. Without it, damage
 * to the last record of LevelDB's log would look like a write that was torn before anybody was told of it.
 */
export class AcknowledgedFile {
  private wanted = 0;
  private written = 0;
  private writing: Promise<void> | undefined;
  private pause: CancelTimer | undefined;
  private closed = false;

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly clock: Clock,
  ) {}

  static async open(path: string, clock: Clock): Promise<AcknowledgedFile> {
    const file = await open(path, 'a+', 0o600);
    await file.close();
    return new AcknowledgedFile(path, await open(path, 'r+', 0o600), clock);
  }

  /** The recorded revision; 0 when nothing was ever recorded. */
  async read(): Promise<number> {
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(64), 0, 64, 0);
    const text = buffer.toString('latin1', 0, bytesRead);
    // A file that a power cut left empty or full of zeros says nothing.
    if (/^\0*$/.test(text)) return 0;
    const match = /^(\d{16}) ([0-9a-f]{8})\n$/.exec(text);
    if (!match || parseInt(match[2]!, 16) !== crc32(match[1]!)) {
      throw new KubeError('KUBE_STORE_DAMAGED', `${this.path} is damaged: restore the data directory from a copy, or remove this file to accept the database as it is`);
    }
    return Number(match[1]);
  }

  /** Records a revision soon; only the newest one matters. */
  record(revision: number): void {
    this.wanted = revision;
    if (this.pause) return;
    this.writing = this.write();
    this.pause = this.clock.setTimeout(() => void this.resume(), PAUSE_MILLISECONDS, { unref: true });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.pause?.();
    await this.writing;
    if (this.written < this.wanted) await this.write();
    await this.file.close();
  }

  private async resume(): Promise<void> {
    await this.writing;
    if (this.closed) return;
    this.pause = undefined;
    if (this.written < this.wanted) this.record(this.wanted);
  }

  private async write(): Promise<void> {
    const revision = this.wanted;
    const digits = String(revision).padStart(16, '0');
    const text = `${digits} ${crc32(digits).toString(16).padStart(8, '0')}\n`;
    // Losing this record costs only the early notice of damage, so a full disk here stops nobody.
    await this.file.write(text, 0, 'latin1').catch(() => undefined);
    this.written = revision;
  }
}
