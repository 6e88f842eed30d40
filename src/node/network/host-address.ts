import { KubeError } from '../../base/errors.js';
import type { Commands } from '../../base/process/commands.js';
import { runChecked } from '../../base/process/run-checked.js';
import type { NodeHost } from '../host.js';
import { readHostFacts, type HostFacts } from './host-facts.js';
import { NETWORK_FAILED } from './options.js';

/** Label of a cluster's own address on `lo`. */
export function addressLabel(host: NodeHost): string {
  return `lo:${host.interfacePrefix}`;
}

/**
 * Gives the host a cluster's own address: `<address>/32` on `lo` under the cluster's label. An earlier one of this cluster goes. Where the host has the address anyway
 * nothing is done. Idempotent. Throws `KUBE_POD_NETWORK` when another cluster has it.
 */
export async function ensureHostAddress(host: NodeHost, address: string, commands: Commands): Promise<void> {
  const all = (await readHostFacts(commands)).interfaces.flatMap((item) => item.addr_info);
  const label = addressLabel(host);
  const lines = all.filter((info) => info.label === label && info.local !== address).map((info) => `addr del ${info.local}/32 dev lo`);
  const present = all.find((info) => info.local === address);
  if (present?.label?.startsWith('lo:k') && present.label !== label) throw new KubeError(NETWORK_FAILED, `address ${address} of this host belongs to another cluster (${present.label})`);
  if (!present) lines.push(`addr add ${address}/32 dev lo label ${label}`);
  if (lines.length > 0) await runChecked(commands, 'ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` });
}

/** The addresses under a cluster's label. */
export function labelledAddresses(host: NodeHost, facts: HostFacts): string[] {
  const label = addressLabel(host);
  return facts.interfaces.flatMap((item) => item.addr_info).filter((info) => info.label === label && info.local !== undefined).map((info) => info.local!);
}
