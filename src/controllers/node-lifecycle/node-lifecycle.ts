import type { V1Lease, V1Node, V1Pod, V1Taint } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';
import { isPodReady } from '../../api/helpers/pod-state.js';
import { LEASES, NODES, PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { CancelTimer } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Informer } from '../../client/index.js';
import type { Controller, ControllerContext } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { timestamp } from '../../api/meta/timestamp.js';
import { Heartbeats, silentConditions } from './heartbeat.js';
import { wantedEviction, wantedTaints, withEvictionTaint, withScheduleTaints } from './taints.js';
import { evictionRate, RateLimit, zoneOf } from './zones.js';

/** Upstream's `--node-monitor-period`. */
const MONITOR_MILLISECONDS = 5000;
const LEASE_NAMESPACE = 'kube-node-lease';
/** Index of pods by the node they are on; shared with others that ask for the same informer. */
const BY_NODE = 'node-lifecycle/node';

/** The node lifecycle controller; see its descriptor. */
export class NodeLifecycle implements Controller {
  private readonly nodes: Informer<V1Node>;
  private readonly pods: Informer<V1Pod>;
  private readonly heartbeats = new Heartbeats();
  private readonly known = new Set<string>();
  private readonly limits = new Map<string, RateLimit>();
  private readonly queue;
  private readonly loop: Controller;
  private cancel: CancelTimer | undefined;
  private stopped = false;

