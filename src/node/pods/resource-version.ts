import type { KubeObject } from '../../api/meta/object.js';

/** Whether `a` is a later state than `b`. Versions that are no numbers cannot be compared: then it counts as later. */
export function newer(a: KubeObject, b: KubeObject): boolean {
  const [left, right] = [a.metadata?.resourceVersion ?? '', b.metadata?.resourceVersion ?? ''];
  if (!/^\d+$/.test(left) || !/^\d+$/.test(right)) return true;
  return left.length === right.length ? left > right : left.length > right.length;
}
