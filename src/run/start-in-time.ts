import type { Clock } from '../base/clock.js';
import { KubeError } from '../base/errors.js';

/** Waits until `started` settles, as it does; throws `KUBE_NOT_STARTED` with what `why` says when that takes longer. `started` goes on then: stop what it starts. */
export async function startInTime(started: Promise<void>, timeoutMilliseconds: number, clock: Clock, why: () => Promise<string>): Promise<void> {
  let cancel: () => void = () => undefined;
  const late = new Promise<'late'>((resolve) => {
    cancel = clock.setTimeout(() => resolve('late'), timeoutMilliseconds);
  });
  try {
    if ((await Promise.race([started, late])) !== 'late') return;
  } finally {
    cancel();
  }
  started.catch(() => undefined);
  throw new KubeError('KUBE_NOT_STARTED', `the cluster has not started within ${timeoutMilliseconds / 1000} s: ${await why()}`);
}

/** For a message: the server is not ready, and why. */
export function describeFailingChecks(checks: readonly { readonly name: string; readonly reason: string }[]): string {
  return `the server is not ready; health checks that fail: ${checks.map(({ name, reason }) => `${name} (${reason})`).join(', ')}`;
}
