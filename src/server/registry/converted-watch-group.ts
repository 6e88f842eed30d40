import { errorMessage } from '../../base/errors.js';
import type { V1Status } from '../../api/generated/types.js';
import { internalError, StatusError } from '../../api/status-error.js';
import type { CacheEntry } from './cache-entry.js';
import type { CacheEvent } from './cache-event.js';
import type { CacheWatcher } from './cache-watcher.js';
import type { ConvertedEntries } from './converted-entries.js';
import type { Selection } from './selection.js';
import type { View } from './view.js';
import { BookmarkBatch, ErrorBatch, eventBatches, type SelectedEvent, type WatchBatch } from './watch-batch.js';
import { selectEvent, WatchGroup } from './watch-group.js';

/** Changes that are converted at a time. */
const STEP = 200;
/** Objects per batch of the initial state. */
const STATE_STEP = 200;
/** Changes that may wait for their conversion; watchers that are further behind are ended, and come back. */
const MAX_WAITING = 20_000;

/** How a watch of converted objects begins: with these objects, or with these changes, all of them not converted yet. */
export interface ConvertedStart {
  readonly entries: readonly CacheEntry[];
  readonly missed: readonly CacheEvent[];
  /** Later changes come by themselves. */
  readonly after: number;
  /** A bookmark says that the initial state is complete, at this revision; undefined: none does. */
  readonly end: number | undefined;
}

interface Member {
  readonly after: number;
  /** What is to be sent once the beginning was; undefined: it was. */
  backlog: WatchBatch[] | undefined;
}

type Waiting = CacheEvent | { readonly bookmark: number };

/**
 * Watchers of one selection and view in a version that objects must be converted to. Changes wait in one queue, are converted together, and are
 * handed on in order; nobody else waits for them. A conversion that fails ends the watches with its error: their clients list again.
 */
export class ConvertedWatchGroup extends WatchGroup {
  private waiting: Waiting[] = [];
  private running = false;
  private readonly members = new Map<CacheWatcher, Member>();

  constructor(
    id: string,
    selection: Selection,
    view: View,
    private readonly converted: ConvertedEntries,
  ) {
    super(id, selection, view);
  }

  /** Sends a new watcher what it begins with; to be called before it is added. */
  begin(watcher: CacheWatcher, start: ConvertedStart): void {
    const member: Member = { after: start.after, backlog: [] };
    this.members.set(watcher, member);
    watcher.isBehind = () => member.backlog !== undefined || this.running || this.waiting.length > 0;
    void this.sendStart(watcher, member, start);
  }

  override offer(event: CacheEvent): boolean {
    this.waiting.push(event);
    return true;
  }

  override flush(): void {
    if (this.waiting.length > MAX_WAITING) {
      this.waiting = [];
      for (const watcher of [...this.watchers]) watcher.end();
    }
    if (!this.running && this.waiting.length > 0) void this.run();
  }

  override bookmark(revision: number): void {
    this.waiting.push({ bookmark: revision });
    this.flush();
  }

  override left(watcher: CacheWatcher): void {
    this.members.delete(watcher);
  }

  private async sendStart(watcher: CacheWatcher, member: Member, { entries, missed, end }: ConvertedStart): Promise<void> {
    const { view, selection } = this;
    try {
      for (let i = 0; i < entries.length && !watcher.isEnded; i += STATE_STEP) {
        const converted = await this.converted.entries(entries.slice(i, i + STATE_STEP));
        const events: SelectedEvent[] = converted.filter((entry) => selection.matches(entry)).map((entry) => ({ type: 'ADDED', entry }));
        for (const batch of eventBatches(view, events, true)) watcher.push(batch);
      }
      for (let i = 0; i < missed.length && !watcher.isEnded; i += STEP) {
        const events = this.select(await this.converted.events(missed.slice(i, i + STEP)));
        for (const batch of eventBatches(view, events)) watcher.push(batch);
      }
    } catch (error) {
      return this.fail(watcher, error);
    }
    if (end !== undefined) watcher.push(new BookmarkBatch(view, end, true));
    for (const batch of member.backlog ?? []) watcher.push(batch);
    member.backlog = undefined;
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0 && this.watchers.size > 0) {
      const events = this.nextEvents();
      try {
        this.deliver(await this.converted.events(events));
        // A bookmark stands behind all that came before it, and before all that came later.
        const next = this.waiting[0];
        if (next && 'bookmark' in next) {
          this.waiting.shift();
          this.mark(next.bookmark);
        }
      } catch (error) {
        this.waiting = [];
        for (const watcher of [...this.watchers]) this.fail(watcher, error);
      }
    }
    this.waiting = [];
    this.running = false;
  }

  /** What is waiting, up to the next bookmark. */
  private nextEvents(): CacheEvent[] {
    const events: CacheEvent[] = [];
    for (const each of this.waiting) {
      if ('bookmark' in each || events.length === STEP) break;
      events.push(each);
    }
    this.waiting.splice(0, events.length);
    return events;
  }

  /** One batch for all, but for watchers that have some of it already. */
  private deliver(events: readonly CacheEvent[]): void {
    if (events.length === 0) return;
    const selected = this.select(events);
    const shared = [...eventBatches(this.view, selected)];
    for (const watcher of [...this.watchers]) {
      const member = this.members.get(watcher);
      if (member === undefined) continue;
      if (member.after < events[0]!.revision) {
        for (const batch of shared) this.send(watcher, member, batch);
        continue;
      }
      const rest = this.select(events.filter(({ revision }) => revision > member.after));
      for (const batch of eventBatches(this.view, rest)) this.send(watcher, member, batch);
    }
  }

  private mark(revision: number): void {
    const batch = new BookmarkBatch(this.view, revision);
    for (const watcher of [...this.watchers]) {
      const member = this.members.get(watcher);
      if (member && watcher.allowBookmarks) this.send(watcher, member, batch);
    }
  }

  private send(watcher: CacheWatcher, member: Member, batch: WatchBatch): void {
    if (member.backlog === undefined) watcher.push(batch);
    else if (member.backlog.push(batch) > MAX_WAITING) watcher.end();
  }

  private select(events: readonly CacheEvent[]): SelectedEvent[] {
    return events.flatMap((event) => selectEvent(this.selection, event) ?? []);
  }

  private fail(watcher: CacheWatcher, error: unknown): void {
    watcher.push(new ErrorBatch(this.view, statusOf(error)));
    watcher.end();
  }
}

function statusOf(error: unknown): V1Status {
  return error instanceof StatusError ? error.status : internalError(errorMessage(error)).status;
}
