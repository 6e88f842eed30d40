/**
 * Costly invariants are checked when `KUBE_VERIFY=1` is set (the tests do). Read once, when the program starts.
 */
export const verifying = process.env['KUBE_VERIFY'] === '1';

/** Freezes plain data all the way down when {@link verifying}; returns it. Parts that are frozen already are taken to be frozen deeply. */
export function freezeWhenVerifying<T>(value: T): T {
  if (verifying) deepFreeze(value);
  return value;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
}
