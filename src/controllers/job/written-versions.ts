/** The last versions that a controller wrote, by key: while the informer is behind them it must not be acted upon. */
export class WrittenVersions {
  private readonly versions = new Map<string, string>();

  wrote(key: string, resourceVersion: string | undefined): void {
    if (resourceVersion) this.versions.set(key, resourceVersion);
  }

  /** True when the informer's version of the object is older than what was written; an event for the newer one is still to come. */
  isBehind(key: string, shown: string | undefined): boolean {
    const written = this.versions.get(key);
    if (written === undefined) return false;
    if (shown && compareVersions(shown, written) < 0) return true;
    this.versions.delete(key);
    return false;
  }

  forget(key: string): void {
    this.versions.delete(key);
  }
}

/** Resource versions are decimal numbers of any size. */
function compareVersions(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
