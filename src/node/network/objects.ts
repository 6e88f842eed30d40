import { errorMessage, KubeError } from '../../base/errors.js';
import type { Commands } from '../../base/process/commands.js';
import type { NodeHost } from '../host.js';
import { deleteCni } from './cni/chain.js';
import { ownFirewallRules } from './firewall/firewall.js';
import { addressLabel, labelledAddresses } from './host-address.js';
import { readHostFacts } from './host-facts.js';
import { NETWORK_FAILED, type PodNetworkTools } from './options.js';
import { RecordFolder, recordFolder, type NetworkRecord } from './records.js';
import { changedSysctls, releaseSysctls } from './sysctls.js';
import { removeInterfaces } from './veth.js';

/** Something that a cluster has in a host's network. */
export interface NetworkObject {
  /** `cni-attachment`: what CNI plugins made for a sandbox, which its record tells. */
  readonly kind: 'cni-attachment' | 'interface' | 'route' | 'address' | 'nftables-table' | 'nftables-rule' | 'iptables-rule' | 'sysctl';
  readonly name: string;
}

type Tools = Pick<PodNetworkTools, 'commands' | 'clock' | 'random' | 'log'>;

/**
 * Everything in a host's network that carries a cluster's name, also when its data directory is gone. Programs that are missing or may not be used have made nothing: their
 * objects are none. Changes nothing.
 */
export async function listNetworkObjects(host: NodeHost, commands: Commands): Promise<NetworkObject[]> {
  const [facts, tables, rules, sysctls, attachments] = await Promise.all([
    readHostFacts(commands).catch(() => ({ interfaces: [], routes: [] })),
    listTables(host, commands),
    ownFirewallRules(host, commands),
    changedSysctls(host),
    cniRecords(host),
  ]);
  const ours = (name: string | undefined): boolean => name?.startsWith(host.interfacePrefix) ?? false;
  return [
    ...attachments.map((record): NetworkObject => ({ kind: 'cni-attachment', name: record.sandboxId })),
    ...facts.interfaces.filter((item) => ours(item.ifname)).map((item): NetworkObject => ({ kind: 'interface', name: item.ifname })),
    ...facts.routes.filter((route) => ours(route.dev)).map((route): NetworkObject => ({ kind: 'route', name: `${route.dst} dev ${route.dev}` })),
    ...labelledAddresses(host, facts).map((address): NetworkObject => ({ kind: 'address', name: `${address} dev ${addressLabel(host)}` })),
    ...tables.map((table): NetworkObject => ({ kind: 'nftables-table', name: table })),
    ...rules.map(({ kind, name }): NetworkObject => ({ kind, name })),
    ...sysctls.map((name): NetworkObject => ({ kind: 'sysctl', name })),
  ];
}

/**
 * Removes what {@link listNetworkObjects} lists, and tells what is still there, with the reasons in the log. Routes go with their interfaces. Sysctls get their old value once no
 * other cluster needs ours. No sandbox may be attached meanwhile. Idempotent.
 */
export async function removeNetworkObjects(host: NodeHost, tools: Tools): Promise<NetworkObject[]> {
  const { commands, log } = tools;
  const attempt = (what: string, work: Promise<unknown>): Promise<void> => work.then(() => undefined, (error: unknown) => log.warn('part of the pod network could not be removed', { part: what, error: errorMessage(error) }));
  const folder = new RecordFolder(recordFolder(host.stateFolder));
  for (const record of await cniRecords(host)) await attempt(record.sandboxId, deleteCni(commands, record.cni!).then(() => folder.remove(record.sandboxId)));
  const facts = await readHostFacts(commands).catch(() => undefined);
  if (facts) {
    await attempt('interfaces', removeInterfaces(commands, facts.interfaces.map((item) => item.ifname).filter((name) => name.startsWith(host.interfacePrefix))));
    for (const address of labelledAddresses(host, facts)) await attempt(address, removeAddress(address, tools));
  }
  for (const rule of await ownFirewallRules(host, commands)) await attempt(rule.name, rule.remove());
  const tables = await listTables(host, commands);
  if (tables.length > 0) await attempt('tables', removeTables(tables, tools));
  await attempt('sysctls', releaseSysctls(host, tools));
  return listNetworkObjects(host, commands);
}

async function listTables(host: NodeHost, commands: Commands): Promise<string[]> {
  const result = await commands.run('nft', ['list', 'tables']).catch(() => undefined);
  if (result?.code !== 0) return [];
  const tables = result.stdout.toString().split('\n').map((line) => /^table (\S+ (\S+))$/.exec(line.trim()));
  return tables.flatMap((match) => (match?.[2]!.startsWith(`${host.tablePrefix}-`) ? [match[1]!] : []));
}

async function cniRecords(host: NodeHost): Promise<NetworkRecord[]> {
  return (await new RecordFolder(recordFolder(host.stateFolder)).load()).records.filter((record) => record.cni);
}

async function removeTables(tables: readonly string[], { commands }: Tools): Promise<void> {
  const result = await commands.run('nft', ['-f', '-'], { input: tables.map((table) => `add table ${table}\ndelete table ${table}\n`).join('') });
  if (result.code !== 0) throw new KubeError(NETWORK_FAILED, result.stderr.toString().trim());
}

async function removeAddress(address: string, { commands }: Tools): Promise<void> {
  const result = await commands.run('ip', ['addr', 'del', `${address}/32`, 'dev', 'lo']);
  if (result.code !== 0 && !/Cannot assign requested address/.test(result.stderr.toString())) throw new KubeError(NETWORK_FAILED, result.stderr.toString().trim());
}
