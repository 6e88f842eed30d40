import type { CacheEvent } from './cache-event.js';
import type { CacheWatcher } from './cache-watcher.js';
import type { Selection } from './selection.js';
import type { View } from './view.js';
import { BookmarkBatch, eventBatches, type SelectedEvent } from './watch-batch.js';

/**
 * All watchers of one resource with the same selection and view. An event is looked at, converted and serialised
 * once for all of them, and each gets one batch for everything that was committed in one turn of the event loop.
 */
export class WatchGroup {
  readonly watchers = new Set<CacheWatcher>();
  private pending: SelectedEvent[] = [];

  /** Called when a watcher of the group has gone. */
  left?(watcher: CacheWatcher): void;

  constructor(
    readonly id: string,
    readonly selection: Selection,
    readonly view: View,
  ) {}

  /** Takes a change in; true when there is something to flush. */
  offer(event: CacheEvent): boolean {
    const selected = selectEvent(this.selection, event);
    if (selected === undefined) return false;
    this.pending.push(selected);
    return true;
  }

  /** Hands what is pending to the watchers. */
  flush(): void {
    if (this.pending.length === 0) return;
    const events = this.pending;
    this.pending = [];
    for (const batch of eventBatches(this.view, events)) for (const watcher of [...this.watchers]) watcher.push(batch);
  }

  /** Tells the watchers that want bookmarks how far they have come. */
  bookmark(revision: number): void {
    this.flush();
    const batch = new BookmarkBatch(this.view, revision);
    for (const watcher of [...this.watchers]) if (watcher.allowBookmarks) watcher.push(batch);
  }
}

/** What a change is to a selection: an object may enter or leave it without being created or deleted. */
export function selectEvent(selection: Selection, event: CacheEvent): SelectedEvent | undefined {
  const { entry, previous } = event;
  if (selection.isEverything && selection.key === undefined) {
    if (selection.namespace !== '' && !selection.includes(entry)) return undefined;
    return { type: event.deleted ? 'DELETED' : previous ? 'MODIFIED' : 'ADDED', entry };
  }
  const before = previous !== undefined && selection.includes(previous);
  const now = !event.deleted && selection.includes(entry);
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', entry };
  if (!before) return undefined;
  return { type: 'DELETED', entry: event.deleted ? entry : previous.at('DELETED', event.revision) };
}
