/**
 * Pods, by the key of their job, that lost their finalizer while the informer still shows it: they must not be counted a second time.
 */
export class FinalizerExpectations {
  private readonly entries = new Map<string, Set<string>>();

  /** Before the finalizers are taken off. */
  expect(key: string, uids: readonly string[]): void {
    const entry = this.entries.get(key) ?? new Set();
    for (const uid of uids) entry.add(uid);
    if (entry.size > 0) this.entries.set(key, entry);
  }

  /** The removal was seen, or failed. */
  observed(key: string, uid: string): void {
    const entry = this.entries.get(key);
    if (entry?.delete(uid) && entry.size === 0) this.entries.delete(key);
  }

  /** A copy of what is expected now. */
  of(key: string): ReadonlySet<string> {
    return new Set(this.entries.get(key));
  }

  forget(key: string): void {
    this.entries.delete(key);
  }
}
