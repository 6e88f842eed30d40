import type { V1Node, V1Pod, V1Taint } from '../../api/generated/types.js';
import { toleratesTaint } from '../../api/helpers/tolerations.js';
import { withCondition } from '../../api/helpers/conditions.js';
import { NODES, PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { parseTimestamp, timestamp } from '../../api/meta/timestamp.js';

const BY_NODE = 'taint-eviction/node';

/**
 * When a pod has to leave a node with these NoExecute taints: milliseconds since the epoch, `never`, counted from when the taint was added
 * (upstream counts from when it sees it; the taint's own time survives a restart).
 */
export function evictionTime(pod: V1Pod, taints: readonly V1Taint[], now: number): number | 'never' {
  let leave: number | 'never' = 'never';
  for (const taint of taints) {
    const covering = (pod.spec?.tolerations ?? []).filter((toleration) => toleratesTaint(toleration, taint));
    if (covering.length === 0) return now;
    const seconds = covering.flatMap(({ tolerationSeconds }) => (tolerationSeconds === undefined ? [] : [tolerationSeconds]));
    if (seconds.length === 0) continue;
    const at = (parseTimestamp(taint.timeAdded) ?? now) + Math.max(0, Math.min(...seconds)) * 1000;
    leave = leave === 'never' ? at : Math.min(leave, at);
  }
  return leave;
}

function noExecute(node: V1Node | undefined): readonly V1Taint[] {
  return (node?.spec?.taints ?? []).filter((taint) => taint.effect === 'NoExecute');
}

/** Deletes pods from nodes whose NoExecute taints they do not tolerate, or not for so long. */
export const taintEvictionController: ControllerDescriptor = {
  name: 'taint-eviction-controller',
  serviceAccount: 'node-controller',
  enabledByDefault: true,
  start: (context) => {
    const { clock, recorder } = context;
    const queue = controllerQueue(context, 'taint-eviction');
    const nodes = context.informers.informer(NODES);
    const pods = context.informers.informer(PODS);
    const client = context.client.resource(PODS);
    pods.addIndex(BY_NODE, (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
    const enqueueNode = (node: V1Node): void => {
      for (const pod of pods.byIndex(BY_NODE, node.metadata?.name ?? '')) queue.add(keyOf(pod));
    };
    const enqueuePod = (pod: V1Pod): void => {
      if (pod.spec?.nodeName && noExecute(nodes.get('', pod.spec.nodeName)).length > 0) queue.add(keyOf(pod));
    };
    const waiting = new Set<string>();
    const cleanup = [
      nodes.addHandler({
        add: (node) => {
          if (noExecute(node).length > 0) enqueueNode(node);
        },
        update: (node, previous) => {
          if (node.spec?.taints !== previous.spec?.taints && (noExecute(node).length > 0 || noExecute(previous).length > 0)) enqueueNode(node);
        },
      }),
      pods.addHandler({
        add: enqueuePod,
        update: (pod, previous) => {
          if (pod.spec !== previous.spec) enqueuePod(pod);
        },
        delete: (pod) => waiting.delete(keyOf(pod)),
      }),
    ];
    return controllerLoop(context, queue, {
      name: 'taint-eviction',
      workers: 8,
      informers: [nodes, pods],
      cleanup,
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const pod = pods.get(namespace, name);
        if (!pod?.spec?.nodeName || pod.metadata?.deletionTimestamp) return undefined;
        const now = clock.now();
        const at = evictionTime(pod, noExecute(nodes.get('', pod.spec.nodeName)), now);
        if (at === 'never') {
          if (waiting.delete(key)) recorder.event(pod, 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`);
          return undefined;
        }
        if (at > now) {
          waiting.add(key);
          return { requeueAfterMilliseconds: at - now };
        }
        waiting.delete(key);
        recorder.event(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`);
        const condition = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint', lastTransitionTime: timestamp(now) };
        const { uid } = pod.metadata ?? {};
        try {
          await client.patch(namespace, name, 'strategic', { metadata: { uid }, status: { conditions: withCondition(pod.status?.conditions, condition) } }, 'status');
          await client.delete(namespace, name, uid ? { preconditions: { uid } } : {});
        } catch (error) {
          if (!StatusError.is(error, 'NotFound')) throw error;
        }
        return undefined;
      },
    });
  },
};
