import { StatusError } from '../../api/status-error.js';
import type { V1ListMeta, V1Status } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { KubeError, errorCode, errorMessage } from '../../base/errors.js';
import { sleep, type Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';
import type { Random } from '../../base/random.js';
import { Backoff, REFLECTOR_BACKOFF } from '../backoff.js';
import type { ListOptions, ResourceClient, WatchOptions } from '../client.js';
import type { WatchEvent } from '../transport.js';

/** What a reflector fills. Calls are synchronous and come in order. */
export interface ReflectorSink<T extends KubeObject> {
  /** The complete state: everything else is gone. */
  replace(objects: readonly T[]): void;
  put(object: T): void;
  remove(object: T): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: ResourceClient<T>;
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly selectors: Pick<ListOptions, 'fieldSelector' | 'labelSelector' | 'metadataOnly'>;
  readonly sink: ReflectorSink<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Objects per page of a list; default 500. */
  readonly pageSize?: number;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
/** A watch is asked to end after 5 to 10 minutes, so that load spreads again over several servers. */
const WATCH_SECONDS = 300;
/** A watch that ended sooner and brought nothing counts as a failure. */
const SHORT_WATCH_MILLISECONDS = 1000;

/**
 * Keeps a sink equal to a collection of the server: the initial state as a streamed list where the server can,
 * else as pages, then a watch that resumes from the last resource version. `410 Expired` leads to a new initial state;
 * every other failure to another try after a back-off of 0.8 to 30 s. Ends when the signal aborts; never throws.
 */
export class Reflector<T extends KubeObject> {
  private readonly backoff: Backoff;
  private resourceVersion: string | undefined;
  private streaming = true;
  private lastError = '';

  constructor(private readonly options: ReflectorOptions<T>) {
    this.backoff = new Backoff(options.random, REFLECTOR_BACKOFF);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.resourceVersion === undefined) {
          if (this.streaming) await this.watch(signal, true);
          else await this.list();
        } else {
          await this.watch(signal, false);
        }
        this.lastError = '';
      } catch (error) {
        if (signal.aborted) return;
        if (this.recover(error)) continue;
        this.report(error);
        await sleep(this.options.clock, this.waitFor(error), signal);
      }
    }
  }

  /** True when the next try can follow at once. */
  private recover(error: unknown): boolean {
    if (isExpired(error)) {
      const first = this.resourceVersion !== undefined;
      this.resourceVersion = undefined;
      return first;
    }
    // A server without streamed lists refuses the parameters.
    if (this.streaming && this.resourceVersion === undefined && error instanceof StatusError && [400, 404, 405, 406, 415, 422].includes(error.code)) {
      this.streaming = false;
      return error.code !== 404;
    }
    return false;
  }

  private waitFor(error: unknown): number {
    const own = this.backoff.next();
    const asked = error instanceof StatusError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
    return Math.max(own, asked);
  }

  private report(error: unknown): void {
    const message = errorMessage(error);
    // The same failure again and again (a server that is down) is said once.
    if (message === this.lastError) this.options.log.debug('watch failed again', { error: message });
    else this.options.log.warn('watch failed; trying again', { error: message, code: errorCode(error) });
    this.lastError = message;
  }

  private async list(): Promise<void> {
    const { client, namespace, selectors, sink, pageSize = 500 } = this.options;
    const objects: T[] = [];
    let token: string | undefined;
    let limit: number | undefined = pageSize;
    let meta: V1ListMeta | undefined;
    do {
      try {
        const page: Awaited<ReturnType<typeof client.list>> = await client.list(namespace, { ...selectors, ...(limit ? { limit } : {}), ...(token ? { continue: token } : {}) });
        for (const object of page.items) objects.push(object);
        meta = page.metadata;
        token = page.metadata?.continue;
      } catch (error) {
        // The snapshot behind the token is gone: one list of everything cannot expire.
        if (!token || !isExpired(error)) throw error;
        objects.length = 0;
        token = undefined;
        limit = undefined;
        const all = await client.list(namespace, selectors);
        for (const object of all.items) objects.push(object);
        meta = all.metadata;
      }
    } while (token);
    this.resourceVersion = meta?.resourceVersion ?? '';
    sink.replace(objects);
    this.backoff.reset();
  }

  private async watch(signal: AbortSignal, initial: boolean): Promise<void> {
    const { client, namespace, selectors, sink, clock, random } = this.options;
    const started = clock.monotonic();
    const mine = new AbortController();
    const stop = (): void => mine.abort();
    signal.addEventListener('abort', stop, { once: true });
    const options: WatchOptions = {
      ...selectors,
      allowWatchBookmarks: true,
      timeoutSeconds: Math.round(WATCH_SECONDS * (1 + random.float())),
      signal: mine.signal,
      ...(initial ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' as const } : { resourceVersion: this.resourceVersion ?? '' }),
    };
    let pending: Map<string, T> | undefined = initial ? new Map() : undefined;
    let received = false;
    try {
      for await (const batch of await client.watch(namespace, options)) {
        if (signal.aborted) return;
        for (const event of batch) {
          received = true;
          if (event.type === 'ERROR') throw new StatusError(event.object as unknown as V1Status);
          if (pending) {
            if (!collect(pending, event)) continue;
            sink.replace([...pending.values()]);
            pending = undefined;
          } else if (event.type === 'DELETED') sink.remove(event.object);
          else if (event.type !== 'BOOKMARK') sink.put(event.object);
          this.resourceVersion = event.object.metadata?.resourceVersion ?? this.resourceVersion;
          this.backoff.reset();
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      mine.abort();
    }
    if (signal.aborted) return;
    if (pending) throw new KubeError('KUBE_WATCH_INCOMPLETE', 'the watch ended before the initial state was complete');
    if (!received && clock.monotonic() - started < SHORT_WATCH_MILLISECONDS) {
      throw new KubeError('KUBE_WATCH_SHORT', 'the watch ended at once and brought no events');
    }
  }
}

/** Takes an event of the initial state in; true for the bookmark that ends it. */
function collect<T extends KubeObject>(pending: Map<string, T>, event: WatchEvent<T>): boolean {
  const metadata = event.object.metadata;
  if (event.type === 'BOOKMARK') return metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
  const key = `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
  if (event.type === 'DELETED') pending.delete(key);
  else pending.set(key, event.object);
  return false;
}

function isExpired(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 410 || error.reason === 'Expired' || error.reason === 'Gone');
}
