import { statfs } from 'node:fs/promises';
import type { Clock } from '../../../base/clock.js';
import type { Holds } from './holds.js';
import type { Layout } from './layout.js';
import type { ImageRecord, NameRecord, Records } from './records.js';
import type { Sweeper } from './sweeper.js';

/** When images are collected; the kubelet's `imageGCHighThresholdPercent`, `imageGCLowThresholdPercent` and `imageMinimumGCAge`. */
export interface CollectOptions {
  /** Use of the disk in percent from which on images are removed. Default 85. */
  readonly highPercent?: number;
  /** Use of the disk in percent that is aimed at. Default 80. */
  readonly lowPercent?: number;
  /** Younger images stay, in milliseconds. Default 2 minutes. */
  readonly minAgeMs?: number;
}

/** An image that was removed. */
export interface RemovedImage {
  readonly id: string;
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** What a collection did. */
export interface CollectResult {
  /** Use of the disk before, in percent, rounded down. */
  readonly usagePercent: number;
  /** Bytes that had to be freed; 0: nothing to do. */
  readonly wantedBytes: number;
  /** Sizes of the removed images; less than wanted when the rest is in use or too young. */
  readonly freedBytes: number;
  readonly removed: readonly RemovedImage[];
}

/** How full the disk of the images is. */
export interface DiskUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/** Removes images that no container uses. */
export class Collector {
  constructor(private readonly layout: Layout, private readonly records: Records, private readonly holds: Holds, private readonly sweeper: Sweeper, private readonly clock: Clock, private readonly usage: (() => Promise<DiskUsage>) | undefined) {}

  /** Removes those that were not used for longest, as long as the disk is too full. */
  async collect({ highPercent = 85, lowPercent = 80, minAgeMs = 120_000 }: CollectOptions = {}): Promise<CollectResult> {
    const { capacityBytes, availableBytes } = await (this.usage ?? (() => this.disk()))();
    const usagePercent = capacityBytes <= 0 ? 0 : 100 - Math.floor((availableBytes * 100) / capacityBytes);
    if (usagePercent < highPercent) return { usagePercent, wantedBytes: 0, freedBytes: 0, removed: [] };
    const wantedBytes = Math.max(0, Math.trunc((capacityBytes * (100 - lowPercent)) / 100) - availableBytes);
    const now = this.clock.now();
    const removed: RemovedImage[] = [];
    let freedBytes = 0;
    for (const { image, names } of await this.unused()) {
      if (freedBytes >= wantedBytes) break;
      if (now - image.addedAt < minAgeMs) continue;
      removed.push(await this.remove(image, names));
      freedBytes += image.sizeBytes;
    }
    await this.sweeper.sweep();
    return { usagePercent, wantedBytes, freedBytes, removed };
  }

  /** Removes every image that no container uses. */
  async prune(): Promise<readonly RemovedImage[]> {
    const removed: RemovedImage[] = [];
    for (const { image, names } of await this.unused()) removed.push(await this.remove(image, names));
    await this.sweeper.sweep();
    return removed;
  }

  /** The least recently used first, then the oldest. */
  private async unused(): Promise<readonly { readonly image: ImageRecord; readonly names: readonly NameRecord[] }[]> {
    const held = new Set((await this.holds.list()).map((hold) => hold.image));
    const { images, namesOf } = await this.records.read(true);
    const free = await Promise.all([...images.values()].filter((image) => !held.has(image.id)).map(async (image) => ({ image, names: namesOf.get(image.id) ?? [], used: await this.records.lastUsed(image) })));
    return free.sort((a, b) => a.used - b.used || a.image.addedAt - b.image.addedAt);
  }

  private async remove(image: ImageRecord, names: readonly NameRecord[]): Promise<RemovedImage> {
    await this.records.remove(image.id);
    return { id: image.id, names: names.map(({ name }) => name), sizeBytes: image.sizeBytes };
  }

  private async disk(): Promise<DiskUsage> {
    const { blocks, bavail, bsize } = await statfs(this.layout.folder);
    return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
  }
}
