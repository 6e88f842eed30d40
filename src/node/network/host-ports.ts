import { isIPv4 } from 'node:net';
import { parseIp } from '../../base/net/ip.js';
import type { NetworkRequest } from './pod-network.js';

/** A port of the host that leads to a pod. */
export interface HostPort {
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  /** The one address of the host that it is for; absent: all of them. */
  readonly hostIp?: string;
  readonly hostPort: number;
  readonly containerPort: number;
}

/** Port mappings for IPv4; those without a host port or for an address of the other family are left out. */
export function toHostPorts(mappings: NetworkRequest['portMappings']): HostPort[] {
  return mappings.flatMap((mapping): HostPort[] => {
    const { hostPort, containerPort, hostIp } = mapping;
    if (hostPort <= 0) return [];
    const wildcard = hostIp === '' || hostIp === '0.0.0.0' || (parseIp(hostIp)?.family === 6 && parseIp(hostIp)?.value === 0n);
    if (!wildcard && !isIPv4(hostIp)) return [];
    const protocol = mapping.protocol === '' ? 'tcp' : mapping.protocol.toLowerCase();
    if (protocol !== 'tcp' && protocol !== 'udp' && protocol !== 'sctp') return [];
    return [{ protocol, hostPort, containerPort, ...(wildcard ? {} : { hostIp }) }];
  });
}

/** Whether two pods cannot both have these ports. */
export function collide(a: HostPort, b: HostPort): boolean {
  return a.protocol === b.protocol && a.hostPort === b.hostPort && (a.hostIp === undefined || b.hostIp === undefined || a.hostIp === b.hostIp);
}

/** Whether processes of the host reach it at a loopback address. */
export function answersOnLoopback(port: HostPort): boolean {
  return port.hostIp === undefined || port.hostIp.startsWith('127.');
}

/** `8080/TCP`, with the address in front where there is one. */
export function describeHostPort(port: HostPort): string {
  return `${port.hostIp === undefined ? '' : `${port.hostIp}:`}${port.hostPort}/${port.protocol.toUpperCase()}`;
}
