import { KubeError } from '../../../base/errors.js';
import type { CommandResult, Commands } from '../../../base/process/commands.js';
import type { NodeHost } from '../../host.js';
import { NETWORK_FAILED } from '../options.js';
import { dropsByDefault, forwardChain, parseIptablesSave, rulesWithComment, type IptablesFilter } from './iptables-save.js';
import { parseBaseChains, parseRules, rulesOf, type BaseChain, type ChainRule } from './nft-chains.js';

/** Filters of others that see the pods' packets. */
interface Filters {
  /** By the program that changes it: `iptables`, `iptables-legacy`. */
  readonly iptables: ReadonlyMap<string, IptablesFilter>;
  readonly chains: readonly BaseChain[];
  readonly rules: readonly ChainRule[];
}

/** A rule of ours in a filter of others. */
export interface OwnRule {
  readonly kind: 'iptables-rule' | 'nftables-rule';
  /** As a person would look for it. */
  readonly name: string;
  /** Removes it; an error says why it is still there. */
  remove(): Promise<void>;
}

/** What {@link openFirewall} did. */
export interface FirewallResult {
  /** Chains with rules of ours now. */
  readonly opened: readonly string[];
  /** What a person has to do; empty when all is well. */
  readonly advice: readonly string[];
}

const FIREWALLD = 'firewalld';

/** The comment of a cluster's rules in filters of others. */
export function ruleComment(host: NodeHost): string {
  return host.tablePrefix;
}

/**
 * Other programs (Docker, ufw, an administrator's own tables) may drop what they do not know, and in nftables one chain's drop is final whatever others accept. So an accepting rule with the
 * cluster's comment goes to the top of each filter that drops by default: for the pods' interfaces in `forward`, for pods to `hostAddress` in `input`. firewalld
 * guards its tables; what to tell it comes back as advice. Idempotent; the rules are lost when those programs load theirs anew, so call it now and then.
 */
export async function openFirewall(host: NodeHost, hostAddress: string | undefined, commands: Commands): Promise<FirewallResult> {
  const filters = await readFilters(commands);
  const opened: string[] = [];
  const advice: string[] = [];
  const failed = (where: string, result: CommandResult): void => void advice.push(`${where} drops packets of pods, and no rule could be added: ${result.stderr.toString().trim()}`);
  const interfaces = `${host.interfacePrefix}+`;
  const comment = ruleComment(host);
  for (const [program, filter] of filters.iptables) {
    const present = rulesWithComment(filter, comment).map((words) => words.join(' '));
    for (const { chain, matches } of iptablesRules(filter, interfaces, hostAddress)) {
      opened.push(`${program} ${chain}`);
      if (present.some((rule) => rule.startsWith(`${chain} ${matches.join(' ')} `))) continue;
      const result = await commands.run(program, ['-w', '5', '-I', chain, ...matches, '-m', 'comment', '--comment', comment, '-j', 'ACCEPT']);
      if (result.code !== 0) failed(`${program} ${chain}`, result);
    }
  }
  let firewalld = false;
  for (const chain of filters.chains) {
    const rules = rulesOf(filters.rules, chain);
    if (chain.policy !== 'drop' && !rules.some((rule) => rule.dropsAll)) continue;
    if (chain.table === FIREWALLD) {
      firewalld = true;
      continue;
    }
    const pods = `"${host.interfacePrefix}*"`;
    const wanted = chain.hook === 'forward' ? [`iifname ${pods}`, `oifname ${pods}`] : hostAddress === undefined ? [] : [`iifname ${pods} ip daddr ${hostAddress}`];
    if (wanted.length === 0) continue;
    const name = `${chain.family} ${chain.table} ${chain.chain}`;
    opened.push(`nftables ${name}`);
    if (rules.filter((rule) => rule.comment === comment).length >= wanted.length) continue;
    const result = await commands.run('nft', ['-f', '-'], { input: wanted.map((match) => `insert rule ${name} ${match} accept comment "${comment}"\n`).join('') });
    if (result.code !== 0) failed(`nftables chain ${name}`, result);
  }
  if (firewalld && !(await firewalldTrusts(interfaces, commands))) {
    advice.push(`firewalld drops packets of pods; tell it that they are trusted: firewall-cmd --permanent --zone=trusted --add-interface='${interfaces}' && firewall-cmd --reload`);
  }
  return { opened: [...new Set(opened)], advice };
}

