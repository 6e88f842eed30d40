import { KubeError } from './errors.js';

/** Resolves when `signal` aborts; at once when it has already. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Throws `KUBE_INTERRUPTED` when `signal` has aborted. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new KubeError('KUBE_INTERRUPTED', 'interrupted');
}
