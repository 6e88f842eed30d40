import { setMaxListeners } from 'node:events';
import { apiVersionOf } from '../../api/meta/object.js';
import { API_SERVICES, CUSTOM_RESOURCE_DEFINITIONS, type ResourceRef } from '../../api/resource-refs.js';
import { sleep, type CancelTimer } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import { runWorkers, type ReconcileResult } from '../../reconcile/index.js';
import type { Controller, ControllerContext, ControllerDescriptor } from '../controller.js';
import { controllerQueue } from '../shared/controller-loop.js';
import { discover, type DiscoveredResource } from '../shared/discovery.js';
import { AbsentOwners } from './absent-owners.js';
import { Collector, objectOf, referenceText } from './collector.js';
import { OwnerGraph, type GraphNode } from './graph.js';
import { Monitors } from './monitors.js';

/** Discovery is read anew so often, and soon after custom resources or API services changed. */
const RESYNC_MILLISECONDS = 120_000;
const SOON_MILLISECONDS = [500, 5_000];
/** A failed discovery is tried again after this. */
const RETRY_MILLISECONDS = 5_000;
/** Objects judged at the same time. */
const WORKERS = 20;

/** Deletes objects whose owners are gone, and carries foreground deletion and orphaning through. */
export const garbageCollector: ControllerDescriptor = {
  name: 'garbage-collector-controller',
  serviceAccount: 'generic-garbage-collector',
  enabledByDefault: true,
  start: (context) => new GarbageCollector({ ...context, recorder: context.recorder.withComponent('garbage-collector-controller') }).start(),
};

class GarbageCollector {
  private readonly stopping = new AbortController();
  private readonly graph: OwnerGraph;
  private readonly monitors: Monitors;
  private readonly collector: Collector;
  private readonly checks: ReturnType<typeof controllerQueue>;
  private readonly orphans: ReturnType<typeof controllerQueue>;
  private kinds = new Map<string, ResourceRef>();
  private wake: (() => void) | undefined;
  private timers: CancelTimer[] = [];

  constructor(private readonly context: ControllerContext) {
    setMaxListeners(0, this.stopping.signal);
    this.checks = controllerQueue(context, 'garbage_collector_attempt_to_delete');
    this.orphans = controllerQueue(context, 'garbage_collector_attempt_to_orphan');
    const absent = new AbsentOwners();
    this.graph = new OwnerGraph({
      check: (node) => this.checks.add(node.uid),
      orphan: (node) => this.orphans.add(node.uid),
      absent: (node) => absent.add({ apiVersion: apiVersionOf(node.ref), kind: node.ref.kind, name: node.name, uid: node.uid }, node.namespace),
      wrongNamespace: (node, reference) =>
        context.recorder.event(objectOf(node), 'Warning', 'OwnerRefInvalidNamespace', `ownerRef ${referenceText(reference, node.namespace)} does not exist in namespace "${node.namespace}"`),
    });
    this.monitors = new Monitors(context, this.graph);
    this.collector = new Collector(context.client, this.graph, absent, (apiVersion, kind) => this.kinds.get(`${apiVersion}/${kind}`), (node) => this.checks.add(node.uid));
  }

  start(): Controller {
    const { informers, clock, log, metrics } = this.context;
    const soon = (): void => this.resyncSoon();
    const handlers = [CUSTOM_RESOURCE_DEFINITIONS, API_SERVICES].map((ref) => informers.informer<object>(ref).addHandler({
      add: (_object, initial) => (initial ? undefined : soon()),
      update: soon,
      delete: soon,
    }));
    let ready = (): void => undefined;
    const complete = new Promise<void>((resolve) => (ready = resolve));
    const syncing = this.keepInSync(ready);
    const common = { clock, log, ready: complete, ...(metrics ? { metrics } : {}) };
    const workers = [
      runWorkers({ ...common, name: 'garbage_collector', queue: this.checks, workers: WORKERS, reconcile: (uid) => this.judge(uid) }),
      runWorkers({ ...common, name: 'garbage_collector_orphan', queue: this.orphans, workers: WORKERS, reconcile: (uid) => this.orphan(uid) }),
    ];
    return {
      stop: async () => {
        this.stopping.abort();
        for (const remove of handlers) remove();
        for (const cancel of this.timers) cancel();
        ready();
        await Promise.all([syncing, this.monitors.stop(), ...workers.map((worker) => worker.stop())]);
      },
    };
  }

  private async judge(uid: string): Promise<ReconcileResult> {
    const node = this.graph.get(uid);
    if (node && (await this.collector.decide(node)) === 'again') {
      // A plain result would forget the failures that make the wait grow.
      throw new UnseenOwnerError(`an owner of ${node.ref.resource} ${node.namespace}/${node.name} has not been seen yet`);
    }
    return undefined;
  }

  private async orphan(uid: string): Promise<ReconcileResult> {
    const node: GraphNode | undefined = this.graph.get(uid);
    if (node?.orphaning) await this.collector.orphanDependents(node);
    return undefined;
  }

  private async keepInSync(ready: () => void): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const succeeded = await this.resync();
      if (succeeded && !signal.aborted) {
        this.graph.becomeComplete();
        ready();
      }
      // A stop during the resync has sounded already; nobody would end the wait.
      if (signal.aborted) return;
      const waiting = new AbortController();
      this.wake = () => waiting.abort();
      const stop = (): void => waiting.abort();
      signal.addEventListener('abort', stop, { once: true });
      await sleep(this.context.clock, succeeded ? RESYNC_MILLISECONDS : RETRY_MILLISECONDS, waiting.signal);
      signal.removeEventListener('abort', stop);
    }
  }

  private async resync(): Promise<boolean> {
    try {
      const { resources, failures } = await discover(this.context.client);
      // A server that is only starting up may not know its own resources yet.
      if (resources.length === 0) throw new Error('no resources reported by discovery');
      const kinds = new Map<string, ResourceRef>();
      for (const ref of resources) {
        const key = `${apiVersionOf(ref)}/${ref.kind}`;
        if (!kinds.has(key)) kinds.set(key, ref);
      }
      const failed = [...this.kinds].filter(([, ref]) => failures.has(apiVersionOf(ref)));
      // What cannot be discovered for the moment is not gone.
      this.kinds = new Map([...failed, ...kinds]);
      const kept = failed.map(([, ref]) => ref).filter((ref): ref is DiscoveredResource => 'verbs' in ref);
      await this.monitors.resync([...resources, ...kept].filter(isCollectable), this.stopping.signal);
      return true;
    } catch (error) {
      if (!this.stopping.signal.aborted) this.context.log.warn('discovery failed; trying again', { error: errorMessage(error) });
      return false;
    }
  }

  /** The server shows a change of its resources a moment after the object that brought it about. */
  private resyncSoon(): void {
    for (const cancel of this.timers) cancel();
    this.timers = SOON_MILLISECONDS.map((delay) => this.context.clock.setTimeout(() => this.wake?.(), delay, { unref: true }));
  }
}

class UnseenOwnerError extends Error {}

/** Events come and go by the thousand, and never own or are owned. */
function isCollectable(ref: DiscoveredResource): boolean {
  return ref.preferred && ['delete', 'list', 'watch'].every((verb) => ref.verbs.includes(verb)) && ref.resource !== 'events';
}