  constructor(private readonly context: ControllerContext) {
    this.nodes = context.informers.informer(NODES);
    this.pods = context.informers.informer(PODS);
    const leases = context.informers.informer(LEASES, { namespace: LEASE_NAMESPACE });
    this.pods.addIndex(BY_NODE, (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
    this.queue = controllerQueue(context, 'node-lifecycle');
    const enqueue = (node: V1Node): void => this.queue.add(node.metadata?.name ?? '');
    const cleanup = [
      this.nodes.addHandler({ add: enqueue, update: enqueue, delete: (node) => this.forget(node) }),
      this.pods.addHandler({
        // A pod that comes to a node which is not ready must not count as ready either.
        update: (pod, previous) => {
          if (pod.spec?.nodeName && !isPodReady(previous) && isPodReady(pod) && this.isUnready(pod.spec.nodeName)) this.queue.add(pod.spec.nodeName);
        },
      }),
    ];
    this.loop = controllerLoop(context, this.queue, { name: 'node-lifecycle', workers: 8, informers: [this.nodes, this.pods, leases], cleanup, reconcile: (name) => this.reconcile(name) });
    void Promise.all([this.nodes, leases].map((informer) => informer.whenSynced())).then(() => this.monitor(leases), () => undefined);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    await this.loop.stop();
  }

  /** Looks for silent nodes every five seconds; a thousand map look-ups, no requests unless something is wrong. */
  private monitor(leases: Informer<V1Lease>): void {
    if (this.stopped) return;
    const { clock, options, log } = this.context;
    const now = clock.monotonic();
    const byZone = new Map<string, V1Node[]>();
    for (const node of this.nodes.list()) {
      const name = node.metadata?.name ?? '';
      const zone = zoneOf(node);
      byZone.set(zone, [...(byZone.get(zone) ?? []), node]);
      const silence = this.heartbeats.silence(node, leases.get(LEASE_NAMESPACE, name), now);
      if (silence > options.nodeMonitorGracePeriodSeconds * 1000) {
        this.markSilent(node).catch((error: unknown) => log.warn('cannot mark a silent node', { node: name, error: errorMessage(error) }));
      }
    }
    for (const [zone, members] of byZone) this.evictFrom(zone, members, now);
    this.cancel = clock.setTimeout(() => this.monitor(leases), MONITOR_MILLISECONDS, { unref: true });
  }

  private async markSilent(node: V1Node): Promise<void> {
    const conditions = silentConditions(node, timestamp(this.context.clock.now()));
    if (conditions === (node.status?.conditions ?? [])) return;
    const wasReady = findCondition(node.status?.conditions, 'Ready')?.status === 'True';
    try {
      await this.context.client.resource(NODES).updateStatus({ ...node, status: { ...node.status, conditions } });
    } catch (error) {
      // Somebody else wrote the node: then it may not be silent; the next round looks again.
      if (StatusError.is(error, 'Conflict') || StatusError.is(error, 'NotFound')) return;
      throw error;
    }
    if (wasReady) this.notReadyEvent(node);
  }

  private notReadyEvent(node: V1Node): void {
    const name = node.metadata?.name ?? '';
    this.context.recorder.event(node, 'Normal', 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
  }

  /** NoExecute taints make pods leave; they are given at a limited rate, so that a fault of ours does not empty a zone. */
  private evictFrom(zone: string, members: readonly V1Node[], now: number): void {
    const limit = this.limits.get(zone) ?? new RateLimit();
    this.limits.set(zone, limit);
    const rate = evictionRate(members);
    for (const node of members) {
      const key = wantedEviction(node);
      const taints = node.spec?.taints ?? [];
      if (!key || withEvictionTaint(taints, key, '') === taints) continue;
      if (!limit.allow(now, rate)) return;
      void this.writeTaints(node, (current, time) => withEvictionTaint(current, key, time));
    }
  }

  private async reconcile(name: string): Promise<void> {
    const node = this.nodes.get('', name);
    if (!node) return;
    if (!this.known.has(name)) {
      this.known.add(name);
      this.context.recorder.event(node, 'Normal', 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
    }
    const keys = wantedTaints(node);
    // A node that came back is freed at once; only giving up is slow.
    const recovered = wantedEviction(node) === undefined;
    await this.writeTaints(node, (current, time) => {
      const scheduled = withScheduleTaints(current, keys, time);
      return recovered ? withEvictionTaint(scheduled, undefined, time) : scheduled;
    });
    if (!recovered) await this.markPodsNotReady(name);
  }

  private async writeTaints(node: V1Node, change: (taints: readonly V1Taint[], timeAdded: string) => readonly V1Taint[]): Promise<void> {
    const before = node.spec?.taints ?? [];
    const taints = change(before, timestamp(this.context.clock.now()));
    if (taints === before) return;
    const name = node.metadata?.name ?? '';
    try {
      await this.context.client.resource(NODES).patch('', name, 'merge', { metadata: { resourceVersion: node.metadata?.resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } });
    } catch (error) {
      if (StatusError.is(error, 'NotFound')) return;
      if (!StatusError.is(error, 'Conflict')) throw error;
      // The change that came between brings the node back into the queue.
    }
  }

  private async markPodsNotReady(nodeName: string): Promise<void> {
    const time = timestamp(this.context.clock.now());
    const ready = this.pods.byIndex(BY_NODE, nodeName).filter((pod) => isPodReady(pod) && !pod.metadata?.deletionTimestamp);
    await Promise.all(ready.map(async (pod) => {
      const { namespace = '', name = '', uid } = pod.metadata ?? {};
      const condition = { type: 'Ready', status: 'False', lastTransitionTime: time };
      await this.context.client.resource(PODS).patch(namespace, name, 'strategic', { metadata: { uid }, status: { conditions: [condition] } }, 'status').catch((error: unknown) => {
        if (!StatusError.is(error, 'NotFound') && !StatusError.is(error, 'Conflict')) throw error;
      });
      this.context.recorder.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
    }));
  }

  private isUnready(nodeName: string): boolean {
    const node = this.nodes.get('', nodeName);
    return node !== undefined && wantedEviction(node) !== undefined;
  }

  private forget(node: V1Node): void {
    const name = node.metadata?.name ?? '';
    this.known.delete(name);
    this.heartbeats.forget(name);
    this.context.recorder.event(node, 'Normal', 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
  }
}
