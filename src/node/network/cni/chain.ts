import type { Commands } from '../../../base/process/commands.js';
import { parseIp } from '../../../base/net/ip.js';
import { namespaceExists, POD_INTERFACE } from '../veth.js';
import { atLeast, type CniNetwork, type CniPluginConfig } from './config.js';
import { callPlugin, type CniCall } from './plugin.js';

/** Everything needed to end what plugins made, also when their configuration has changed or is gone. */
export interface CniAttachment {
  readonly network: CniNetwork;
  readonly folders: readonly string[];
  readonly containerId: string;
  readonly netns: string;
  readonly args: string;
  /** By capability: given to plugins that declare it. */
  readonly runtimeConfig: Readonly<Record<string, unknown>>;
  /** What the last plugin answered; absent until ADD has succeeded. */
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Since when plugins are told the result at DEL, and know CHECK. */
const WITH_CHECK = '0.4.0';

/** Runs all plugins with ADD, each with the result of the one before. When one fails, all are run with DEL, and its error is thrown. */
export async function addCni(commands: Commands, attachment: CniAttachment): Promise<CniAttachment & { readonly result: Readonly<Record<string, unknown>> }> {
  let result: Readonly<Record<string, unknown>> = {};
  try {
    for (const [index, plugin] of attachment.network.plugins.entries()) {
      result = (await callPlugin(commands, attachment.folders, execution(attachment, plugin, index === 0 ? undefined : result), parameters(attachment, 'ADD', attachment.netns)))!;
    }
    return { ...attachment, result };
  } catch (error) {
    await deleteCni(commands, attachment).catch(() => undefined);
    throw error;
  }
}

/** Runs all plugins with DEL, the last one first. All are tried; throws the first error. */
export async function deleteCni(commands: Commands, attachment: CniAttachment): Promise<void> {
  const netns = (await namespaceExists(attachment.netns)) ? attachment.netns : '';
  const previous = atLeast(attachment.network.cniVersion, WITH_CHECK) ? attachment.result : undefined;
  const errors: unknown[] = [];
  for (const plugin of [...attachment.network.plugins].reverse()) {
    await callPlugin(commands, attachment.folders, execution(attachment, plugin, previous), parameters(attachment, 'DEL', netns)).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** Runs all plugins with CHECK, unless the configuration's version or wish is against it. */
export async function checkCni(commands: Commands, attachment: CniAttachment): Promise<void> {
  if (attachment.network.disableCheck || !atLeast(attachment.network.cniVersion, WITH_CHECK)) return;
  for (const plugin of attachment.network.plugins) await callPlugin(commands, attachment.folders, execution(attachment, plugin, attachment.result), parameters(attachment, 'CHECK', attachment.netns));
}

/** The pod's addresses in a result of any version: IPv4 first, those of other interfaces left out. */
export function cniAddresses(result: Readonly<Record<string, unknown>>): string[] {
  const interfaces = (Array.isArray(result['interfaces']) ? result['interfaces'] : []) as { readonly name?: string; readonly sandbox?: string }[];
  const listed = (Array.isArray(result['ips']) ? result['ips'] : []) as { readonly address?: string; readonly interface?: number }[];
  const ours = listed.filter((ip) => ip.interface === undefined || !interfaces[ip.interface] || (interfaces[ip.interface]!.name === POD_INTERFACE && Boolean(interfaces[ip.interface]!.sandbox)));
  // Up to version 0.2.0 there was one of each family.
  const old = [result['ip4'], result['ip6']].map((item) => (item as { readonly ip?: string } | undefined)?.ip);
  const addresses = [...ours.map((ip) => ip.address), ...old].flatMap((text) => (text === undefined ? [] : [text.split('/')[0]!])).filter((text) => parseIp(text) !== undefined);
  return [...new Set(addresses)].sort((a, b) => parseIp(a)!.family - parseIp(b)!.family);
}

function execution({ network, runtimeConfig }: CniAttachment, plugin: CniPluginConfig, previous: Readonly<Record<string, unknown>> | undefined): CniPluginConfig {
  const { capabilities, ...rest } = plugin;
  const wanted = Object.entries((capabilities ?? {}) as Readonly<Record<string, unknown>>).filter(([name, on]) => on === true && runtimeConfig[name] !== undefined);
  return {
    ...rest, type: plugin.type, name: network.name, cniVersion: network.cniVersion,
    ...(wanted.length > 0 ? { runtimeConfig: Object.fromEntries(wanted.map(([name]) => [name, runtimeConfig[name]])) } : {}),
    ...(previous ? { prevResult: previous } : {}),
  };
}

function parameters(attachment: CniAttachment, command: CniCall['command'], netns: string): CniCall {
  return { command, containerId: attachment.containerId, netns, interfaceName: POD_INTERFACE, args: attachment.args };
}
