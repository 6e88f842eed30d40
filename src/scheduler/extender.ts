import type { V1Node, V1Pod } from '../api/generated/types.js';
import type { NodeInfo } from './cache/node-info.js';
import type { PodInfo } from './cache/pod-info.js';
import type { Snapshot } from './cache/snapshot.js';
import type { ExtenderOptions } from './options.js';
import type { Victims } from './plugins/preemption-victims.js';

/** What an extender says about nodes: which fit, and why others do not. */
export interface ExtenderFilterResult {
  readonly feasible: ReadonlySet<string>;
  readonly failed: Readonly<Record<string, string>>;
  readonly failedAndUnresolvable: Readonly<Record<string, string>>;
}

/** A scheduling policy outside this process. The methods that it does not support are absent; they reject when it cannot be reached. */
export interface Extender {
  readonly name: string;
  /** Its errors do not stop scheduling. */
  readonly ignorable: boolean;
  /** Factor of its scores. */
  readonly weight: number;
  isInterested(pod: V1Pod): boolean;
  filter?(pod: PodInfo, nodes: readonly NodeInfo[]): Promise<ExtenderFilterResult>;
  /** Scores 0 to 10 by node name. */
  prioritize?(pod: PodInfo, nodes: readonly NodeInfo[]): Promise<ReadonlyMap<string, number>>;
  /** Narrows down candidates and their victims. */
  preempt?(pod: PodInfo, candidates: readonly Victims[], snapshot: Snapshot): Promise<readonly Victims[]>;
  bind?(pod: PodInfo, nodeName: string): Promise<void>;
}

/** Sends a JSON document by POST and returns the answer's; rejects unless it is a 200 in time. */
export type PostJson = (url: string, body: unknown, timeoutMilliseconds: number) => Promise<unknown>;

interface FilterAnswer {
  readonly Nodes?: { readonly items?: readonly V1Node[] } | null;
  readonly NodeNames?: readonly string[] | null;
  readonly FailedNodes?: Readonly<Record<string, string>> | null;
  readonly FailedAndUnresolvableNodes?: Readonly<Record<string, string>> | null;
  readonly Error?: string;
}

interface MetaVictims {
  readonly Pods?: readonly { readonly UID: string }[] | null;
  readonly NumPDBViolations?: number;
}

const DEFAULT_TIMEOUT_SECONDS = 5;

/** An extender behind the HTTP protocol of `k8s.io/kube-scheduler/extender/v1`. */
export function httpExtender(options: ExtenderOptions, post: PostJson): Extender {
  const managed = new Set(options.managedResources?.map((one) => one.name));
  const base = options.urlPrefix.replace(/\/+$/, '');
  const timeout = (options.httpTimeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  const send = (verb: string, body: unknown): Promise<unknown> => post(`${base}/${verb}`, body, timeout);
  const args = (pod: PodInfo, nodes: readonly NodeInfo[]): unknown =>
    options.nodeCacheCapable
      ? { Pod: pod.pod, Nodes: null, NodeNames: nodes.map((one) => one.name) }
      : { Pod: pod.pod, Nodes: { items: nodes.map((one) => one.node) }, NodeNames: null };
  const { filterVerb, prioritizeVerb, preemptVerb, bindVerb } = options;
  return {
    name: options.urlPrefix,
    ignorable: options.ignorable ?? false,
    weight: options.weight ?? 1,
    isInterested: (pod) => managed.size === 0 || requestsAny(pod, managed),
    ...(filterVerb
      ? {
          filter: async (pod: PodInfo, nodes: readonly NodeInfo[]) => {
            const answer = (await send(filterVerb, args(pod, nodes))) as FilterAnswer;
            if (answer.Error) throw new Error(answer.Error);
            const names = options.nodeCacheCapable && answer.NodeNames ? answer.NodeNames : (answer.Nodes?.items ?? []).map((one) => one.metadata?.name ?? '');
            const known = new Set(nodes.map((one) => one.name));
            const stranger = names.find((name) => !known.has(name));
            if (stranger !== undefined) throw new Error(`extender "${options.urlPrefix}" claims a filtered node "${stranger}" which is not found in the input node list`);
            return { feasible: new Set(names), failed: answer.FailedNodes ?? {}, failedAndUnresolvable: answer.FailedAndUnresolvableNodes ?? {} };
          },
        }
      : {}),
    ...(prioritizeVerb
      ? {
          prioritize: async (pod: PodInfo, nodes: readonly NodeInfo[]) => {
            const answer = (await send(prioritizeVerb, args(pod, nodes))) as readonly { readonly Host: string; readonly Score: number }[];
            return new Map(answer.map((one) => [one.Host, one.Score]));
          },
        }
      : {}),
    ...(preemptVerb
      ? {
          preempt: async (pod: PodInfo, candidates: readonly Victims[], snapshot: Snapshot) => {
            const victims = options.nodeCacheCapable
              ? { NodeNameToMetaVictims: byNode(candidates, (one) => ({ UID: one.uid })) }
              : { NodeNameToVictims: byNode(candidates, (one) => one.pod) };
            const answer = (await send(preemptVerb, { Pod: pod.pod, ...victims })) as { readonly NodeNameToMetaVictims?: Readonly<Record<string, MetaVictims>> };
            return Object.entries(answer.NodeNameToMetaVictims ?? {}).map(([nodeName, one]) => fromMeta(options.urlPrefix, nodeName, one, snapshot));
          },
        }
      : {}),
    ...(bindVerb
      ? {
          bind: async (pod: PodInfo, nodeName: string) => {
            const answer = (await send(bindVerb, { PodName: pod.name, PodNamespace: pod.namespace, PodUID: pod.uid, Node: nodeName })) as { readonly Error?: string };
            if (answer.Error) throw new Error(answer.Error);
          },
        }
      : {}),
  };
}

function requestsAny(pod: V1Pod, managed: ReadonlySet<string>): boolean {
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].some(({ resources }) =>
    [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some((name) => managed.has(name)),
  );
}

function byNode(candidates: readonly Victims[], podOf: (pod: PodInfo) => unknown): Record<string, unknown> {
  return Object.fromEntries(candidates.map((one) => [one.nodeName, { Pods: one.pods.map(podOf), NumPDBViolations: one.budgetViolations }]));
}

function fromMeta(extender: string, nodeName: string, meta: MetaVictims, snapshot: Snapshot): Victims {
  const node = snapshot.get(nodeName);
  if (!node) throw new Error(`nodeinfo not found for node name "${nodeName}"`);
  const pods = (meta.Pods ?? []).map(({ UID }) => {
    const pod = node.pods.find((one) => one.uid === UID);
    if (!pod) throw new Error(`extender: ${extender} claims to preempt pod (UID: ${UID}) on node: ${nodeName}, but the pod is not found on that node`);
    return pod;
  });
  return { nodeName, pods, budgetViolations: meta.NumPDBViolations ?? 0 };
}
