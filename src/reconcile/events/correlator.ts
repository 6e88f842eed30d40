import type { CoreV1Event } from '../../api/generated/types.js';
import type { Clock } from '../../base/clock.js';
import { LruMap } from '../lru-map.js';

/** What to do with a new event. */
export type Correlated =
  | { readonly action: 'create'; readonly event: CoreV1Event; readonly key: string }
  /** Seen before under this name: the server's copy gets a new count, time and message. */
  | { readonly action: 'patch'; readonly event: CoreV1Event; readonly key: string }
  /** The source spams about this object. */
  | { readonly action: 'drop' };

interface Observation {
  readonly count: number;
  readonly firstTimestamp: string;
  readonly name: string;
}

interface Bucket {
  tokens: number;
  at: number;
}

interface Aggregate {
  readonly messages: Set<string>;
  last: number;
}

const CACHE_ENTRIES = 4096;
/** Different messages of the same reason within ten minutes, before they are combined into one event. */
const MAX_SIMILAR = 10;
const SIMILAR_MILLISECONDS = 600_000;
const BURST = 25;
const REFILL_MILLISECONDS = 300_000;

/**
 * Counts equal events, combines similar ones and drops what exceeds 25 per source and object plus one each
 * five minutes. The numbers are those of upstream's event correlator.
 */
export class EventCorrelator {
  private readonly observed = new LruMap<Observation>(CACHE_ENTRIES);
  private readonly aggregates = new LruMap<Aggregate>(CACHE_ENTRIES);
  private readonly buckets = new LruMap<Bucket>(CACHE_ENTRIES);

  constructor(private readonly clock: Clock) {}

  correlate(event: CoreV1Event): Correlated {
    const source = `${sourceAndObject(event)}|${event.type ?? ''}`;
    const { event: candidate, key } = this.aggregate(event, `${source}|${event.reason ?? ''}`);
    const last = this.observed.get(key);
    const counted: CoreV1Event = last
      ? { ...candidate, metadata: { ...candidate.metadata, name: last.name }, firstTimestamp: last.firstTimestamp, count: last.count + 1 }
      : candidate;
    this.remember(key, counted);
    if (!this.admit(source)) return { action: 'drop' };
    return { action: last ? 'patch' : 'create', event: counted, key };
  }

  /** Notes what the server has under the key now. */
  remember(key: string, event: CoreV1Event): void {
    this.observed.set(key, { count: event.count ?? 1, firstTimestamp: event.firstTimestamp ?? '', name: event.metadata.name ?? '' });
  }

  private aggregate(event: CoreV1Event, group: string): { event: CoreV1Event; key: string } {
    const now = this.clock.now();
    let similar = this.aggregates.get(group);
    if (!similar || now - similar.last > SIMILAR_MILLISECONDS) similar = { messages: new Set(), last: now };
    similar.messages.add(event.message ?? '');
    similar.last = now;
    this.aggregates.set(group, similar);
    if (similar.messages.size < MAX_SIMILAR) return { event, key: `${group}|${event.involvedObject.fieldPath ?? ''}|${event.message ?? ''}` };
    const first = similar.messages.values().next();
    if (!first.done) similar.messages.delete(first.value);
    // Upstream makes the combined event itself, without these two fields.
    const { reportingComponent: _component, reportingInstance: _instance, ...combined } = event;
    return { event: { ...combined, message: `(combined from similar events): ${event.message ?? ''}` }, key: group };
  }

  private admit(key: string): boolean {
    const now = this.clock.now();
    const bucket = this.buckets.get(key) ?? { tokens: BURST, at: now };
    bucket.tokens = Math.min(BURST, bucket.tokens + (now - bucket.at) / REFILL_MILLISECONDS);
    bucket.at = now;
    this.buckets.set(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

function sourceAndObject({ source, involvedObject: object }: CoreV1Event): string {
  return `${source?.component ?? ''}|${source?.host ?? ''}|${object.apiVersion ?? ''}|${object.kind ?? ''}|${object.namespace ?? ''}|${object.name ?? ''}|${object.uid ?? ''}`;
}
