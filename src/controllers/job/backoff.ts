import type { V1Pod } from '../../api/generated/types.js';
import { finishedTime } from './finished-time.js';

const INITIAL_MILLISECONDS = 10_000;
const MAXIMUM_MILLISECONDS = 10 * 60_000;

/** Failures of a job's pods in a row. */
export interface BackoffRecord {
  readonly failuresSinceSuccess: number;
  /** Milliseconds since the epoch. */
  readonly lastFailure?: number;
}

/** Continues the record with pods that ended since. Any success starts it anew. */
export function continueBackoff(record: BackoffRecord | undefined, succeeded: readonly V1Pod[], failed: readonly V1Pod[]): BackoffRecord {
  const before = record ?? { failuresSinceSuccess: 0 };
  if (succeeded.length === 0 && failed.length === 0) return before;
  const lastSuccess = succeeded.length > 0 ? Math.max(...succeeded.map(finishedTime)) : undefined;
  const failures = failed.map(finishedTime).filter((at) => lastSuccess === undefined || at > lastSuccess);
  const count = (lastSuccess === undefined ? before.failuresSinceSuccess : 0) + failures.length;
  return failures.length > 0 ? { failuresSinceSuccess: count, lastFailure: Math.max(...failures) } : { failuresSinceSuccess: count };
}

/** Milliseconds until a pod may be created after so many failures in a row: 10 s after the first, doubled with each, up to 10 minutes. */
export function backoffLeft({ failuresSinceSuccess: failures, lastFailure }: BackoffRecord, now: number): number {
  if (failures === 0 || lastFailure === undefined) return 0;
  const wait = Math.min(MAXIMUM_MILLISECONDS, INITIAL_MILLISECONDS * 2 ** (failures - 1));
  return Math.max(0, wait - (now - lastFailure));
}
