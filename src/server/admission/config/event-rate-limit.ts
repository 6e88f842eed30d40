import { invalid, notSupported } from '../../../api/meta/field-error.js';
import type { ConfigReader } from './reader.js';

const TYPES = ['Namespace', 'Server', 'SourceAndObject', 'User'] as const;
export type EventLimitType = (typeof TYPES)[number];

/** One limit of `EventRateLimit`: the events that it counts together are at most `qps` per second, with bursts. */
export interface EventLimit {
  readonly type: EventLimitType;
  readonly qps: number;
  readonly burst: number;
  /** Buckets kept; 0: the default of 4096. */
  readonly cacheSize: number;
}

/** Reads `Configuration` of `eventratelimit.admission.k8s.io/v1alpha1`. */
export function readEventRateLimit(reader: ConfigReader): EventLimit[] {
  reader.requireType('Configuration', ['eventratelimit.admission.k8s.io/v1alpha1']);
  const limits = reader.objects('limits').map(readLimit);
  if (limits.length === 0) reader.errors.push(invalid(reader.at('limits'), [], 'must not be empty'));
  reader.refuseOthers();
  return limits;
}

function readLimit(reader: ConfigReader): EventLimit {
  const { errors } = reader;
  const type = reader.string('type') ?? '';
  const [qps, burst, cacheSize] = [reader.integer('qps') ?? 0, reader.integer('burst') ?? 0, reader.integer('cacheSize') ?? 0];
  if (!(TYPES as readonly string[]).includes(type)) errors.push(notSupported(reader.at('type'), type, TYPES));
  if (burst <= 0) errors.push(invalid(reader.at('burst'), burst, 'must be positive'));
  if (qps <= 0) errors.push(invalid(reader.at('qps'), qps, 'must be positive'));
  if (type !== 'Server' && cacheSize < 0) errors.push(invalid(reader.at('cacheSize'), cacheSize, 'must not be negative'));
  reader.refuseOthers();
  return { type: type as EventLimitType, qps, burst, cacheSize };
}
