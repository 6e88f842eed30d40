import type { NodeHost } from '../host.js';

/** What pods with real containers need to know about their node; simulated nodes have none of it. */
export interface LocalNode {
  readonly host: NodeHost;
  /** Addresses of the cluster's DNS; empty: pods use the node's. */
  readonly clusterDns: readonly string[];
  /** `cluster.local`. */
  readonly clusterDomain: string;
  /** Memory of the machine, in bytes: OOM scores are shares of it. */
  readonly memoryBytes: number;
  /** The node's own resolv.conf; default `/etc/resolv.conf`. */
  readonly resolvConf: string;
  /** Whether the kernel enforces AppArmor profiles. */
  readonly appArmor: boolean;
}

/** Folder of a pod: its volumes, its hosts file. The same names as upstream's below its root directory. */
export function podFolder(local: LocalNode, uid: string): string {
  return `${local.host.stateFolder}/pods/${uid}`;
}

/** Folder of the folders of pods' logs. */
export function podLogsFolder(local: LocalNode): string {
  return `${local.host.stateFolder}/logs`;
}

/** Folder of a pod's logs: `<namespace>_<name>_<uid>`, as log collectors expect it. */
export function podLogFolder(local: LocalNode, pod: { readonly namespace: string; readonly name: string; readonly uid: string }): string {
  return `${podLogsFolder(local)}/${pod.namespace}_${pod.name}_${pod.uid}`;
}
