import type { V1Pod } from '../../api/generated/types.js';
import { withCondition } from '../../api/helpers/conditions.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import { NODES, PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import { Rounds } from '../../base/rounds.js';
import type { Informer } from '../../client/index.js';
import type { V1Node } from '../../api/generated/types.js';
import type { Controller, ControllerContext, ControllerDescriptor } from '../controller.js';
import { timestamp } from '../../api/meta/timestamp.js';

/** Upstream's period of the collection. */
const PERIOD_MILLISECONDS = 20_000;
/** A node has to be absent this long before its pods are taken for orphans. */
const QUARANTINE_MILLISECONDS = 40_000;
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** Removes pods that nobody will finish: of nodes that are gone, finished ones above the threshold, terminating ones that were never scheduled. */
export const podGcController: ControllerDescriptor = {
  name: 'pod-garbage-collector-controller',
  serviceAccount: 'pod-garbage-collector',
  enabledByDefault: true,
  start: (context) => new PodGc(context),
};

class PodGc implements Controller {
  private readonly pods: Informer<V1Pod>;
  private readonly nodes: Informer<V1Node>;
  /** Absent node -> since when, on the monotonic clock. */
  private readonly absent = new Map<string, number>();
  private readonly rounds: Rounds;

  constructor(private readonly context: ControllerContext) {
    this.pods = context.informers.informer(PODS);
    this.nodes = context.informers.informer(NODES);
    this.rounds = new Rounds(context.clock, async () => {
      await this.collect().catch((error: unknown) => context.log.warn('pod collection failed', { error: errorMessage(error) }));
      return PERIOD_MILLISECONDS;
    });
    void Promise.all([this.pods.whenSynced(), this.nodes.whenSynced()]).then(() => this.rounds.start(PERIOD_MILLISECONDS), () => undefined);
  }

  stop(): Promise<void> {
    return this.rounds.stop();
  }

  private async collect(): Promise<void> {
    const pods = this.pods.list();
    const doomed = new Map<V1Pod, (() => Promise<void>)>();
    const threshold = this.context.options.terminatedPodGcThreshold;
    if (threshold > 0) {
      const finished = pods.filter((pod) => isPodTerminal(pod) && !pod.metadata?.deletionTimestamp);
      const surplus = finished.length - threshold;
      const created = (pod: V1Pod): string => `${pod.metadata?.creationTimestamp ?? ''} ${pod.metadata?.name ?? ''}`;
      if (surplus > 0) for (const pod of finished.sort((a, b) => (created(a) < created(b) ? -1 : 1)).slice(0, surplus)) doomed.set(pod, () => this.remove(pod));
    }
    const orphanedNodes = await this.orphanedNodes(pods);
    for (const pod of pods) {
      const nodeName = pod.spec?.nodeName;
      if (!nodeName) {
        if (pod.metadata?.deletionTimestamp) doomed.set(pod, () => this.remove(pod));
      } else if (orphanedNodes.has(nodeName)) {
        doomed.set(pod, () => this.remove(pod, { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' }));
      } else if (pod.metadata?.deletionTimestamp && this.isOutOfService(nodeName)) {
        doomed.set(pod, () => this.remove(pod, { reason: 'DeletionByPodGC', message: 'PodGC: node is out of service' }));
      }
    }
    for (const removal of doomed.values()) await removal();
  }

  /** Nodes that pods name and that have been absent long enough; the API has the last word, a local copy may be late. */
  private async orphanedNodes(pods: readonly V1Pod[]): Promise<ReadonlySet<string>> {
    const now = this.context.clock.monotonic();
    const named = new Set(pods.flatMap((pod) => (pod.spec?.nodeName && !this.nodes.get('', pod.spec.nodeName) ? [pod.spec.nodeName] : [])));
    for (const name of this.absent.keys()) if (!named.has(name)) this.absent.delete(name);
    const orphaned = new Set<string>();
    for (const name of named) {
      const since = this.absent.get(name) ?? now;
      this.absent.set(name, since);
      if (now - since < QUARANTINE_MILLISECONDS) continue;
      const gone = await this.context.client.resource(NODES).get('', name).then(() => false, (error: unknown) => StatusError.is(error, 'NotFound'));
      if (gone) orphaned.add(name);
    }
    return orphaned;
  }

  private isOutOfService(nodeName: string): boolean {
    const node = this.nodes.get('', nodeName);
    const ready = node?.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
    return !ready && (node?.spec?.taints?.some((taint) => taint.key === OUT_OF_SERVICE) ?? false);
  }

  private async remove(pod: V1Pod, disruption?: { readonly reason: string; readonly message: string }): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata ?? {};
    const client = this.context.client.resource(PODS);
    try {
      if (!isPodTerminal(pod) || disruption) {
        const conditions = disruption ? withCondition(pod.status?.conditions, { type: 'DisruptionTarget', status: 'True', lastTransitionTime: timestamp(this.context.clock.now()), ...disruption }) : undefined;
        // A pod that disappears without a final phase would count as running for whoever still looks at it.
        const status = { ...(isPodTerminal(pod) ? {} : { phase: 'Failed' }), ...(conditions ? { conditions } : {}) };
        await client.patch(namespace, name, 'strategic', { metadata: { uid }, status }, 'status');
      }
      await client.delete(namespace, name, { gracePeriodSeconds: 0, ...(uid ? { preconditions: { uid } } : {}) });
    } catch (error) {
      if (!StatusError.is(error, 'NotFound') && !StatusError.is(error, 'Conflict')) throw error;
    }
  }
}
