import type { KubeObject } from '../../api/meta/object.js';
import { groupResourceText } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { Reflector, type ReflectorSink } from '../../client/index.js';
import type { ControllerContext } from '../controller.js';
import type { DiscoveredResource } from '../shared/discovery.js';
import type { OwnerGraph } from './graph.js';

/** First lists taken at the same time: the start of the cluster must not wait for them. */
const PARALLEL = 6;

interface Monitor {
  readonly ref: ResourceRef;
  readonly sink: GraphSink;
  readonly abort: AbortController;
  ended: Promise<void>;
}

/**
 * Watches the metadata of every deletable resource and feeds the graph; nothing else is kept. Which resources there are
 * is told by {@link Monitors.resync}, again and again.
 */
export class Monitors {
  private readonly monitors = new Map<string, Monitor>();

  constructor(
    private readonly context: ControllerContext,
    private readonly graph: OwnerGraph,
  ) {}

  /** Starts and stops monitors so that there is one for each of `resources`; resolves when the new ones have their first list, or `signal` aborts. */
  async resync(resources: readonly DiscoveredResource[], signal: AbortSignal): Promise<void> {
    const wanted = new Map(resources.map((ref) => [keyOf(ref), ref]));
    for (const [key, monitor] of this.monitors) {
      if (wanted.has(key)) continue;
      this.monitors.delete(key);
      monitor.abort.abort();
      monitor.sink.forget();
    }
    const fresh = [...wanted].filter(([key]) => !this.monitors.has(key));
    for (let from = 0; from < fresh.length && !signal.aborted; from += PARALLEL) {
      await Promise.all(fresh.slice(from, from + PARALLEL).map(([key, ref]) => this.start(key, ref, signal)));
    }
  }

  async stop(): Promise<void> {
    for (const monitor of this.monitors.values()) monitor.abort.abort();
    await Promise.all([...this.monitors.values()].map((monitor) => monitor.ended));
  }

  private start(key: string, ref: DiscoveredResource, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const { client, clock, random, log } = this.context;
      const done = (): void => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      // One resource that cannot be listed must not hold up the others.
      const cancel = clock.setTimeout(done, 10_000, { unref: true });
      signal.addEventListener('abort', done, { once: true });
      const sink = new GraphSink(ref, this.graph, done);
      const reflector = new Reflector<KubeObject>({
        client: client.resource(ref),
        namespace: '',
        selectors: { metadataOnly: true },
        sink,
        clock,
        random,
        log: log.child({ resource: groupResourceText(ref) }),
      });
      const abort = new AbortController();
      this.monitors.set(key, { ref, sink, abort, ended: reflector.run(abort.signal) });
    });
  }
}

class GraphSink implements ReflectorSink<KubeObject> {
  private uids = new Set<string>();

  constructor(
    private readonly ref: ResourceRef,
    private readonly graph: OwnerGraph,
    private readonly listed: () => void,
  ) {}

  replace(objects: readonly KubeObject[]): void {
    const before = this.uids;
    this.uids = new Set();
    for (const object of objects) {
      before.delete(object.metadata?.uid ?? '');
      this.put(object);
    }
    for (const uid of before) this.graph.remove(uid);
    this.listed();
  }

  put(object: KubeObject): void {
    const node = this.graph.put(this.ref, object);
    if (node) this.uids.add(node.uid);
  }

  remove(object: KubeObject): void {
    const uid = object.metadata?.uid ?? '';
    this.uids.delete(uid);
    this.graph.remove(uid);
  }

  /** Nobody serves the resource any more. */
  forget(): void {
    for (const uid of this.uids) this.graph.remove(uid, false);
    this.uids.clear();
  }
}

function keyOf(ref: ResourceRef): string {
  return `${ref.group}/${ref.version}/${ref.resource}`;
}
