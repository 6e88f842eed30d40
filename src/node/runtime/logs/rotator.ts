import { rename, rm, stat } from 'node:fs/promises';
import type { Clock } from '../../../base/clock.js';
import type { Component } from '../../../base/component.js';
import { errorCode, errorMessage } from '../../../base/errors.js';
import { exists } from '../../../base/files.js';
import type { Logger } from '../../../base/log.js';
import { Rounds } from '../../../base/rounds.js';
import { COMPRESSED, compressFile } from './compress.js';
import { rotatedFiles } from './rotated-files.js';

/** The kubelet's `containerLogMonitorInterval`, in milliseconds. */
const PERIOD = 10_000;
/** The kubelet's `containerLogMaxSize`: 10Mi. */
const MAX_SIZE = 10 * 1024 * 1024;
/** The kubelet's `containerLogMaxFiles`. */
const MAX_FILES = 5;

/** A log of a running container. */
export interface RunningLog {
  readonly containerId: string;
  readonly path: string;
}

export interface LogRotatorOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Logs of the containers that run now. */
  running(): Iterable<RunningLog>;
  /** Lets a container's monitor begin a new file at the log's path; resolves once it writes there. */
  reopen(containerId: string): Promise<void>;
  /** A log of so many bytes is rotated; negative: none is. Default 10 MiB. */
  readonly maxSizeBytes?: number;
  /** Files of one container, the present one counted; at least 2. Default 5. */
  readonly maxFiles?: number;
}

/**
 * Rotates the logs of running containers as the kubelet does: the present file moves to `<log>.<timestamp>`, older ones are
 * compressed, the oldest is removed. An interrupted rotation is tidied up by the next one.
 */
export interface LogRotator extends Component {
  /** One look at all logs; also done every 10 seconds while it runs. Failures are logged. */
  rotateAll(): Promise<void>;
}

/** Makes a rotator that does not run yet. */
export function createLogRotator(options: LogRotatorOptions): LogRotator {
  return new Rotator(options);
}

class Rotator implements LogRotator {
  readonly name = 'log rotator';
  private readonly maxSize: number;
  private readonly maxFiles: number;
  private readonly rounds: Rounds;
  private round: Promise<void> | undefined;

  constructor(private readonly options: LogRotatorOptions) {
    this.maxSize = options.maxSizeBytes ?? MAX_SIZE;
    this.maxFiles = options.maxFiles ?? MAX_FILES;
    if (this.maxFiles < 2) throw new TypeError(`maxFiles is ${this.maxFiles}; it must be at least 2`);
    this.rounds = new Rounds(options.clock, async () => {
      await this.rotateAll();
      return PERIOD;
    });
  }

  start(): Promise<void> {
    if (this.maxSize >= 0) this.rounds.start(PERIOD);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.rounds.stop();
    await this.round;
  }

  rotateAll(): Promise<void> {
    return (this.round ??= this.rotateEach().finally(() => (this.round = undefined)));
  }

  private async rotateEach(): Promise<void> {
    for (const { containerId, path } of [...this.options.running()]) {
      try {
        if ((await this.size(containerId, path)) >= this.maxSize) await this.rotate(containerId, path);
      } catch (error) {
        this.options.log.error('log of a container cannot be rotated', { container: containerId, path, error: errorMessage(error) });
      }
    }
  }

  private async size(containerId: string, path: string): Promise<number> {
    try {
      return (await stat(path)).size;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // A rotation ended between its two steps.
      await this.options.reopen(containerId);
      return (await stat(path)).size;
    }
  }

  private async rotate(containerId: string, path: string): Promise<void> {
    const { inUse, unused } = await rotatedFiles(path);
    for (const file of unused) await rm(file, { force: true });
    // The file that is moved now and the new one are two more.
    const surplus = inUse.slice(0, Math.max(0, inUse.length - (this.maxFiles - 2)));
    for (const file of surplus) await rm(file, { force: true });
    for (const file of inUse.slice(surplus.length)) if (!file.endsWith(COMPRESSED)) await compressFile(file);
    const target = this.target(path, inUse.at(-1)?.replace(COMPRESSED, '') ?? '');
    await rename(path, target);
    try {
      await this.options.reopen(containerId);
    } catch (error) {
      if (!(await exists(path))) await rename(target, path);
      throw error;
    }
  }

  /** A name that sorts after all others: the second rotation within a second takes the next one's. */
  private target(path: string, newest: string): string {
    for (let at = this.options.clock.now(); ; at += 1000) {
      const target = `${path}.${new Date(at).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)}`;
      if (target > newest) return target;
    }
  }
}
