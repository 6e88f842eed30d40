import type { DiscoveryV1EndpointPort, V1Endpoint, V1EndpointSlice } from '../../api/generated/types.js';
import { parseIp } from '../../base/net/ip.js';
import type { EventLoopTurns } from '../../reconcile/index.js';

/** One address and port behind a service port. */
export interface Endpoint {
  readonly ip: string;
  readonly port: number;
  /** On this node. */
  readonly local: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** Zones that should use it; undefined: no hint. */
  readonly zones?: ReadonlySet<string>;
  /** Nodes that should use it; undefined: no hint. */
  readonly nodes?: ReadonlySet<string>;
}

/** Endpoints by the name and protocol of their port: see {@link portKey}. */
export type EndpointsByPort = ReadonlyMap<string, readonly Endpoint[]>;

/** Key of a service port among the endpoints. Protocol as in the API: `TCP`. */
export function portKey(name: string, protocol: string): string {
  return `${protocol}/${name}`;
}

/**
 * The endpoints that a service's EndpointSlices name, sorted by address and port. Slices of other address families are left
 * out, as are ports without a number. Where two slices name the same address and port, one that is not terminating wins:
 * an address may be used anew before its last pod's object is gone. Lets the event loop turn between slices.
 */
export async function endpointsOfSlices(slices: readonly V1EndpointSlice[], nodeName: string, turns: EventLoopTurns): Promise<EndpointsByPort> {
  const found = new Map<string, Map<number, Endpoint>>();
  const ordered = [...slices].sort((a, b) => compare(a.metadata?.name ?? '', b.metadata?.name ?? ''));
  for (const slice of ordered) {
    if (slice.addressType !== 'IPv4') continue;
    await turns.maybeYield();
    for (const port of slice.ports ?? []) addPort(found, slice.endpoints ?? [], port, nodeName);
  }
  return new Map([...found].map(([key, endpoints]) => [key, [...endpoints].sort(([a], [b]) => a - b).map(([, endpoint]) => endpoint)]));
}

function addPort(found: Map<string, Map<number, Endpoint>>, endpoints: readonly V1Endpoint[], port: DiscoveryV1EndpointPort, nodeName: string): void {
  if (!port.port) return;
  const key = portKey(port.name ?? '', port.protocol ?? 'TCP');
  let byAddress = found.get(key);
  if (!byAddress) found.set(key, (byAddress = new Map<number, Endpoint>()));
  for (const source of endpoints) {
    const address = parseIp(source.addresses[0] ?? '');
    if (address?.family !== 4) continue;
    // An IPv4 address that was parsed has one spelling.
    const endpoint = endpointOf(source, source.addresses[0]!, port.port, nodeName);
    const id = Number(address.value) * 65_536 + port.port;
    if (!byAddress.has(id) || !endpoint.terminating) byAddress.set(id, endpoint);
  }
}

function endpointOf(source: V1Endpoint, ip: string, port: number, nodeName: string): Endpoint {
  const { conditions, hints } = source;
  return {
    ip,
    port,
    local: source.nodeName === nodeName,
    ready: conditions?.ready ?? true,
    serving: conditions?.serving ?? true,
    terminating: conditions?.terminating ?? false,
    ...(hints?.forZones?.length ? { zones: new Set(hints.forZones.map((hint) => hint.name)) } : {}),
    ...(hints?.forNodes?.length ? { nodes: new Set(hints.forNodes.map((hint) => hint.name)) } : {}),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
