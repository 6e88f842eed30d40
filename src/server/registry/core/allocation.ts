import type { Compare, WriteOperation } from '../../../storage/index.js';
import type { CommitExtras } from '../hooks.js';

/** Values that writes under way in this server have taken but the view does not show yet. One instance per server. */
export class PendingValues {
  private readonly values = new Set<string>();

  has(value: string): boolean {
    return this.values.has(value);
  }

  add(value: string): void {
    this.values.add(value);
  }

  delete(value: string): void {
    this.values.delete(value);
  }
}

/** What one write takes and gives back, collected for its transaction. */
export class Claims {
  private readonly compare: Compare[] = [];
  private readonly writes: WriteOperation[] = [];
  private readonly taken: { readonly pending: PendingValues; readonly value: string }[] = [];

  /** Takes a value: `key` must not exist and is written. */
  take(pending: PendingValues, value: string, key: string, content: Buffer): void {
    pending.add(value);
    this.taken.push({ pending, value });
    this.compare.push({ key, modRevision: 0 });
    this.writes.push({ type: 'put', key, value: content });
  }

  /** Gives a value back with the transaction. */
  release(key: string): void {
    this.writes.push({ type: 'delete', key });
  }

  /** Forgets what was taken; for failures before the transaction. */
  abandon(): void {
    for (const { pending, value } of this.taken.splice(0)) pending.delete(value);
  }

  extras(): CommitExtras {
    if (this.writes.length === 0) return {};
    return {
      ...(this.compare.length > 0 ? { compare: this.compare } : {}),
      writes: this.writes,
      retryOnConflict: true,
      done: () => this.abandon(),
    };
  }
}
