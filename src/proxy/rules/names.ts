import { createHash } from 'node:crypto';
import type { Endpoint } from '../model/endpoint.js';
import type { ServicePortInfo } from '../model/service-port.js';

/** nftables' sets and maps of the table, under upstream's names. */
export type Container =
  | 'cluster-ips'
  | 'service-ips'
  | 'service-nodeports'
  | 'no-endpoint-services'
  | 'no-endpoint-nodeports'
  | 'firewall-ips'
  | 'hairpin-connections';

/** Names of the chains of one service port. */
export interface ServiceChains {
  /** To any usable endpoint. */
  readonly cluster: string;
  /** To endpoints on this node. */
  readonly local: string;
  /** What comes from outside passes it first. */
  readonly external: string;
  /** Drops what comes from outside of the allowed ranges. */
  readonly firewall: string;
}

/** The kernel allows 255 characters; this leaves room for prefixes. */
const READABLE_LENGTH = 200;

/** Chains of a service port; the names can be read, and the digest in them keeps long ones apart. */
export function serviceChains(port: ServicePortInfo): ServiceChains {
  const base = withDigest(readable(port));
  return { cluster: `service-${base}`, local: `local-${base}`, external: `external-${base}`, firewall: `firewall-${base}` };
}

/** Chain and set of an endpoint of a service with session affinity. A set's timeout cannot be changed, so that it is a part of the name. */
export function affinityNames(port: ServicePortInfo, endpoint: Endpoint): { readonly chain: string; readonly set: string } {
  const base = withDigest(`${readable(port)}__${endpoint.ip}/${endpoint.port}`);
  return { chain: `endpoint-${base}`, set: `${AFFINITY_PREFIX}${port.affinitySeconds}-${base}` };
}

/** Beginning of the names of sets that remember clients. */
export const AFFINITY_PREFIX = 'affinity-';

function readable(port: ServicePortInfo): string {
  return `${port.namespace}/${port.service}/${port.protocol.toLowerCase()}/${port.name}`;
}

function withDigest(text: string): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 10);
  return `${digest}-${text.length > READABLE_LENGTH ? text.slice(0, READABLE_LENGTH) : text}`;
}
