import type { Commands } from '../../base/process/commands.js';
import { runChecked } from '../../base/process/run-checked.js';

/** An interface as `ip -j addr` tells it. */
export interface HostInterface {
  readonly ifname: string;
  readonly mtu: number;
  readonly flags: readonly string[];
  readonly addr_info: readonly { readonly family: string; readonly local?: string; readonly prefixlen: number; readonly scope: string; readonly label?: string }[];
}

/** A route as `ip -j route` tells it. */
export interface HostRoute {
  readonly dst: string;
  readonly dev?: string;
  readonly prefsrc?: string;
  readonly protocol?: string;
  readonly type?: string;
}

/** Interfaces and IPv4 routes of a host, the better default route first. */
export interface HostFacts {
  readonly interfaces: readonly HostInterface[];
  readonly routes: readonly HostRoute[];
}

const ETHERNET_MTU = 1500;

/** Looks at a host with one process. */
export async function readHostFacts(commands: Commands): Promise<HostFacts> {
  const { stdout } = await runChecked(commands, 'ip', ['-j', '-batch', '-'], { input: 'addr show\nroute show\n' });
  return parseHostFacts(stdout.toString());
}

/** Parses what `ip` wrote: a line of JSON for each command. */
export function parseHostFacts(text: string): HostFacts {
  const [interfaces, routes] = text.split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as unknown[]);
  return {
    // Of what it did not find it writes empty objects.
    interfaces: ((interfaces ?? []) as Partial<HostInterface>[]).filter((item): item is HostInterface => item.ifname !== undefined),
    routes: ((routes ?? []) as Partial<HostRoute>[]).filter((item): item is HostRoute => item.dst !== undefined),
  };
}

/** MTU of the interface that leads out of the host, 1500 when none does. */
export function uplinkMtu(facts: HostFacts): number {
  return uplink(facts)?.mtu ?? ETHERNET_MTU;
}

/** Address from which the host speaks to the outside, else any other that is not loopback; undefined when it has none. */
export function sourceAddress(facts: HostFacts): string | undefined {
  const preferred = facts.routes.find((route) => route.dst === 'default')?.prefsrc;
  if (preferred !== undefined) return preferred;
  const out = uplink(facts);
  return (out && globalIpv4(out)) ?? facts.interfaces.map(globalIpv4).find((address) => address !== undefined);
}

/** Whether the host has an address. */
export function hasAddress(facts: HostFacts, address: string): boolean {
  return facts.interfaces.some((item) => item.addr_info.some((info) => info.local === address));
}

function uplink(facts: HostFacts): HostInterface | undefined {
  const device = facts.routes.find((route) => route.dst === 'default')?.dev;
  return device === undefined ? undefined : facts.interfaces.find((item) => item.ifname === device);
}

function globalIpv4(item: HostInterface): string | undefined {
  return item.addr_info.find((info) => info.family === 'inet' && info.scope === 'global')?.local;
}
