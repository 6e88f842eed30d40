import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KubeError } from '../../base/errors.js';
import { makeFolder, readIfPresent, writeAtomically } from '../../base/files.js';
import { withHostLock } from '../../base/host-lock.js';
import { runChecked } from '../../base/process/run-checked.js';
import type { NodeHost } from '../host.js';
import { NETWORK_FAILED, type PodNetworkTools } from './options.js';

type Tools = Pick<PodNetworkTools, 'commands' | 'clock' | 'random'>;
/** By name: the value before the first cluster changed it, and the clusters that need ours. */
type SysctlFile = Readonly<Record<string, { readonly before: string; readonly clusters: readonly string[] }>>;

/** Whether packets go from one interface to another. */
const FORWARDING = 'net.ipv4.ip_forward';
const WANTED: Readonly<Record<string, string>> = { [FORWARDING]: '1' };

/** The file, one for all clusters of a host, in which the values before ours stand: a sysctl cannot carry a cluster's name. */
export function sysctlFile(host: NodeHost): string {
  return join(dirname(host.runFolder), 'sysctls.json');
}

/**
 * Makes the host forward packets. The old value is written down before it is changed. Where somebody else has turned it on already, it is theirs and
 * nothing is written. Throws `KUBE_POD_NETWORK` when it cannot be changed.
 */
export async function enableForwarding(host: NodeHost, tools: Tools): Promise<void> {
  const file = sysctlFile(host);
  await makeFolder(dirname(file));
  await withHostLock(`${file}.lock`, tools, async () => {
    const known = await read(file);
    const now = await value(FORWARDING, tools);
    const entry = known[FORWARDING];
    if (!entry && now === WANTED[FORWARDING]) return;
    const clusters = [...new Set([...(entry?.clusters ?? []), host.clusterId])];
    await writeAtomically(file, JSON.stringify({ ...known, [FORWARDING]: { before: entry?.before ?? now, clusters } }));
    if (now !== WANTED[FORWARDING]) await set(FORWARDING, WANTED[FORWARDING]!, tools);
  });
}

/** Names of the sysctls that are changed for a cluster. */
export async function changedSysctls(host: NodeHost): Promise<string[]> {
  return Object.entries(await read(sysctlFile(host))).filter(([, entry]) => entry.clusters.includes(host.clusterId)).map(([name]) => name);
}

/** A cluster needs its sysctls no more: values go back when it was the last to need them, unless somebody changed them since. Idempotent. */
export async function releaseSysctls(host: NodeHost, tools: Tools): Promise<void> {
  if ((await changedSysctls(host)).length === 0) return;
  const file = sysctlFile(host);
  await withHostLock(`${file}.lock`, tools, async () => {
    const left: Record<string, SysctlFile[string]> = {};
    for (const [name, entry] of Object.entries(await read(file))) {
      const clusters = entry.clusters.filter((id) => id !== host.clusterId);
      if (clusters.length > 0) left[name] = { before: entry.before, clusters };
      else if (entry.clusters.length > 0 && (await value(name, tools)) === WANTED[name]) await set(name, entry.before, tools);
    }
    if (Object.keys(left).length > 0) await writeAtomically(file, JSON.stringify(left));
    else await rm(file, { force: true });
  });
}

async function read(file: string): Promise<SysctlFile> {
  const text = await readIfPresent(file);
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as SysctlFile;
  } catch (error) {
    throw new KubeError(NETWORK_FAILED, `${file} is not readable as JSON; it holds sysctls as they were before clusters changed them`, { cause: error });
  }
}

function path(name: string): string {
  return `/proc/sys/${name.replaceAll('.', '/')}`;
}

// Through a program: the network namespace that is meant is that of the commands.
async function value(name: string, tools: Tools): Promise<string> {
  return (await runChecked(tools.commands, 'cat', [path(name)])).stdout.toString().trim();
}

async function set(name: string, wanted: string, tools: Tools): Promise<void> {
  const result = await tools.commands.run('sh', ['-c', 'printf %s "$1" > "$2"', 'sh', wanted, path(name)]);
  if (result.code !== 0) throw new KubeError(NETWORK_FAILED, `sysctl ${name} has to be ${wanted} and cannot be changed: ${result.stderr.toString().trim()}`);
}
