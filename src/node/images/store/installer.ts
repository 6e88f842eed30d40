import type { Clock } from '../../../base/clock.js';
import type { Failpoints } from '../../../base/failpoint.js';
import { hexOf, sha256 } from '../digest.js';
import { ImageError } from '../image-error.js';
import type { ConfigDocument } from '../oci.js';
import type { Layers } from './layers.js';
import type { Leases } from './leases.js';
import { limiter, type Limiter } from './limiter.js';
import type { NameRecord, Records } from './records.js';

/** Blobs of one image that are fetched at the same time; containerd's default. */
const PARALLEL = 3;

/** A prune by another process may take a layer away at the very moment when it is found to be there. */
const ATTEMPTS = 3;

/** Where the bytes of a layer come from. */
export interface LayerSource {
  readonly diffId: string;
  /** Makes the bytes ready; several layers do so at the same time. `close` is called in any case. */
  fetch(signal: AbortSignal): Promise<{ open(): AsyncIterable<Buffer>; close(): Promise<void> }>;
  /** Told when there is nothing to fetch, and when unpacking begins. */
  state(state: 'present' | 'unpacking' | 'done'): void;
}

/** An image about to be added. */
export interface InstallPlan {
  /** Digest of its configuration. */
  readonly id: string;
  readonly config: ConfigDocument;
  /** The lowest first. */
  readonly layers: readonly LayerSource[];
  readonly sizeBytes: number;
  readonly names: readonly NameRecord[];
}

/** Adds images: fetches and unpacks the layers that are missing, then writes the image's record, so that an image is complete once it is seen. */
export class Installer {
  constructor(private readonly layers: Layers, private readonly leases: Leases, private readonly records: Records, private readonly clock: Clock, private readonly failpoints: Failpoints) {}

  async install(plan: InstallPlan, signal: AbortSignal): Promise<void> {
    const chains = chainIds(plan.config.diffIds);
    const release = await this.leases.take(chains);
    try {
      for (let attempt = 1; ; attempt++) {
        await this.unpackAll(plan, chains, signal);
        await this.failpoints.hit('image-layers-present');
        const known = (await this.records.read()).images.get(plan.id);
        await this.records.add({
          id: plan.id, chains, config: plan.config.config, platform: plan.config.platform, created: plan.config.created, sizeBytes: plan.sizeBytes, addedAt: known?.addedAt ?? this.clock.now(),
        }, plan.names);
        await this.records.touch(plan.id);
        const whole = (await Promise.all(chains.map((chain) => this.layers.present(chain)))).every(Boolean);
        if (whole && (await this.records.read(true)).images.has(plan.id)) break;
        if (attempt >= ATTEMPTS) throw new ImageError('KUBE_IMAGE_STORE', `image ${hexOf(plan.id).slice(0, 12)} is removed again and again while it is added`);
      }
      this.layers.syncSoon(chains);
    } finally {
      await release();
    }
  }

  private async unpackAll(plan: InstallPlan, chains: readonly string[], signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const all = AbortSignal.any([signal, stop.signal]);
    const fetching = limiter(PARALLEL);
    const tasks: Promise<void>[] = [];
    let failure: { readonly error: unknown } | undefined;
    plan.layers.forEach((layer, i) => {
      const below = tasks[i - 1] ?? Promise.resolve();
      tasks.push(this.layers.once(chains[i]!, () => this.unpackOne(layer, chains, i, below, fetching, all)).catch((error: unknown) => {
        failure ??= { error };
        stop.abort();
        throw error;
      }));
    });
    await Promise.allSettled(tasks);
    signal.throwIfAborted();
    if (failure) throw failure.error;
  }

  private async unpackOne(layer: LayerSource, chains: readonly string[], i: number, below: Promise<void>, fetching: Limiter, signal: AbortSignal): Promise<void> {
    // Its failure is told to everybody by the one who waits for all.
    below.catch(() => undefined);
    if (await this.layers.present(chains[i]!)) {
      layer.state('present');
      return;
    }
    const fetched = await fetching(() => {
      signal.throwIfAborted();
      return layer.fetch(signal);
    });
    try {
      await below;
      signal.throwIfAborted();
      layer.state('unpacking');
      await this.layers.unpack(chains[i]!, layer.diffId, chains.slice(0, i), fetched.open(), signal);
      layer.state('done');
    } finally {
      await fetched.close();
    }
  }
}

/** Chain ids of layers, the lowest first (OCI image specification, "Layer ChainID"). */
export function chainIds(diffIds: readonly string[]): readonly string[] {
  const chains: string[] = [];
  for (const diffId of diffIds) chains.push(chains.length === 0 ? diffId : sha256(`${chains.at(-1)} ${diffId}`));
  return chains;
}
