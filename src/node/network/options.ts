import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';
import type { Commands } from '../../base/process/commands.js';
import type { Random } from '../../base/random.js';
import type { NodeHost } from '../host.js';

/** Settings of the pod network; frozen and structured-cloneable. Ranges may be lists of two families, `A,B`; the IPv4 one is used. */
export interface PodNetworkOptions {
  readonly host: NodeHost;
  /** Range of the pods of the whole cluster: what pods send elsewhere is masqueraded. */
  readonly clusterCidr: string;
  readonly serviceClusterIpRange: string;
  /** The cluster's own address on this host, at which pods reach the API server and the cluster's DNS; put on `lo` where the host has it not yet. */
  readonly hostAddress?: string;
  /** Range of such addresses of all clusters of this host: host ports for all addresses leave it alone, so that no pod takes the place of an API server. Default: {@link hostAddress} alone, if it is on `lo` under the cluster's label. */
  readonly hostAddressRange?: string;
  /** Of pod interfaces, in bytes. Default: that of the interface of the default route. */
  readonly mtu?: number;
  /** `auto`: use CNI plugins while there is a configuration in {@link cniConfDir}. Default `auto`. */
  readonly cni?: 'auto' | 'never';
  /** Default `/etc/cni/net.d`. */
  readonly cniConfDir?: string;
  /** Folders of CNI plugins, in the order of search. Default `/opt/cni/bin` and `/usr/lib/cni`. */
  readonly cniBinDirs?: readonly string[];
}

/** What the pod network works with. */
export interface PodNetworkTools {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Code of errors of the pod network. */
export const NETWORK_FAILED = 'KUBE_POD_NETWORK';
