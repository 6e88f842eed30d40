import { hostname, networkInterfaces } from 'node:os';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import type { NodeHost } from '../../node/index.js';
import type { Clock } from '../../base/clock.js';
import { formatIp, parseIp } from '../../base/net/ip.js';
import type { Random } from '../../base/random.js';
import { isWildcard } from '../addresses.js';
import type { DataDirectory } from '../data-directory.js';
import { hostLayout, RUN_FOLDER } from '../host-layout.js';
import type { ClusterSettings, NodeSettings } from '../options.js';
import { claimAddresses, type ClusterAddresses } from './address-pool.js';

/** Ranges that the user named. */
export type WantedRanges = Partial<Pick<ClusterAddresses, 'clusterCidr' | 'serviceClusterIpRange'>>;

/** What a cluster with native containers has on this host. */
export interface NativeSettings {
  readonly host: NodeHost;
  readonly addresses: ClusterAddresses;
  readonly nodeName: string;
  /** Address of the node as the API shows it. */
  readonly nodeIp: string;
}

/** Claims addresses for the cluster of a data directory and decides who the node is. Errors: `KUBE_ADDRESSES`, `KUBE_LOCKED`. */
export async function nativeSettings(directory: DataDirectory, node: NodeSettings, wanted: WantedRanges, environment: { readonly clock: Clock; readonly random: Random }): Promise<NativeSettings> {
  const host = hostLayout(directory);
  const addresses = await claimAddresses({ folder: RUN_FOLDER, clusterId: host.clusterId, dataDir: directory.path, memory: join(host.stateFolder, 'addresses.json'), wanted, ...environment });
  return { host, addresses, nodeName: node.nodeName ?? hostNodeName(), nodeIp: node.nodeIp ?? firstAddress() ?? addresses.hostAddress };
}

/** The settings of the whole cluster with what follows from the host: ranges, and a server that pods can reach. */
export function withNative(settings: ClusterSettings, native: NativeSettings): ClusterSettings {
  const { addresses, nodeIp } = native;
  const { server, controllers } = settings;
  return {
    ...settings,
    server: {
      ...server,
      serviceClusterIpRange: addresses.serviceClusterIpRange,
      advertiseAddress: server.advertiseAddress ?? addresses.hostAddress,
      ...(isWildcard(server.bindAddress) ? {} : { alsoBindAddresses: [addresses.hostAddress] }),
      certificateAddresses: [addresses.hostAddress, nodeIp],
    },
    controllers: { ...controllers, serviceClusterIpRange: addresses.serviceClusterIpRange, clusterCidr: addresses.clusterCidr },
    native,
  };
}

/** Address of the `kube-dns` service: the tenth of the range, as everywhere. */
export function dnsServiceAddress(serviceClusterIpRange: string): string {
  const first = parseIp(serviceClusterIpRange.split('/')[0]!)!;
  return formatIp({ ...first, value: first.value + 10n });
}

/** The host's name as a node's. */
function hostNodeName(): string {
  const name = hostname().toLowerCase().replace(/[^a-z0-9.-]/g, '-').replace(/^[-.]+|[-.]+$/g, '');
  return name === '' ? 'node' : name;
}

function firstAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find((entry) => !entry.internal && isIPv4(entry.address))?.address;
}
