import type { V1Taint, V1Toleration } from '../generated/types.js';

/** True when the toleration covers the taint. */
export function toleratesTaint(toleration: V1Toleration, taint: V1Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '');
    case 'Exists':
      return true;
    default:
      return false;
  }
}

/** True when one of the tolerations covers the taint. */
export function toleratesTaintAny(tolerations: readonly V1Toleration[] | undefined, taint: V1Taint): boolean {
  if (tolerations === undefined) return false;
  for (const toleration of tolerations) if (toleratesTaint(toleration, taint)) return true;
  return false;
}

/** The first taint with one of `effects` that nothing tolerates. */
export function untoleratedTaint(
  taints: readonly V1Taint[] | undefined,
  tolerations: readonly V1Toleration[] | undefined,
  effects: readonly string[],
): V1Taint | undefined {
  for (const taint of taints ?? []) if (effects.includes(taint.effect) && !toleratesTaintAny(tolerations, taint)) return taint;
  return undefined;
}
