import type { Clock } from '../../base/clock.js';
import type { Component } from '../../base/component.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { Rounds } from '../../base/rounds.js';
import type { OpenImageStore } from '../images/index.js';

/** The kubelet's period, in milliseconds. */
const PERIOD = 5 * 60_000;

export interface ImageCollectorOptions {
  readonly images: Pick<OpenImageStore, 'collect'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Bytes of the file system that the images are on. */
  capacity(): Promise<number>;
  /** A warning about the node. */
  warn(reason: 'FreeDiskSpaceFailed' | 'ImageGCFailed', message: string): void;
}

/** Removes images that no container uses while the disk is too full, every five minutes. */
export class ImageCollector implements Component {
  readonly name = 'image garbage collection';
  private readonly rounds: Rounds;
  private failedBefore = false;

  constructor(private readonly options: ImageCollectorOptions) {
    this.rounds = new Rounds(options.clock, async () => {
      await this.collect();
      return PERIOD;
    });
  }

  start(): Promise<void> {
    this.rounds.start();
    return Promise.resolve();
  }

  stop(): Promise<void> {
    void this.rounds.stop();
    return Promise.resolve();
  }

  /** One collection. Failures become events; a first one is logged only, for it may pass. */
  async collect(): Promise<void> {
    const { images, log, warn } = this.options;
    try {
      const { usagePercent, wantedBytes, freedBytes, removed } = await images.collect();
      if (removed.length > 0) log.info('unused images removed', { number: removed.length, bytes: freedBytes });
      if (freedBytes < wantedBytes) {
        const message = `Insufficient free disk space on the node's image filesystem (${usagePercent}% of ${readableBytes(await this.options.capacity())} used). Failed to free sufficient space by deleting unused images (freed ${freedBytes} bytes). `
          + 'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.';
        warn('FreeDiskSpaceFailed', message);
        throw new Error(message);
      }
      this.failedBefore = false;
    } catch (error) {
      log.error('image garbage collection failed', { error: errorMessage(error) });
      if (this.failedBefore) warn('ImageGCFailed', errorMessage(error));
      this.failedBefore = true;
    }
  }
}

/** `12.3 GiB` in upstream's form: one digit after the point. */
export function readableBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return unit === 0 ? `${size} B` : `${size.toFixed(1)} ${units[unit]!}`;
}
