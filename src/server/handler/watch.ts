import { goneError } from '../../api/status-error.js';
import type { CancelTimer } from '../../base/clock.js';
import type { CacheWatcher } from '../registry/cache-watcher.js';
import type { WatchStart } from '../registry/resource-cache.js';
import type { View } from '../registry/view.js';
import { BookmarkBatch } from '../registry/watch-batch.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse, WatchEventObject, WatchStream } from './api-request.js';
import { tooLargeRevisionError } from './get.js';
import { listOptions, selectionOf, type ListOptions } from './list-options.js';
import { invalidRevisionError, parseRevision } from './query-values.js';
import { unframedError } from './accept.js';
import { negotiateFor, requestedView } from './respond.js';

/** A watch of a collection or of one object. */
export async function handleWatch(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  const { cache, resource, registry } = target;
  const negotiated = negotiateFor(core, request, resource, true);
  const options = listOptions(request.info, request.query, resource);
  // The events of a watch are single objects, whatever the list would be.
  const single = negotiated.target?.kind === 'PartialObjectMetadataList' ? { ...negotiated, target: { kind: 'PartialObjectMetadata' as const, version: negotiated.target.version } } : negotiated;
  const view = requestedView(core, request, resource, single, false);
  if (negotiated.format === 'yaml') throw unframedError();
  const selection = selectionOf(options, resource, request.info.namespace, registry.readField);
  const start = await watchStart(core, target, options);
  if ('expired' in start) return { type: 'watch', stream: new ExpiredStream(start.expired, view) };
  const watcher = cache.watch(selection, view, start, core.cacher.revision, options.allowWatchBookmarks, registry.converted);
  return { type: 'watch', stream: new CacheWatchStream(core, watcher, view, timeoutOf(core, options)) };
}

/** Where the events begin; throws when the revision is nonsense. A revision that is gone is told inside the stream. */
async function watchStart(core: ApiCore, target: Target, options: ListOptions): Promise<WatchStart | { readonly expired: string }> {
  const { resourceVersion, sendInitialEvents } = options;
  const revision = parseRevision(resourceVersion);
  if (revision === undefined) throw invalidRevisionError(resourceVersion);
  await core.cacher.fresh();
  if (sendInitialEvents === true || (sendInitialEvents === undefined && revision === 0)) {
    if (!(await core.cacher.reach(revision))) throw tooLargeRevisionError(revision, core.cacher.revision);
    return { type: 'state', end: options.allowWatchBookmarks };
  }
  // A revision that is still to come is waited for by having nothing to say until then.
  if (revision === 0 || revision > core.cacher.revision) return { type: 'since', revision: core.cacher.revision };
  if (revision < target.cache.oldestRevision) return { expired: `too old resource version: ${revision} (${target.cache.oldestRevision})` };
  return { type: 'since', revision };
}

function timeoutOf(core: ApiCore, options: ListOptions): number {
  if (options.timeoutSeconds) return options.timeoutSeconds * 1000;
  return core.minRequestTimeoutMilliseconds * (1 + core.random.float());
}

/** Upstream sends the last bookmark two seconds before the end: a watch that is no longer than that has none. */
const NO_BOOKMARK_UNTIL = 2000;

/** The events of one watcher until it times out, falls behind, or is closed. */
class CacheWatchStream implements WatchStream {
  readonly mediaType: string;
  private readonly cancel: CancelTimer;

  constructor(
    core: ApiCore,
    private readonly watcher: CacheWatcher,
    view: View,
    timeoutMilliseconds: number,
  ) {
    this.mediaType = view.watchType;
    this.cancel = core.clock.setTimeout(
      () => {
        // The client then resumes from here and not from its last event.
        if (timeoutMilliseconds > NO_BOOKMARK_UNTIL && watcher.allowBookmarks && !watcher.isBehind()) watcher.push(new BookmarkBatch(view, core.cacher.revision));
        watcher.end();
      },
      timeoutMilliseconds,
      { unref: true },
    );
  }

  async *frames(): AsyncGenerator<Buffer> {
    let first = true;
    try {
      for (let batches = await this.watcher.take(); batches; batches = await this.watcher.take()) {
        for (const batch of batches) {
          yield batch.bytes(first);
          if (!batch.isBookmark) first = false;
        }
      }
    } finally {
      this.close();
    }
  }

  async *events(): AsyncGenerator<readonly WatchEventObject[]> {
    try {
      for (let batches = await this.watcher.take(); batches; batches = await this.watcher.take()) for (const batch of batches) yield batch.objects();
    } finally {
      this.close();
    }
  }

  close(): void {
    this.cancel();
    this.watcher.end();
  }
}

/** A watch from a revision that is forgotten: one error event. */
class ExpiredStream implements WatchStream {
  readonly mediaType: string;

  constructor(
    private readonly message: string,
    private readonly view: View,
  ) {
    this.mediaType = view.watchType;
  }

  async *frames(): AsyncGenerator<Buffer> {
    yield this.view.eventFrame('ERROR', goneError(this.message).status);
  }

  async *events(): AsyncGenerator<readonly WatchEventObject[]> {
    yield [{ type: 'ERROR', object: goneError(this.message).status as WatchEventObject['object'] }];
  }

  close(): void {
    // Nothing is held.
  }
}
