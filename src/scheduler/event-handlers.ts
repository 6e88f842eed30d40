import type { V1Node, V1Pod } from '../api/generated/types.js';
import { isPodTerminal } from '../api/helpers/pod-state.js';
import type { KubeObject } from '../api/meta/object.js';
import type { Clock } from '../base/clock.js';
import type { Informer } from '../client/index.js';
import type { SchedulerCache } from './cache/scheduler-cache.js';
import { Action, ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE, clusterEvent, UNSCHEDULED_POD_ADD, UNSCHEDULED_POD_UPDATE, type ClusterEvent, type EventResource } from './framework/cluster-event.js';
import { NODE_ADD, NODE_DELETE, nodeChanges } from './framework/node-changes.js';
import { podChanges } from './framework/pod-changes.js';
import type { Listers } from './listers.js';
import type { SchedulerMetrics } from './metrics.js';
import type { PodStatusUpdater } from './pod-status-updater.js';
import type { SchedulingQueue } from './queue/scheduling-queue.js';

export interface HandlerContext {
  readonly clock: Clock;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly metrics: SchedulerMetrics;
  readonly status: PodStatusUpdater;
  /** Whether one of the profiles is for this pod. */
  readonly isResponsible: (pod: V1Pod) => boolean;
  /** Ends the wait of a pod that is placed but not bound. */
  readonly cancelPreBind: (uid: string, reason: string) => boolean;
}

/** Keeps cache and queue in step with what the informers see. Returns what ends it. */
export function addEventHandlers(context: HandlerContext, listers: Listers): () => void {
  const pods = new PodHandler(context);
  const removePods = listers.pods.addHandler({
    add: (pod) => pods.add(pod),
    update: (pod, previous) => pods.update(previous, pod),
    delete: (pod) => pods.delete(pod),
  });
  const removeNodes = listers.nodes.addHandler({
    add: (node) => timed(context, NODE_ADD, () => {
      context.cache.setNode(node);
      context.queue.moveAll(NODE_ADD, undefined, node);
    }),
    update: (node, previous) => updateNode(context, previous, node),
    delete: (node) => timed(context, NODE_DELETE, () => {
      context.cache.removeNode(node.metadata?.name ?? '');
      context.queue.moveAll(NODE_DELETE, node, undefined);
    }),
  });
  const removers = [
    removePods,
    removeNodes,
    watch(context, listers.claims, 'PersistentVolumeClaim'),
    watch(context, listers.volumes, 'PersistentVolume'),
    watch(context, listers.classes, 'storage.k8s.io/StorageClass'),
    watch(context, listers.csiNodes, 'storage.k8s.io/CSINode'),
    watch(context, listers.drivers, 'storage.k8s.io/CSIDriver'),
    watch(context, listers.capacities, 'storage.k8s.io/CSIStorageCapacity'),
    watch(context, listers.attachments, 'storage.k8s.io/VolumeAttachment'),
    watch(context, listers.resourceClaims, 'resource.k8s.io/ResourceClaim'),
  ];
  return () => removers.forEach((remove) => remove());
}

function watch<T extends KubeObject>(context: HandlerContext, informer: Informer<T>, resource: EventResource): () => void {
  const added = clusterEvent(resource, Action.Add);
  const updated = clusterEvent(resource, Action.Update);
  const deleted = clusterEvent(resource, Action.Delete);
  return informer.addHandler({
    add: (object) => timed(context, added, () => context.queue.moveAll(added, undefined, object)),
    update: (object, previous) => timed(context, updated, () => context.queue.moveAll(updated, previous, object)),
    delete: (object) => timed(context, deleted, () => context.queue.moveAll(deleted, object, undefined)),
  });
}

function updateNode(context: HandlerContext, previous: V1Node, node: V1Node): void {
  const start = context.clock.monotonic();
  context.cache.setNode(node);
  for (const event of nodeChanges(previous, node)) {
    context.queue.moveAll(event, previous, node);
    context.metrics.handled(event.label, (context.clock.monotonic() - start) / 1000);
  }
}

