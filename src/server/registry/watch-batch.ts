import type { V1Status } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { CacheEntry } from './cache-entry.js';
import type { ObjectEventType } from './stored-form.js';
import type { View } from './view.js';

/** One event of a selection. */
export interface SelectedEvent {
  readonly type: ObjectEventType;
  readonly entry: CacheEntry;
}

/** One event as an object, for watchers in our own process. */
export interface WatchObject {
  readonly type: ObjectEventType | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

/** What watchers get at once: bytes and objects are made when first asked for and shared by all watchers of a group. */
export interface WatchBatch {
  /** Roughly how much memory it holds. */
  readonly size: number;
  readonly isBookmark: boolean;
  /** The frames of all events. `first`: nothing was sent before. */
  bytes(first: boolean): Buffer;
  objects(): readonly WatchObject[];
}

/** A batch is sent in one piece: it ends with the event that makes it this long (bytes), or has this many events. */
const BATCH_BYTES = 256 << 10;
const BATCH_EVENTS = 100;

/** Events in batches that are made into bytes and sent one after the other, so that long ones let others have their turn. `held`: the cache holds the objects anyway. */
export function* eventBatches(view: View, events: readonly SelectedEvent[], held = false): Generator<EventBatch> {
  for (let from = 0, to = 0; from < events.length; from = to) {
    for (let size = 0; to < events.length && to - from < BATCH_EVENTS && size < BATCH_BYTES; to++) size += events[to]!.entry.frame.length;
    const part = from === 0 && to === events.length ? events : events.slice(from, to);
    yield held ? new EventBatch(view, part, 0) : new EventBatch(view, part);
  }
}

/** A batch of events of objects. */
export class EventBatch implements WatchBatch {
  readonly isBookmark = false;
  private joined: Buffer | undefined;
  private made: readonly WatchObject[] | undefined;

  constructor(
    private readonly view: View,
    private readonly events: readonly SelectedEvent[],
    /** 0 where the objects are held by the cache anyway. */
    readonly size = sizeOf(events),
  ) {}

  bytes(first: boolean): Buffer {
    const { view, events } = this;
    if (first && view.firstFrame) {
      const frames = events.map((event, i) => (i === 0 ? view.firstFrame!(event.type, event.entry) : view.frame(event.type, event.entry)));
      return Buffer.concat(frames);
    }
    return (this.joined ??= events.length === 1 ? view.frame(events[0]!.type, events[0]!.entry) : Buffer.concat(events.map((event) => view.frame(event.type, event.entry))));
  }

  objects(): readonly WatchObject[] {
    return (this.made ??= this.events.map((event) => ({ type: event.type, object: this.view.object(event.entry) as KubeObject })));
  }
}

function sizeOf(events: readonly SelectedEvent[]): number {
  let size = 0;
  for (const event of events) size += event.entry.frame.length;
  return size;
}

/** Ends a watch with an error. */
export class ErrorBatch implements WatchBatch {
  readonly isBookmark = true;
  readonly size = 500;

  constructor(
    private readonly view: View,
    private readonly status: V1Status,
  ) {}

  bytes(): Buffer {
    return this.view.eventFrame('ERROR', this.status);
  }

  objects(): readonly WatchObject[] {
    return [{ type: 'ERROR', object: this.status as KubeObject }];
  }
}

/** A bookmark: tells the watcher how far it has come. */
export class BookmarkBatch implements WatchBatch {
  readonly isBookmark = true;
  readonly size = 200;

  constructor(
    private readonly view: View,
    private readonly revision: number,
    private readonly initialEventsEnd = false,
  ) {}

  bytes(): Buffer {
    return this.view.eventFrame('BOOKMARK', this.view.bookmark(this.revision, this.initialEventsEnd));
  }

  objects(): readonly WatchObject[] {
    return [{ type: 'BOOKMARK', object: this.view.bookmark(this.revision, this.initialEventsEnd) as KubeObject }];
  }
}
