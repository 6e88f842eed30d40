import type { AccessSettings } from './access/access-settings.js';
import type { EtcdSettings } from './etcd-location.js';
import type { NativeSettings } from './native/native-settings.js';

/** Settings of the API server as the user gives them; the composition root fills in the rest. */
export interface ServerSettings {
  readonly bindAddress: string;
  /** Further addresses with the same port: the one under which pods reach it. */
  readonly alsoBindAddresses?: readonly string[];
  /** Further addresses that the serving certificates of the server and of node agents are valid for. */
  readonly certificateAddresses?: readonly string[];
  /** 0: a free port. */
  readonly securePort: number;
  /** Default: the bind address, or the host's first address when that is a loopback or wildcard one. */
  readonly advertiseAddress?: string;
  readonly store: 'leveldb' | 'memory';
  /** An etcd instead of `store`, which other servers may share. */
  readonly etcd?: EtcdSettings;
  readonly serviceClusterIpRange: string;
  readonly serviceNodePortRange: { readonly from: number; readonly to: number };
  readonly authorizationModes: readonly string[];
  readonly anonymousAuth: boolean;
  /** Files about users and their rights; default: none. */
  readonly access?: AccessSettings;
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
  /** File with the configuration of admission plugins. */
  readonly admissionControlConfigFile?: string;
  readonly eventTtlSeconds: number;
  readonly requestTimeoutMilliseconds: number;
  readonly serviceAccountIssuer: string;
}

/** Settings of the controllers. */
export interface ControllersSettings {
  /** `*`, names, and `-names`, as upstream's `--controllers`. */
  readonly controllers: readonly string[];
  readonly clusterCidr: string;
  readonly nodeCidrMaskSize: number;
  readonly serviceClusterIpRange: string;
  readonly nodeMonitorGracePeriodSeconds: number;
  readonly terminatedPodGcThreshold: number;
}

/** Settings of the node agent. */
export interface NodeSettings {
  /** Decided by the composition root; `auto` is `native` where the host allows it. */
  readonly containerRuntime: 'auto' | 'native' | 'sim';
  /** Number of simulated nodes; 0: none. Not with native containers. */
  readonly simulatedNodes: number;
  /** Name of the node, or the first part of the names. */
  readonly nodeName?: string;
  /** 0: a free port. */
  readonly kubeletPort: number;
  /** Address of the agent's own server. */
  readonly bindAddress: string;
  /** Address of a native node. Default: the host's first address. */
  readonly nodeIp?: string;
  readonly clusterDomain: string;
  /** Of a native node. */
  readonly maxPods: number;
  /** `auto`: the network of native pods comes from a CNI configuration where there is one. */
  readonly cni: 'auto' | 'never';
  /** File about image registries. */
  readonly registryConfig?: string;
  /** Native containers go on when the cluster stops. */
  readonly keepPods: boolean;
}

/** Settings of a whole cluster in one process. */
export interface ClusterSettings {
  /** Present when pods are native containers of this host. */
  readonly native?: NativeSettings;
  readonly server: ServerSettings;
  readonly controllers: ControllersSettings;
  readonly node: NodeSettings;
}

/** What a cluster is like when nothing is said. */
export const DEFAULT_SETTINGS: ClusterSettings = {
  server: {
    bindAddress: '127.0.0.1',
    securePort: 6443,
    store: 'leveldb',
    serviceClusterIpRange: '10.96.0.0/16',
    serviceNodePortRange: { from: 30000, to: 32767 },
    authorizationModes: ['Node', 'RBAC'],
    anonymousAuth: true,
    enableAdmissionPlugins: [],
    disableAdmissionPlugins: [],
    eventTtlSeconds: 3600,
    requestTimeoutMilliseconds: 60_000,
    serviceAccountIssuer: 'https://kubernetes.default.svc.cluster.local',
  },
  controllers: {
    controllers: ['*'],
    clusterCidr: '10.244.0.0/16',
    nodeCidrMaskSize: 24,
    serviceClusterIpRange: '10.96.0.0/16',
    nodeMonitorGracePeriodSeconds: 50,
    terminatedPodGcThreshold: 12_500,
  },
  node: { containerRuntime: 'auto', simulatedNodes: 1, kubeletPort: 0, bindAddress: '127.0.0.1', clusterDomain: 'cluster.local', maxPods: 110, cni: 'auto', keepPods: false },
};
