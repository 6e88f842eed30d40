import type { Clock } from '../../base/clock.js';

interface Expectation {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

/** After this long an expectation is given up: the watch event it waits for got lost. */
const TIMEOUT_MILLISECONDS = 5 * 60_000;

/**
 * What a controller did and has not yet seen in its informer. Until it has, its view is too old to act on: it would
 * create or delete the same again. Keys are those of the work queue.
 */
export class Expectations {
  private readonly entries = new Map<string, Expectation>();

  constructor(private readonly clock: Clock) {}

  /** Before creating `count` objects. */
  expectCreations(key: string, count: number): void {
    this.entries.set(key, { creations: count, deletions: new Set(), since: this.clock.monotonic() });
  }

  /** Before deleting; `objects` are any stable identities of the objects. */
  expectDeletions(key: string, objects: readonly string[]): void {
    this.entries.set(key, { creations: 0, deletions: new Set(objects), since: this.clock.monotonic() });
  }

  /** Before doing both. */
  expect(key: string, creations: number, deletions: readonly string[]): void {
    this.entries.set(key, { creations, deletions: new Set(deletions), since: this.clock.monotonic() });
  }

  /** An object was seen, or could not be created. */
  creationObserved(key: string): void {
    const entry = this.entries.get(key);
    if (entry && entry.creations > 0) entry.creations -= 1;
  }

  /** An object is gone (or on its way), or could not be deleted. */
  deletionObserved(key: string, object: string): void {
    this.entries.get(key)?.deletions.delete(object);
  }

  /** True when everything was seen, nothing was expected, or five minutes have passed. */
  satisfied(key: string): boolean {
    const entry = this.entries.get(key);
    if (!entry) return true;
    return (entry.creations <= 0 && entry.deletions.size === 0) || this.clock.monotonic() - entry.since > TIMEOUT_MILLISECONDS;
  }

  /** When the owner is gone. */
  forget(key: string): void {
    this.entries.delete(key);
  }
}
