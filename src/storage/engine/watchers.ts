import type { Revision, StoreEvent, StoreWatchOptions } from '../store.js';
import { compareKeys } from './order.js';

/** One open watch. */
export class Watcher {
  open = true;

  constructor(private readonly options: StoreWatchOptions) {}

  send(events: readonly StoreEvent[], revision: Revision): void {
    if (!this.open) return;
    const { start, end, fromRevision } = this.options;
    const wanted = events.filter(
      (event) => event.revision >= fromRevision && compareKeys(event.key, start) >= 0 && compareKeys(event.key, end) < 0,
    );
    if (wanted.length > 0) this.options.onBatch({ events: wanted, revision });
  }

  end(error: Error): void {
    if (!this.open) return;
    this.open = false;
    this.options.onEnd(error);
  }
}
