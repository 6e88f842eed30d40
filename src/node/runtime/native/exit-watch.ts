import { watch, type FSWatcher } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../base/errors.js';

/** The end of a container, as its monitor wrote it down. */
export interface ExitNotice {
  readonly id: string;
  readonly exitCode: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A monitor writes under another name first. */
const NAME = /^[0-9a-f]{64}$/;

/** Tells of exit files as they appear in a folder; nobody polls. */
export class ExitWatch {
  private watcher: FSWatcher | undefined;

  constructor(
    private readonly folder: string,
    private readonly listener: (notice: ExitNotice) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Watches from now on, and tells of the files that are there already. */
  async start(): Promise<void> {
    this.watcher = watch(this.folder, (_event, name) => {
      if (name !== null && NAME.test(name)) this.tell(name);
    });
    this.watcher.on('error', this.failed);
    for (const name of await readdir(this.folder)) if (NAME.test(name)) this.tell(name);
  }

  stop(): void {
    this.watcher?.close();
    this.watcher = undefined;
  }

  /** The exit of a container; undefined while it has none. */
  async read(id: string): Promise<ExitNotice | undefined> {
    const path = join(this.folder, id);
    try {
      const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
      return { id, exitCode: Number.parseInt(text, 10) || 0, at: Math.floor(mtimeMs) };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Forgets an exit that was written into the container's record. */
  async forget(id: string): Promise<void> {
    await rm(join(this.folder, id), { force: true });
  }

  private tell(id: string): void {
    this.read(id).then((notice) => {
      if (notice && this.watcher) this.listener(notice);
    }, this.failed);
  }
}
