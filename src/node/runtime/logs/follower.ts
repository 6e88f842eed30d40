import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { LogFile } from './log-file.js';

/** What ends a reader who follows. */
export interface FollowUntil {
  /** Aborts when the container has ended: what was printed until then is still read. */
  readonly ended: AbortSignal;
  /** Aborts when the reader gives up. */
  readonly signal: AbortSignal;
}

/**
 * Follows a log file and those that take its place when it is rotated, without a gap: a new file is opened as soon as it appears,
 * however slow the reader is. The kernel tells what changes (inotify); nothing is polled.
 */
export class LogFollower {
  private readonly name: string;
  /** The file that is read, and those that came after it. */
  private readonly files: LogFile[];
  private watcher: FSWatcher | undefined;
  private checking: Promise<void> = Promise.resolve();
  private changes = 0;
  private wake: (() => void) | undefined;

  /** `first` is the file at `path`, already opened; it is closed at the end. */
  constructor(private readonly path: string, first: LogFile, private readonly until: FollowUntil) {
    this.name = basename(path);
    this.files = [first];
  }

  /** Whole lines in blocks, until the container has ended or the reader gives up. */
  async *blocks(): AsyncGenerator<Buffer> {
    const { ended, signal } = this.until;
    const changed = (): void => this.changed();
    try {
      this.watcher = watch(dirname(this.path), (event, file) => {
        if (file !== null && file !== this.name) return;
        if (event === 'rename') this.check();
        this.changed();
      });
      this.watcher.on('error', changed);
      ended.addEventListener('abort', changed);
      signal.addEventListener('abort', changed);
      this.check();
      while (!signal.aborted) {
        // Seen before the file is: whoever has ended prints no more.
        const over = ended.aborted;
        const before = this.changes;
        if (over) this.check();
        if (over || this.files.length === 1) await this.checking;
        const replaced = this.files.length > 1;
        const block = await this.files[0]!.read();
        if (block) yield block;
        else if (replaced) yield* this.next();
        else if (over) {
          const rest = this.files[0]!.takeRest();
          if (rest) yield rest;
          return;
        } else await this.change(before);
      }
    } finally {
      ended.removeEventListener('abort', changed);
      signal.removeEventListener('abort', changed);
      this.watcher?.close();
      await this.checking;
      await Promise.all(this.files.map((file) => file.close()));
    }
  }

  /** The file was replaced before it was read to its end, so that nothing more will be written to it. */
  private *next(): Generator<Buffer> {
    const file = this.files.shift()!;
    const rest = file.takeRest();
    void file.close();
    if (rest) yield rest;
  }

  /** Opens the file at the path when it is another one by now. */
  private check(): void {
    this.checking = this.checking.then(async () => {
      const now = await stat(this.path, { bigint: true }).catch(() => undefined);
      if (!now || this.files.at(-1)?.inode === now.ino) return;
      const file = await LogFile.open(this.path).catch(() => undefined);
      if (!file) return;
      this.files.push(file);
      this.changed();
    });
  }

  private changed(): void {
    this.changes++;
    this.wake?.();
  }

  private async change(since: number): Promise<void> {
    if (this.changes !== since) return;
    await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = undefined;
  }
}
