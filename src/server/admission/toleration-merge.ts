import type { V1Toleration } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';

/** Both lists; tolerations that another one includes are left out. */
export function mergeTolerations(first: readonly V1Toleration[], second: readonly V1Toleration[]): V1Toleration[] {
  const all = [...first, ...second];
  const merged: V1Toleration[] = [];
  all.forEach((toleration, i) => {
    if (merged.some((kept) => includesToleration(kept, toleration))) return;
    if (all.slice(i + 1).some((later) => !deepEqual(later, toleration) && includesToleration(later, toleration))) return;
    merged.push(toleration);
  });
  return merged;
}

/** Whether everything that `narrow` tolerates is tolerated by `wide` too. */
export function includesToleration(wide: V1Toleration, narrow: V1Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  const any = !wide.key && wide.operator === 'Exists';
  if (!any && (wide.key ?? '') !== (narrow.key ?? '')) return false;
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  return (wide.operator || 'Equal') === 'Equal' && narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
}
