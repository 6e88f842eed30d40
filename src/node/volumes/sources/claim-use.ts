/** Which pods of this node use which persistent volume: the first one sets its group. */
export class ClaimUse {
  private readonly users = new Map<string, Set<string>>();

  /** True when no other pod uses it. */
  isFirst(volume: string, podUid: string): boolean {
    for (const user of this.users.get(volume) ?? []) if (user !== podUid) return false;
    return true;
  }

  use(volume: string, podUid: string): void {
    const users = this.users.get(volume) ?? new Set();
    this.users.set(volume, users.add(podUid));
  }

  /** The pod uses none any more. */
  release(podUid: string): void {
    for (const [volume, users] of this.users) if (users.delete(podUid) && users.size === 0) this.users.delete(volume);
  }
}