/** A cluster's rules in filters of others. */
export async function ownFirewallRules(host: NodeHost, commands: Commands): Promise<OwnRule[]> {
  const filters = await readFilters(commands);
  const comment = ruleComment(host);
  return [
    ...[...filters.iptables].flatMap(([program, filter]) => rulesWithComment(filter, comment).map((words): OwnRule => ({
      kind: 'iptables-rule', name: `${program} ${words.join(' ')}`, remove: () => removed(commands, program, ['-w', '5', '-D', ...words]),
    }))),
    ...filters.rules.filter((rule) => rule.comment === comment).map((rule): OwnRule => {
      const name = `${rule.family} ${rule.table} ${rule.chain} handle ${rule.handle}`;
      return { kind: 'nftables-rule', name, remove: () => removed(commands, 'nft', ['delete', 'rule', rule.family, rule.table, rule.chain, 'handle', String(rule.handle)]) };
    }),
  ];
}

function iptablesRules(filter: IptablesFilter, interfaces: string, hostAddress: string | undefined): { readonly chain: string; readonly matches: string[] }[] {
  const forward = forwardChain(filter);
  return [
    ...(dropsByDefault(filter, 'FORWARD') ? [{ chain: forward, matches: ['-i', interfaces] }, { chain: forward, matches: ['-o', interfaces] }] : []),
    ...(hostAddress !== undefined && dropsByDefault(filter, 'INPUT') ? [{ chain: 'INPUT', matches: ['-d', `${hostAddress}/32`, '-i', interfaces] }] : []),
  ];
}

async function readFilters(commands: Commands): Promise<Filters> {
  const [listed, legacy] = await Promise.all([output(commands, 'nft', ['-j', 'list', 'chains']), output(commands, 'cat', ['/proc/net/ip_tables_names'])]);
  const all = parseBaseChains(listed ?? '');
  const iptables = new Map<string, IptablesFilter>();
  let chains = all;
  // Rules of iptables are written by its own program alone, which would not read what nft puts among them.
  if (all.some(byIptables)) {
    for (const name of ['iptables-nft', 'iptables']) {
      const saved = await output(commands, `${name}-save`, ['-t', 'filter']);
      if (saved === undefined || !saved.includes('*filter')) continue;
      iptables.set(name, parseIptablesSave(saved));
      chains = all.filter((chain) => !byIptables(chain));
      break;
    }
  }
  if (legacy?.split('\n').includes('filter')) {
    const saved = await output(commands, 'iptables-legacy-save', ['-t', 'filter']);
    if (saved !== undefined) iptables.set('iptables-legacy', parseIptablesSave(saved));
  }
  // One by one: several lists in one call fail with nftables 1.0.6.
  const rules = await Promise.all(chains.map(({ family, table, chain }) => output(commands, 'nft', ['-j', 'list', 'chain', family, table, chain])));
  return { iptables, chains, rules: rules.flatMap((text) => parseRules(text ?? '')) };
}

function byIptables(chain: BaseChain): boolean {
  return chain.family === 'ip' && chain.table === 'filter' && (chain.chain === 'FORWARD' || chain.chain === 'INPUT');
}

async function firewalldTrusts(interfaces: string, commands: Commands): Promise<boolean> {
  return (await output(commands, 'firewall-cmd', ['--zone=trusted', `--query-interface=${interfaces}`])) !== undefined;
}

/** What a program wrote; undefined when it is not there or failed. */
async function output(commands: Commands, program: string, args: readonly string[]): Promise<string | undefined> {
  const result = await commands.run(program, args).catch(() => undefined);
  return result?.code === 0 ? result.stdout.toString() : undefined;
}

async function removed(commands: Commands, program: string, args: readonly string[]): Promise<void> {
  const result = await commands.run(program, args);
  const said = result.stderr.toString().trim();
  if (result.code !== 0 && !/No such file|does a matching rule exist|Bad rule/.test(said)) throw new KubeError(NETWORK_FAILED, `${program} ${args.join(' ')}: ${said}`);
}
