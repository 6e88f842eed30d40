import { NODES } from '../../api/resource-refs.js';
import { internalError, notFoundError } from '../../api/status-error.js';
import type { ServerContext } from '../server-context.js';

/** How the server reaches the agent of a node. */
export interface NodeEndpoint {
  readonly node: string;
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
  /** Sent with every request: one agent may serve several nodes at one address. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Kinds of addresses, best first. Host names of nodes are seldom resolvable for the server. */
const PREFERRED = ['InternalIP', 'ExternalIP', 'InternalDNS', 'ExternalDNS', 'Hostname'];
const DEFAULT_PORT = 10250;

/** The agent of a node. Throws 404 when there is no such node, 500 when it has no address. */
export function nodeEndpoint(context: ServerContext, name: string): NodeEndpoint {
  const node = context.view.get(NODES, '', name);
  if (!node) throw notFoundError(NODES, name);
  const addresses = node.status?.addresses ?? [];
  const type = PREFERRED.find((candidate) => addresses.some((address) => address.type === candidate));
  const host = addresses.find((address) => address.type === type)?.address;
  if (!host) throw internalError(`no preferred addresses found; known addresses: [${addresses.map((address) => address.address).join(' ')}]`);
  const { certificate, key, ca } = context.options.kubeletClient;
  return { node: name, host, port: node.status?.daemonEndpoints?.kubeletEndpoint?.Port || DEFAULT_PORT, tls: { cert: certificate, key, ca }, headers: { 'kube-node': name } };
}

/** `host:port`, with brackets around an IPv6 address. */
export function authorityOf(host: string, port: number | string): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
