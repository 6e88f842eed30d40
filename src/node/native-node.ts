import { makeFolder } from '../base/files.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Commands } from '../base/process/commands.js';
import type { Random } from '../base/random.js';
import type { Client } from '../client/index.js';
import type { NodeHost } from './host.js';
import { openImageStore, type RegistriesOptions } from './images/index.js';
import { readMachine } from './machine/machine.js';
import { createPodNetwork, ensureHostAddress, NetworkGuard } from './network/index.js';
import type { NodeParts } from './parts.js';
import type { LocalNode } from './pods/local-node.js';
import type { References } from './references/references.js';
import { createLogRotator } from './runtime/logs/index.js';
import { appArmorEnabled, createNativeRuntime } from './runtime/native/index.js';
import { openNodeUsage } from './server/stats/index.js';
import { createPodVolumes } from './volumes/create-pod-volumes.js';

/** Settings of a node with native containers; frozen and structured-cloneable. */
export interface NativeNodeOptions extends RegistriesOptions {
  readonly host: NodeHost;
  readonly nodeName: string;
  readonly clusterCidr: string;
  readonly serviceClusterIpRange: string;
  /** The host's address inside the cluster. */
  readonly hostAddress: string;
  /** Range of such addresses of all clusters on a host. */
  readonly hostAddressRange: string;
  /** Addresses of the cluster's DNS. */
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  readonly maxPods: number;
  readonly cni: 'auto' | 'never';
  /** Default `/etc/resolv.conf`. */
  readonly resolvConf?: string;
}

/** What a native node works with. */
export interface NativeNodeTools {
  readonly client: Client;
  readonly commands: Commands;
  readonly references: References;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Makes the folders of a cluster on this host, and gives the host its address inside the cluster. Idempotent. */
export async function prepareHost(host: NodeHost, hostAddress: string, commands: Commands): Promise<void> {
  await Promise.all([makeFolder(host.stateFolder), makeFolder(host.runFolder)]);
  await ensureHostAddress(host, hostAddress, commands);
}

/** The parts of this host's node: images, containers, network, volumes. {@link prepareHost} comes before. */
export async function createNativeNode(options: NativeNodeOptions, tools: NativeNodeTools): Promise<NodeParts> {
  const { host, nodeName, clusterDns, clusterDomain, clusterCidr, serviceClusterIpRange, hostAddress, cni, registries, auths, proxy } = options;
  const { client, references, commands, clock, random, log } = tools;
  const [images, machine] = await Promise.all([
    openImageStore({ folder: `${host.stateFolder}/images`, commands, clock, random, log, ...(registries ? { registries } : {}), ...(auths ? { auths } : {}), ...(proxy ? { proxy } : {}) }),
    readMachine(host.stateFolder, options.maxPods),
  ]);
  const network = createPodNetwork({ host, clusterCidr, serviceClusterIpRange, hostAddress, hostAddressRange: options.hostAddressRange, cni }, { commands, clock, random, log });
  const runtime = createNativeRuntime({ host }, { commands, images, network, clock, random, log });
  const local: LocalNode = { host, clusterDns, clusterDomain, memoryBytes: machine.memoryBytes, resolvConf: options.resolvConf ?? '/etc/resolv.conf', appArmor: await appArmorEnabled() };
  const volumes = createPodVolumes({ host, nodeName, allocatable: machine.allocatable }, { client, references, commands, images, clock, random, log });
  const rotator = createLogRotator({ clock, log, running: () => runtime.containers.runningLogs!(), reopen: (id) => runtime.containers.reopenContainerLog!(id) });
  const usage = await openNodeUsage({ host, runtime: runtime.containers, volumes, clock });
  return { runtime, volumes, local, machine, readMachine: () => readMachine(host.stateFolder, options.maxPods), usage, store: images, keepers: [rotator, new NetworkGuard(network, { clock, log })] };
}
