import type { CoreV1Event } from '../../api/generated/types.js';
import { StatusError, tooManyRequestsError } from '../../api/status-error.js';
import type { ServerContext } from '../server-context.js';
import type { EventLimit, EventLimitType } from './config/event-rate-limit.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { aggregateDistinct } from '../../api/helpers/aggregate-text.js';
import { TokenBucket } from './token-bucket.js';

/** Buckets kept for each limit unless it says otherwise; the one that was not asked for longest goes first. */
const CACHE_SIZE = 4096;

/** Keeps those who write too many events off. Each limit counts every event, whether another one refuses it or not. */
export class EventRateLimit implements AdmissionPlugin {
  readonly name = 'EventRateLimit';
  private readonly limiters: readonly EventLimiter[];

  constructor(private readonly context: ServerContext) {
    this.limiters = (context.options.admissionConfiguration?.eventRateLimit ?? []).map((limit) => new EventLimiter(limit));
  }

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  validate(a: AdmissionAttributes): void {
    if (a.kind.kind !== 'Event' || a.kind.group !== '' || a.dryRun) return;
    const now = this.context.clock.monotonic();
    const reached = this.limiters.map((limiter) => limiter.accept(a, now)).filter((text) => text !== undefined);
    if (reached.length > 0) throw refused(aggregateDistinct(reached));
  }
}

/** Without details, as upstream has it here. */
function refused(why: string): StatusError {
  const { details: _none, ...status } = tooManyRequestsError(`Too many requests: ${why}`).status;
  return new StatusError(status);
}

class EventLimiter {
  private readonly buckets = new Map<string, TokenBucket>();

  constructor(private readonly limit: EventLimit) {}

  /** Undefined: accepted. */
  accept(a: AdmissionAttributes, now: number): string | undefined {
    const { type, qps, burst, cacheSize } = this.limit;
    const key = KEYS[type](a);
    const bucket = this.buckets.get(key) ?? new TokenBucket(qps, burst, now);
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    if (this.buckets.size > (cacheSize || CACHE_SIZE)) this.buckets.delete(this.buckets.keys().next().value!);
    return bucket.take(now) ? undefined : `limit reached on type ${type} for key ${key}`;
  }
}

/** Under which name a limit counts an event. */
const KEYS: Readonly<Record<EventLimitType, (a: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: (a) => a.namespace,
  User: (a) => a.user.name,
  SourceAndObject: (a) => {
    const { source, involvedObject: about } = a.object as CoreV1Event;
    return [source?.component, source?.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion].map((part) => part ?? '').join('');
  },
};
