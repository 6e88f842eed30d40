import { access } from 'node:fs/promises';
import { errorMessage, KubeError } from '../../base/errors.js';
import type { Commands, CommandResult } from '../../base/process/commands.js';
import { runChecked } from '../../base/process/run-checked.js';
import { limitArguments, type Bandwidth } from './bandwidth.js';
import { NETWORK_FAILED } from './options.js';

/** A pair of interfaces: one end in the host's namespace, the other, `eth0`, in a sandbox's. */
export interface VethPair {
  readonly interfaceName: string;
  readonly hostMac: string;
  readonly podMac: string;
  /** A file that holds the sandbox's network namespace. */
  readonly namespacePath: string;
  readonly address: string;
  readonly mtu: number;
  /** From which the host speaks to the pod. */
  readonly source: string | undefined;
}

/** Name of a pod's interface, as with CNI. */
export const POD_INTERFACE = 'eth0';
/** A pod's gateway. Nobody has this address: the pod knows the hardware address of the other end, so nobody is asked for it. */
const GATEWAY = '169.254.1.1';

/**
 * Makes a pair with addresses, routes and neighbours, in two processes. Hardware addresses are chosen beforehand, so that each end can be told the
 * other's without asking. Throws `KUBE_POD_NETWORK`; then nothing is left on the host.
 */
export async function createVethPair(commands: Commands, pair: VethPair): Promise<void> {
  if (!/^\/[^\s"'\\]+$/.test(pair.namespacePath)) throw new KubeError(NETWORK_FAILED, `network namespace ${JSON.stringify(pair.namespacePath)} has to be an absolute path without spaces and quotes`);
  try {
    let made = await hostEnd(commands, pair);
    if (made.code !== 0 && /File exists/.test(made.stderr.toString())) {
      // A leftover of an attempt that was cut off: names are given once.
      await removeInterfaces(commands, [pair.interfaceName]);
      made = await hostEnd(commands, pair);
    }
    check(made);
    check(await commands.run('nsenter', [`--net=${pair.namespacePath}`, 'ip', '-batch', '-'], { input: podBatch(pair) }));
  } catch (error) {
    await removeInterfaces(commands, [pair.interfaceName]).catch(() => undefined);
    throw new KubeError(NETWORK_FAILED, `cannot make interface ${pair.interfaceName} with address ${pair.address}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Lines of `ip -batch` that (again) lead to a pod from the host. */
export function routeLines(pair: Omit<VethPair, 'namespacePath' | 'mtu' | 'hostMac'>): string[] {
  const { interfaceName, address, source, podMac } = pair;
  return [
    `link set ${interfaceName} up`,
    `route replace ${address}/32 dev ${interfaceName} scope link${source === undefined ? '' : ` src ${source}`}`,
    `neigh replace ${address} lladdr ${podMac} dev ${interfaceName} nud permanent`,
  ];
}

/** Brings up `lo` in a sandbox's namespace. */
export async function bringUpLoopback(commands: Commands, namespacePath: string): Promise<void> {
  await runChecked(commands, 'nsenter', [`--net=${namespacePath}`, 'ip', 'link', 'set', 'lo', 'up']);
}

/** Removes interfaces of the host, and with them their routes and their other ends. Those that do not exist are no error. */
export async function removeInterfaces(commands: Commands, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const result = await commands.run('ip', ['-force', '-batch', '-'], { input: names.map((name) => `link del ${name}\n`).join('') });
  if (result.code === 0) return;
  const said = result.stderr.toString().split('\n').filter((line) => line !== '' && !/Cannot find device|^Command failed/.test(line));
  if (said.length > 0) throw new KubeError(NETWORK_FAILED, `cannot remove interfaces ${names.join(', ')}: ${said.join('; ')}`);
}

/** Limits what a pod receives at the host's end, what it sends at its own. */
export async function limitBandwidth(commands: Commands, pair: Pick<VethPair, 'interfaceName' | 'namespacePath'>, bandwidth: Bandwidth): Promise<void> {
  if (bandwidth.ingress !== undefined) await runChecked(commands, 'tc', limitArguments(pair.interfaceName, bandwidth.ingress));
  if (bandwidth.egress !== undefined) await runChecked(commands, 'nsenter', [`--net=${pair.namespacePath}`, 'tc', ...limitArguments(POD_INTERFACE, bandwidth.egress)]);
}

/**
 * Lets packets between the host's loopback addresses and a pod pass its interface, for host ports at 127.0.0.1. The pods' table drops what a pod itself sends to
 * loopback addresses, so this opens nothing of the host to it (CVE-2020-8558).
 */
export async function allowLoopback(commands: Commands, interfaceName: string): Promise<void> {
  await runChecked(commands, 'sh', ['-c', 'printf 1 > "/proc/sys/net/ipv4/conf/$1/route_localnet"', 'sh', interfaceName]);
}

/** Whether a namespace file is still there. */
export function namespaceExists(path: string): Promise<boolean> {
  return access(path).then(() => true, () => false);
}

function hostEnd(commands: Commands, pair: VethPair): Promise<CommandResult> {
  const { interfaceName, hostMac, podMac, mtu, namespacePath } = pair;
  const lines = [`link add ${interfaceName} address ${hostMac} mtu ${mtu} type veth peer name ${POD_INTERFACE} address ${podMac} mtu ${mtu} netns ${namespacePath}`, ...routeLines(pair)];
  return commands.run('ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` });
}

function podBatch({ address, hostMac }: VethPair): string {
  return `${[
    'link set lo up',
    `addr add ${address}/32 dev ${POD_INTERFACE}`,
    `link set ${POD_INTERFACE} up`,
    `neigh replace ${GATEWAY} lladdr ${hostMac} dev ${POD_INTERFACE} nud permanent`,
    `route add ${GATEWAY}/32 dev ${POD_INTERFACE} scope link`,
    `route add default via ${GATEWAY} dev ${POD_INTERFACE} src ${address}`,
  ].join('\n')}\n`;
}

function check(result: CommandResult): void {
  if (result.code !== 0) throw new KubeError(NETWORK_FAILED, result.stderr.toString().trim().replaceAll('\n', '; ') || `exit code ${result.code}`);
}
