import type { Compare, WriteOperation } from '../store.js';

interface ModelEntry {
  readonly key: string;
  readonly value: string;
  readonly createRevision: number;
  readonly modRevision: number;
}

/** The contract in its plainest form: what every store is compared with. */
export class ModelStore {
  revision = 0;
  readonly events: string[] = [];
  private readonly entries = new Map<string, ModelEntry>();

  transact(compare: readonly Compare[], writes: readonly WriteOperation[]): { succeeded: boolean; revision: number } {
    const holds = compare.every(({ key, modRevision }) => (this.entries.get(key)?.modRevision ?? 0) === modRevision);
    if (!holds) return { succeeded: false, revision: this.revision };
    const effective = writes.filter((write) => write.type === 'put' || this.entries.has(write.key));
    if (effective.length === 0) return { succeeded: true, revision: this.revision };
    this.revision++;
    for (const write of effective) {
      const before = this.entries.get(write.key);
      if (write.type === 'put') {
        const value = write.value.toString();
        this.entries.set(write.key, { key: write.key, value, createRevision: before?.createRevision ?? this.revision, modRevision: this.revision });
        this.events.push(`put ${write.key}@${this.revision}=${value}`);
      } else {
        this.entries.delete(write.key);
        this.events.push(`delete ${write.key}@${this.revision}=${before!.value}`);
      }
    }
    return { succeeded: true, revision: this.revision };
  }

  all(): ModelEntry[] {
    return [...this.entries.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  }
}
