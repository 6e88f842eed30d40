/** Outcome of a slow start. */
export interface SlowStartResult {
  readonly successes: number;
  /** The first failure; no batch was begun after it. */
  readonly error?: unknown;
}

/**
 * Calls `action` for 0 to `count - 1` in batches of 1, 2, 4 …, each batch at the same time, and stops after a
 * batch with a failure: a quota that refuses everything costs one request, not five hundred.
 */
export async function slowStart(count: number, action: (index: number) => Promise<void>): Promise<SlowStartResult> {
  let successes = 0;
  for (let from = 0, size = 1; from < count; from += size, size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - from) }, (_, i) => action(from + i));
    const results = await Promise.allSettled(batch);
    const failures = results.filter((result) => result.status === 'rejected');
    successes += results.length - failures.length;
    if (failures[0]) return { successes, error: failures[0].reason };
  }
  return { successes };
}
