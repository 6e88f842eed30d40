/**
 * How long to wait before an owner of `pods` pods is looked at again after an event of one of them: a reconcile costs time for each pod, so that those of large
 * owners are gathered (a thousand pods: 50 ms, never more than 200 ms). Small owners are looked at at once.
 */
export function coalesceMilliseconds(pods: number): number {
  return pods < 50 ? 0 : Math.min(200, pods / 20);
}
