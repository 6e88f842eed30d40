import type { KubeObject } from '../../../api/meta/object.js';
import type { ResourceRef } from '../../../api/resource-refs.js';
import type { CancelTimer, Clock } from '../../../base/clock.js';
import { errorMessage } from '../../../base/errors.js';
import type { Logger } from '../../../base/log.js';
import type { Random } from '../../../base/random.js';
import { Reflector, type Client } from '../../../client/index.js';
import type { References } from '../../references/references.js';

/** Objects beyond this number are fetched now and then instead of watched. */
const MAX_WATCHES = 200;
/** How often, in milliseconds: upstream's pods see a change after so long. */
const REFRESH = 60_000;
/** Nothing that was fetched before is young enough. */
const NO_AGE = -1;

/** Ends an interest in an object. */
export type Release = () => void;

interface Watched {
  readonly ref: ResourceRef;
  readonly namespace: string;
  readonly name: string;
  readonly listeners: Set<() => void>;
  /** Ends the watch; absent: it is fetched now and then. */
  stop?: AbortController;
  /** The watch has delivered a first state. */
  synced: boolean;
  object: KubeObject | undefined;
  /** It is immutable. */
  final: boolean;
}

/**
 * Config maps and secrets that volumes show, each watched by its name while any pod uses it: a node may not watch all of them. The
 * pods share one watch per object.
 */
export class ObjectWatches {
  private readonly entries = new Map<string, Watched>();
  private watches = 0;
  private cancelRefresh: CancelTimer | undefined;

  constructor(
    private readonly environment: { readonly client: Client; readonly references: References; readonly clock: Clock; readonly random: Random; readonly log: Logger },
    private readonly maxWatches = MAX_WATCHES,
  ) {}

  /** Number of objects that are watched, for tests and metrics. */
  get size(): number {
    return this.entries.size;
  }

  /** Calls back after the object changed, appeared or went, and may do so once without need. */
  follow(ref: ResourceRef, namespace: string, name: string, listener: () => void): Release {
    const key = keyOf(ref, namespace, name);
    let entry = this.entries.get(key);
    if (!entry) {
      entry = { ref, namespace, name, listeners: new Set(), synced: false, object: undefined, final: false };
      this.entries.set(key, entry);
      if (this.watches < this.maxWatches) this.watch(entry);
      else this.refreshLater();
    }
    const { listeners } = entry;
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.entries.get(key) !== entry) return;
      this.entries.delete(key);
      this.unwatch(entry);
    };
  }

  /** The object as the watch has it; without one, or when it has none, fetched. Undefined when it does not exist. */
  async get<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string, maxAgeMilliseconds: number): Promise<T | undefined> {
    const entry = this.entries.get(keyOf(ref, namespace, name));
    if (entry?.object && entry.stop) return entry.object as T;
    // What was fetched before the watch saw it go would be too old.
    return this.environment.references.get(ref, namespace, name, entry?.stop && entry.synced ? NO_AGE : maxAgeMilliseconds);
  }

  stop(): void {
    this.cancelRefresh?.();
    for (const entry of this.entries.values()) this.unwatch(entry);
    this.entries.clear();
  }

  private watch(entry: Watched): void {
    const { client, clock, random, log } = this.environment;
    const { ref, namespace, name } = entry;
    this.watches++;
    entry.stop = new AbortController();
    const take = (object: KubeObject | undefined): void => {
      if (entry.synced && entry.object?.metadata?.resourceVersion === object?.metadata?.resourceVersion) return;
      entry.object = object;
      entry.synced = true;
      // It cannot change any more; should it be replaced by another of its name, new pods fetch that.
      if ((object as { readonly immutable?: boolean } | undefined)?.immutable === true) this.unwatch(entry, true);
      for (const listener of [...entry.listeners]) listener();
    };
    const reflector = new Reflector<KubeObject>({
      client: client.resource(ref), namespace, selectors: { fieldSelector: `metadata.name=${name}` }, clock, random, log: log.child({ resource: ref.resource, namespace, name }),
      sink: {
        replace: (objects) => take(objects.find((object) => object.metadata?.name === name)),
        put: (object) => object.metadata?.name === name && take(object),
        remove: (object) => object.metadata?.name === name && take(undefined),
      },
    });
    void reflector.run(entry.stop.signal);
  }

  private unwatch(entry: Watched, final = false): void {
    entry.final = final;
    if (!entry.stop) return;
    entry.stop.abort();
    delete entry.stop;
    this.watches--;
  }

  private refreshLater(): void {
    if (this.cancelRefresh) return;
    this.cancelRefresh = this.environment.clock.setTimeout(() => {
      this.cancelRefresh = undefined;
      void this.refresh();
    }, REFRESH, { unref: true });
  }

  /** One after the other: there are many, and nobody waits. */
  private async refresh(): Promise<void> {
    const { references, log } = this.environment;
    let polled = 0;
    for (const entry of [...this.entries.values()]) {
      if (entry.stop || entry.final || !this.entries.has(keyOf(entry.ref, entry.namespace, entry.name))) continue;
      if (this.watches < this.maxWatches) {
        this.watch(entry);
        continue;
      }
      polled++;
      try {
        const object = await references.get(entry.ref, entry.namespace, entry.name, NO_AGE);
        if (entry.synced && entry.object?.metadata?.resourceVersion === object?.metadata?.resourceVersion) continue;
        // The content stays where it is; the version is enough to see the next change.
        entry.object = object && { metadata: { resourceVersion: object.metadata?.resourceVersion ?? '' } };
        entry.synced = true;
        for (const listener of [...entry.listeners]) listener();
      } catch (error) {
        log.debug('an object that a volume shows could not be fetched', { resource: entry.ref.resource, namespace: entry.namespace, name: entry.name, error: errorMessage(error) });
      }
    }
    if (polled > 0) this.refreshLater();
  }
}

function keyOf(ref: ResourceRef, namespace: string, name: string): string {
  return `${ref.resource}/${namespace}/${name}`;
}
