import type { SimOptions } from './runtime/sim/index.js';

/** A node that an agent runs. */
export interface NodeSpec {
  readonly name: string;
  /** Beside the standard ones. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' }[];
  /** Quantities by resource; what is not named is taken from {@link DEFAULT_CAPACITY}. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** Capacity minus what is reserved; default: the capacity. */
  readonly allocatable?: Readonly<Record<string, string>>;
}

/** Settings of a node agent; frozen and structured-cloneable. */
export interface NodeAgentOptions {
  /** The nodes; or, in their stead, {@link simulatedNodes}. */
  readonly nodes?: readonly NodeSpec[];
  /** So many nodes named `node-1`, `node-2`, …; default 1. */
  readonly simulatedNodes?: number;
  /** Labels, taints and capacity of the nodes counted by {@link simulatedNodes}. */
  readonly nodeTemplate?: Omit<NodeSpec, 'name'>;
  /** Address on which the agent's HTTPS server listens. */
  readonly bindAddress: string;
  /** 0: a free port. Upstream's is 10250. */
  readonly port: number;
  /** Internal address of the nodes, under which the API server reaches the agent; default: {@link bindAddress}. */
  readonly address?: string;
  /** Serving certificate and key, PEM. */
  readonly serving: { readonly certificate: string; readonly key: string };
  /** PEM bundle; clients must show a certificate that it signed. */
  readonly clientCa: string;
  /** Latencies and addresses of simulated pods. */
  readonly sim?: SimOptions;
  /** As nodes report it; default `v1.36.0`. */
  readonly kubeletVersion?: string;
  /** Which events about pods are recorded; default `all` up to 50 nodes, `warnings` above. */
  readonly podEvents?: 'all' | 'warnings';
  /** Default 10: seconds between renewals of a node's lease. It lasts 40 s. */
  readonly leaseRenewSeconds?: number;
  /** Default 300: seconds between reports of a node's status that did not change. */
  readonly statusReportSeconds?: number;
  /** Default 3000: how long the first pods of a node wait for its pod CIDR. */
  readonly podCidrWaitMilliseconds?: number;
}

/** What a node has unless told otherwise. */
export const DEFAULT_CAPACITY: Readonly<Record<string, string>> = Object.freeze({
  cpu: '16', memory: '64Gi', pods: '110', 'ephemeral-storage': '256Gi', 'hugepages-1Gi': '0', 'hugepages-2Mi': '0',
});

/** The nodes that the options ask for. */
export function nodeSpecs(options: NodeAgentOptions): readonly NodeSpec[] {
  if (options.nodes) return options.nodes;
  return Array.from({ length: options.simulatedNodes ?? 1 }, (_, index) => ({ ...options.nodeTemplate, name: `node-${index + 1}` }));
}
