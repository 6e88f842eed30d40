import type { CancelTimer, Clock } from '../../base/clock.js';
import type { CacheEntry } from './cache-entry.js';
import type { ResourceCache } from './resource-cache.js';

/** Objects that change sooner than this after a write are not worth it (milliseconds). */
const SETTLED_MILLISECONDS = 300;
/** Between two turns, and what one may take (milliseconds): at most a sixth of the time goes into this. */
const PAUSE_MILLISECONDS = 10;
const TURN_MILLISECONDS = 2;
/** More objects than this do not wait: the first of them are encoded when somebody asks. */
const MAX_WAITING = 20_000;

interface Waiting {
  readonly entry: CacheEntry;
  readonly since: number;
}

/** Encodes the objects of a resource a little after they were written, a few at a time, so that the first client who lists them need not wait for it. */
export class AheadEncoder {
  private readonly waiting = new Map<string, Waiting>();
  private cancel: CancelTimer | undefined;

  /** `encode` makes the encoded form of an entry, and keeps it. */
  constructor(
    private readonly clock: Clock,
    private readonly encode: (entry: CacheEntry) => void,
  ) {}

  /** Follows the changes of a cache; returns what ends that. */
  follow(cache: ResourceCache): () => void {
    const end = cache.onChange(({ entry, deleted }) => {
      this.waiting.delete(entry.key);
      if (deleted) return;
      const [first] = this.waiting.size >= MAX_WAITING ? this.waiting.keys() : [];
      if (first !== undefined) this.waiting.delete(first);
      this.waiting.set(entry.key, { entry, since: this.clock.monotonic() });
      this.arm(SETTLED_MILLISECONDS);
    });
    return () => {
      end();
      this.waiting.clear();
      this.cancel?.();
    };
  }

  private arm(milliseconds: number): void {
    this.cancel ??= this.clock.setTimeout(() => this.turn(), milliseconds, { unref: true });
  }

  private turn(): void {
    this.cancel = undefined;
    const begin = this.clock.monotonic();
    for (const [key, { entry, since }] of this.waiting) {
      const now = this.clock.monotonic();
      if (now - since < SETTLED_MILLISECONDS) return this.arm(SETTLED_MILLISECONDS - (now - since));
      if (now - begin >= TURN_MILLISECONDS) return this.arm(PAUSE_MILLISECONDS);
      this.waiting.delete(key);
      this.encode(entry);
    }
  }
}
