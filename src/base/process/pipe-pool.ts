import { spawn } from 'node:child_process';
import { close, constants, fstat as fstatCallback, open as openCallback } from 'node:fs';
import { promisify } from 'node:util';
import { KubeError } from '../errors.js';
import { COMMAND_FAILED } from './commands.js';

const open = promisify(openCallback);
const fstat = promisify(fstatCallback);
/** Descriptors of the shell that holds new pipes: those with one digit, for two programs. */
const BATCH = [3, 4, 5, 6, 7, 8];
/** A shell keeps short here-documents in pipes. It tells when it has them, and waits until they were opened. */
const SCRIPT = `exec ${BATCH.map((fd) => `${fd}<<E`).join(' ')}\n${'E\n'.repeat(BATCH.length)}echo\nread done`;

/** A pipe. Both ends belong to the caller. */
export interface Pipe {
  /** File descriptor of the end to read from. */
  readonly read: number;
  readonly write: number;
}

/**
 * Pipes, which Node itself cannot make: a shell makes a few at a time, and they are opened through `/proc` before it ends. Named ones
 * would be no substitute: a program that opens `/dev/stdin` anew would wait for a writer who has already gone. What is kept is open at
 * both ends, and an end of its own is opened when it is taken.
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
    const shell = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'pipe', 'ignore'] });
    shell.stdin.on('error', () => undefined);
    await new Promise<void>((resolve, reject) => {
      shell.stdout.once('data', () => resolve());
      shell.once('error', (error) => reject(new KubeError(COMMAND_FAILED, `cannot run sh: ${error.message}`, { cause: error })));
      shell.once('close', (code) => reject(new KubeError(COMMAND_FAILED, `sh made no pipes (exit code ${code})`)));
    });
    try {
      for (const held of BATCH) {
        const fd = await open(`/proc/${shell.pid}/fd/${held}`, constants.O_RDWR | constants.O_NONBLOCK);
        this.kept.push(fd);
        if (!(await fstat(fd)).isFIFO()) throw new KubeError(COMMAND_FAILED, 'sh keeps here-documents in files, not in pipes');
      }
    } catch (error) {
      this.close();
      throw error;
    } finally {
      shell.stdin.end();
    }
  }
}

/** Closes a descriptor that may be closed already. */
export function closeQuietly(fd: number): void {
  close(fd, () => undefined);
}
