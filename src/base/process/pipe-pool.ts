import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { close, open as openCallback } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KubeError } from '../errors.js';
import { COMMAND_FAILED } from './commands.js';

const open = promisify(openCallback);
/** So many are made at once, for four programs. */
const BATCH = 12;

/** A pipe. Both ends belong to the caller. */
export interface Pipe {
  /** File descriptor of the end to read from. */
  readonly read: number;
  readonly write: number;
}

/**
 * Pipes, which Node itself cannot make: named ones are made a dozen at a time, opened, and removed from the file system at once.
 * What is kept is open at both ends, and an end of its own is opened through `/proc` when it is taken.
 */
export class PipePool {
  private kept: number[] = [];
  private making: Promise<void> | undefined;

  /** A pipe; the end for this process (`ours`) does not block. Rejects with `KUBE_COMMAND` when none can be made. */
  async take(ours: 'read' | 'write'): Promise<Pipe> {
    while (this.kept.length === 0) await (this.making ??= this.make().finally(() => (this.making = undefined)));
    const fd = this.kept.pop()!;
    const path = `/proc/self/fd/${fd}`;
    try {
      const read = await open(path, constants.O_RDONLY | (ours === 'read' ? constants.O_NONBLOCK : 0));
      const write = await open(path, constants.O_WRONLY | (ours === 'write' ? constants.O_NONBLOCK : 0));
      return { read, write };
    } finally {
      closeQuietly(fd);
    }
  }

  /** Closes those that nobody took. */
  close(): void {
    for (const fd of this.kept.splice(0)) closeQuietly(fd);
  }

  private async make(): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'kube-pipes-'));
    try {
      const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
      await new Promise<void>((resolve, reject) => {
        const child = spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
        child.once('error', (error) => reject(new KubeError(COMMAND_FAILED, `cannot run mkfifo: ${error.message}`, { cause: error })));
        child.once('close', (code) => (code === 0 ? resolve() : reject(new KubeError(COMMAND_FAILED, `mkfifo failed in ${folder} (exit code ${code})`))));
      });
      for (const path of paths) this.kept.push(await open(path, constants.O_RDWR | constants.O_NONBLOCK));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Closes a descriptor that may be closed already. */
export function closeQuietly(fd: number): void {
  close(fd, () => undefined);
}