function timed({ clock, metrics }: HandlerContext, event: ClusterEvent, work: () => void): void {
  const start = clock.monotonic();
  work();
  metrics.handled(event.label, (clock.monotonic() - start) / 1000);
}

const isAssigned = (pod: V1Pod): boolean => Boolean(pod.spec?.nodeName);
const uidOf = (pod: V1Pod): string => pod.metadata?.uid ?? '';

class PodHandler {
  constructor(private readonly context: HandlerContext) {}

  add(pod: V1Pod): void {
    if (isPodTerminal(pod)) return;
    if (isAssigned(pod)) this.addAssigned(pod);
    else if (this.context.isResponsible(pod)) timed(this.context, UNSCHEDULED_POD_ADD, () => this.context.queue.add(pod));
  }

  update(previous: V1Pod, pod: V1Pod): void {
    if (uidOf(previous) !== uidOf(pod) || isPodTerminal(pod)) {
      if (!isPodTerminal(previous)) this.delete(previous);
      if (!isPodTerminal(pod)) this.add(pod);
    } else if (isAssigned(previous)) this.updateAssigned(previous, pod);
    else if (isAssigned(pod)) {
      this.addAssigned(pod);
      this.context.queue.delete(uidOf(pod));
      this.context.status.forget(uidOf(pod));
    } else if (this.context.isResponsible(pod)) timed(this.context, UNSCHEDULED_POD_UPDATE, () => this.updatePending(previous, pod));
  }

  delete(pod: V1Pod): void {
    const { cache, queue } = this.context;
    if (isAssigned(pod)) {
      timed(this.context, ASSIGNED_POD_DELETE, () => {
        cache.removePod(uidOf(pod));
        queue.moveAll(ASSIGNED_POD_DELETE, pod, undefined);
      });
      return;
    }
    if (!this.context.isResponsible(pod)) return;
    queue.delete(uidOf(pod));
    this.context.status.forget(uidOf(pod));
    if (cache.isAssumed(uidOf(pod))) this.dropAssumed(pod);
    else if (pod.status?.nominatedNodeName) this.nominationEnded(pod);
  }

  private addAssigned(pod: V1Pod): void {
    timed(this.context, ASSIGNED_POD_ADD, () => {
      this.context.cache.setPod(pod);
      this.context.queue.moveAll(ASSIGNED_POD_ADD, undefined, pod);
    });
  }

  private updateAssigned(previous: V1Pod, pod: V1Pod): void {
    const { cache, queue, clock, metrics } = this.context;
    const start = clock.monotonic();
    cache.setPod(pod);
    for (const event of podChanges(previous, pod)) {
      queue.moveAll(event, previous, pod);
      metrics.handled(event.label, (clock.monotonic() - start) / 1000);
    }
  }

  private updatePending(previous: V1Pod, pod: V1Pod): void {
    if (this.context.cache.isAssumed(uidOf(pod))) {
      if (pod.metadata?.deletionTimestamp !== undefined && previous.metadata?.deletionTimestamp === undefined) this.dropAssumed(pod);
      return;
    }
    this.context.queue.update(previous, pod);
    const nominated = previous.status?.nominatedNodeName ?? '';
    if (nominated !== '' && nominated !== pod.status?.nominatedNodeName) this.nominationEnded(previous);
  }

  /** A pod that is placed but not bound is to go: its place is free. */
  private dropAssumed(pod: V1Pod): void {
    const { cache, queue } = this.context;
    const assumed = cache.pod(uidOf(pod));
    if (!assumed) return;
    if (!this.context.cancelPreBind(assumed.uid, 'the pod is deleted')) cache.forget(assumed.uid);
    const { spec } = pod;
    queue.moveAll(ASSIGNED_POD_DELETE, { ...pod, spec: { ...spec, containers: spec?.containers ?? [], nodeName: assumed.nodeName } } as V1Pod, undefined);
  }

  /** The room that a nominated pod had may now serve pods that are not more important. */
  private nominationEnded(pod: V1Pod): void {
    const priority = pod.spec?.priority ?? 0;
    this.context.queue.moveAll(ASSIGNED_POD_DELETE, pod, undefined, (other) => other.priority <= priority);
  }
}
