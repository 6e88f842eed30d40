import type { V1EndpointSlice } from '../../api/generated/types.js';
import type { Clock } from '../../base/clock.js';

interface Expectation {
  /** Generation that was written; undefined: removed. */
  readonly generation: number | undefined;
  readonly at: number;
}

/** A write that has not shown up after so long never will. */
const GIVE_UP_MILLISECONDS = 5000;

/** What was written of each service's slices, to tell whether the informer's copies are older than that. */
export class ExpectedSlices {
  private readonly services = new Map<string, Map<string, Expectation>>();

  constructor(private readonly clock: Clock) {}

  /** `generation` undefined: the slice was removed. */
  wrote(key: string, name: string, generation: number | undefined): void {
    const slices = this.services.get(key) ?? new Map<string, Expectation>();
    slices.set(name, { generation, at: this.clock.monotonic() });
    this.services.set(key, slices);
  }

  /** Whether something that was written is missing in the copies. What has shown up is forgotten. */
  stale(key: string, copies: readonly V1EndpointSlice[]): boolean {
    const slices = this.services.get(key);
    if (!slices) return false;
    const generations = new Map(copies.map(({ metadata }) => [metadata?.name ?? '', metadata?.generation ?? 0]));
    for (const [name, { generation, at }] of slices) {
      const seen = generations.get(name);
      const arrived = generation === undefined ? seen === undefined : seen !== undefined && seen >= generation;
      if (arrived || this.clock.monotonic() - at > GIVE_UP_MILLISECONDS) slices.delete(name);
    }
    if (slices.size === 0) this.services.delete(key);
    return slices.size > 0;
  }

  /** A slice of the service is gone. */
  removed(key: string, name: string): void {
    this.services.get(key)?.delete(name);
  }

  /** The service is gone. */
  forget(key: string): void {
    this.services.delete(key);
  }
}
