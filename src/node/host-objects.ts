import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Commands } from '../base/process/commands.js';
import type { Random } from '../base/random.js';
import type { NodeHost } from './host.js';
import { listNetworkObjects, removeNetworkObjects } from './network/index.js';
import { listHostObjects, removeHostObjects } from './runtime/native/index.js';

/** One thing of a cluster on a host. */
export interface NodeObject {
  /** `process`, `mount`, `cgroup`, `file`, `interface`, `route`, `address`, `nftables-table`, `iptables-rule`, `sysctl`, … */
  readonly kind: string;
  readonly name: string;
}

/** Everything that a cluster has on a host outside of its data directory; found by the cluster's id, so that the directory may be gone. Changes nothing. */
export async function listNodeObjects(host: NodeHost, commands: Commands): Promise<readonly NodeObject[]> {
  const [runtime, network] = await Promise.all([listHostObjects(host), listNetworkObjects(host, commands)]);
  return [...runtime, ...network];
}

/** Removes all of it: the network first, since its records stand in the state folder, then what runs, mounts, control groups and files. Failures are logged; what is left is told by {@link listNodeObjects}. Idempotent. */
export async function removeNodeObjects(host: NodeHost, tools: { readonly commands: Commands; readonly clock: Clock; readonly random: Random; readonly log: Logger }): Promise<void> {
  await removeNetworkObjects(host, tools);
  await removeHostObjects(host, tools);
}
