import { NODES, PODS } from '../api/resource-refs.js';
import { isPodTerminal } from '../api/helpers/pod-state.js';
import { errorMessage, KubeError } from '../base/errors.js';
import type { DataDirectory } from './data-directory.js';
import { readRunState } from './run-state.js';
import { isReady, withClient } from './status.js';

/** A node as `kube node list` shows it. */
export interface ListedNode {
  readonly name: string;
  readonly ready: boolean;
  readonly schedulable: boolean;
  /** Null when it has none. */
  readonly address: string | null;
  /** `sim://0.1.0`, `runc://1.1.5`. */
  readonly containerRuntime: string;
  /** Pods that have not ended. */
  readonly pods: number;
  readonly podCapacity: number;
  readonly version: string;
}

/** What `kube node list -o json` prints. */
export interface NodeList {
  readonly dataDir: string;
  readonly nodes: readonly ListedNode[];
}

/** Asks the API server of a data directory for its nodes. Throws `KUBE_NOT_RUNNING` when none runs, `KUBE_UNREACHABLE` when it gives no (good) answer. */
export async function listNodes(directory: DataDirectory): Promise<NodeList> {
  const found = await readRunState(directory);
  if (!found?.alive) throw new KubeError('KUBE_NOT_RUNNING', `no cluster runs in ${directory.path}; start it with "kube run all --data-dir ${directory.path}"`);
  const [nodes, pods] = await withClient(directory.kubeconfig, (client) => Promise.all([client.resource(NODES).list(''), client.resource(PODS).list('')])).catch((error: unknown) => {
    throw new KubeError('KUBE_UNREACHABLE', `the cluster in ${directory.path} does not answer as it should: ${errorMessage(error)}`, { cause: error });
  });
  const counts = new Map<string, number>();
  for (const pod of pods.items) if (!isPodTerminal(pod)) counts.set(pod.spec?.nodeName ?? '', (counts.get(pod.spec?.nodeName ?? '') ?? 0) + 1);
  return {
    dataDir: directory.path,
    nodes: nodes.items.map((node) => ({
      name: node.metadata!.name!,
      ready: isReady(node),
      schedulable: node.spec?.unschedulable !== true,
      address: node.status?.addresses?.find((address) => address.type === 'InternalIP')?.address ?? null,
      containerRuntime: node.status?.nodeInfo?.containerRuntimeVersion ?? '',
      pods: counts.get(node.metadata!.name!) ?? 0,
      podCapacity: Number(node.status?.allocatable?.['pods'] ?? 0),
      version: node.status?.nodeInfo?.kubeletVersion ?? '',
    })),
  };
}
