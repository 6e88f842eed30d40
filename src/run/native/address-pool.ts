import { readdir } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import { makeFolder, readIfPresent, writeAtomically } from '../../base/files.js';
import { withHostLock } from '../../base/host-lock.js';
import { blockContains, parseCidr, parseIp } from '../../base/net/ip.js';
import type { ProcessIdentity } from '../../base/process/alive.js';
import type { Random } from '../../base/random.js';
import { ownIdentity } from '../run-state.js';

/** Addresses of one cluster on this host. */
export interface ClusterAddresses {
  /** Range of the pods. */
  readonly clusterCidr: string;
  /** Range of the services. */
  readonly serviceClusterIpRange: string;
  /** The host's address inside this cluster: pods reach the API server and the cluster's DNS there. */
  readonly hostAddress: string;
}

/** What one cluster notes for the others on the host. */
export interface HostRegistration extends ClusterAddresses {
  readonly clusterId: string;
  readonly dataDir: string;
  /** The process that claimed them last: known also when the data directory is gone. */
  readonly process?: ProcessIdentity;
}

export interface PoolRequest {
  /** `/run/kube`. */
  readonly folder: string;
  readonly clusterId: string;
  readonly dataDir: string;
  /** Where this cluster remembers its own addresses. */
  readonly memory: string;
  /** Ranges that the user named. */
  readonly wanted: Partial<Pick<ClusterAddresses, 'clusterCidr' | 'serviceClusterIpRange'>>;
  readonly clock: Clock;
  readonly random: Random;
  /** Addresses of the host's interfaces; replaced in tests. */
  readonly hostAddresses?: () => readonly string[];
}

/** Where the hosts' own addresses are taken from: a range for documentation (RFC 5737), which nobody routes. */
export const HOST_ADDRESS_RANGE = '203.0.113.0/24';
/** As many clusters find room on one host. */
const SLOTS = 60;

/**
 * Gives a cluster ranges that no other one on this host has, and that hold none of the host's own addresses; the same ones on every start. Throws
 * `KUBE_ADDRESSES` when its ranges have been taken by another cluster, or none are left.
 */
export async function claimAddresses(request: PoolRequest): Promise<ClusterAddresses> {
  await makeFolder(request.folder);
  return withHostLock(join(request.folder, 'lock'), request, async () => {
    const others = (await registrations(request.folder)).filter((other) => other.clusterId !== request.clusterId);
    const chosen = await choose(request, others);
    const registration: HostRegistration = { clusterId: request.clusterId, dataDir: request.dataDir, ...chosen, process: await ownIdentity() };
    await writeAtomically(request.memory, `${JSON.stringify(chosen, null, 2)}\n`);
    await writeAtomically(registrationFile(request.folder, request.clusterId), `${JSON.stringify(registration, null, 2)}\n`);
    return chosen;
  });
}

/** All clusters that are registered on this host; files that cannot be read are left out. */
export async function registrations(folder: string): Promise<readonly HostRegistration[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.filter((name) => /^[0-9a-f]{8}$/.test(name)).map((id) => readJson<HostRegistration>(registrationFile(folder, id))));
  return found.filter((item) => item !== undefined);
}

function registrationFile(folder: string, id: string): string {
  return join(folder, id, 'cluster.json');
}

async function choose(request: PoolRequest, others: readonly HostRegistration[]): Promise<ClusterAddresses> {
  const remembered = await readJson<ClusterAddresses>(request.memory);
  const conflict = (mine: ClusterAddresses): HostRegistration | undefined => others.find((other) => clash(mine, other));
  if (remembered) {
    const mine = { ...remembered, ...request.wanted };
    const other = conflict(mine);
    if (other) throw new KubeError('KUBE_ADDRESSES', `the addresses of this cluster (pods ${mine.clusterCidr}, services ${mine.serviceClusterIpRange}) are taken by the cluster in ${other.dataDir}: remove that one with "kube reset --data-dir ${other.dataDir}", or choose others with --cluster-cidr and --service-cluster-ip-range`);
    return mine;
  }
  const own = (request.hostAddresses ?? hostAddresses)();
  for (let slot = 0; slot < SLOTS; slot++) {
    const mine = { ...slotAddresses(slot), ...request.wanted };
    const onHost = own.some((address) => address === mine.hostAddress || (!request.wanted.clusterCidr && inRange(address, mine.clusterCidr)) || (!request.wanted.serviceClusterIpRange && inRange(address, mine.serviceClusterIpRange)));
    if (!onHost && !conflict(mine)) return mine;
  }
  const other = conflict({ ...slotAddresses(0), ...request.wanted });
  throw new KubeError('KUBE_ADDRESSES', other ? `the ranges that were asked for overlap with those of the cluster in ${other.dataDir} (pods ${other.clusterCidr}, services ${other.serviceClusterIpRange})` : 'no range of addresses is left on this host: name ranges with --cluster-cidr and --service-cluster-ip-range');
}

/** Upstream's usual ranges first; the host's own address is of {@link HOST_ADDRESS_RANGE}. */
function slotAddresses(slot: number): ClusterAddresses {
  return { clusterCidr: `10.${slot < 12 ? 244 + slot : 168 + slot}.0.0/16`, serviceClusterIpRange: `10.${96 + slot}.0.0/16`, hostAddress: `203.0.113.${slot + 1}` };
}

function clash(a: ClusterAddresses, b: ClusterAddresses): boolean {
  const ranges = (item: ClusterAddresses): readonly string[] => [item.clusterCidr, item.serviceClusterIpRange, `${item.hostAddress}/32`];
  return ranges(a).some((one) => ranges(b).some((two) => overlap(one, two)));
}

function overlap(a: string, b: string): boolean {
  const [one, two] = [parseCidr(a), parseCidr(b)];
  return one !== undefined && two !== undefined && one.family === two.family && one.first <= two.last && two.first <= one.last;
}

function inRange(address: string, range: string): boolean {
  const [ip, block] = [parseIp(address), parseCidr(range)];
  return ip !== undefined && block !== undefined && blockContains(block, ip);
}

function hostAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((entry) => entry.address));
}

async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await readIfPresent(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
