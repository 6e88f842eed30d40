import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';
import type { Random } from '../../../base/random.js';
import { AddressPool } from './address-pool.js';
import { DEFAULT_LATENCIES, type SimLatencies } from './behaviour.js';

/** Settings of simulated runtimes. */
export interface SimOptions {
  readonly latencies?: Partial<SimLatencies>;
  /** Addresses of pods on nodes that have no pod CIDR; default 10.64.0.0/11. */
  readonly fallbackPodCidr?: string;
}

/** What the simulated runtimes of all nodes of one agent share. */
export class SimWorld {
  readonly latencies: SimLatencies;
  readonly fallbackPool: AddressPool;
  private readonly references = new Map<string, string>();

  constructor(
    readonly clock: Clock,
    readonly random: Random,
    options: SimOptions = {},
  ) {
    this.latencies = { ...DEFAULT_LATENCIES, ...options.latencies };
    this.fallbackPool = new AddressPool(options.fallbackPodCidr ?? '10.64.0.0/11');
  }

  /** A new sandbox or container id. */
  id(): string {
    return this.random.bytes(32).toString('hex');
  }

  /** The reference with a digest that pulling `image` gives: always the same one. */
  imageReference(image: string): string {
    let reference = this.references.get(image);
    if (reference === undefined) {
      const at = image.indexOf('@');
      const digest = at >= 0 ? image.slice(at + 1) : `sha256:${createHash('sha256').update(image).digest('hex')}`;
      reference = `${repositoryOf(at >= 0 ? image.slice(0, at) : image)}@${digest}`;
      this.references.set(image, reference);
    }
    return reference;
  }
}

/** `docker.io/library/nginx` of `nginx:1.25`. */
function repositoryOf(image: string): string {
  const colon = image.lastIndexOf(':');
  const name = colon > image.lastIndexOf('/') ? image.slice(0, colon) : image;
  const slash = name.indexOf('/');
  if (slash < 0) return `docker.io/library/${name}`;
  const host = name.slice(0, slash);
  return host.includes('.') || host.includes(':') || host === 'localhost' ? name : `docker.io/${name}`;
}
