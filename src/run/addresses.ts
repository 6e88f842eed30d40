import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Used when a host has nothing but loopback: an address of the documentation range (RFC 5737), which nobody routes. */
const NO_ADDRESS = '192.0.2.1';

/** Whether an address reaches this host only. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address === 'localhost' || address.startsWith('127.');
}

/** Whether an address means every interface. */
export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

/**
 * The address that the `kubernetes` service gives: Kubernetes refuses loopback addresses in endpoints, so a
 * server that listens there advertises the host's first other IPv4 address.
 */
export function chooseAdvertiseAddress(bindAddress: string, wanted: string | undefined): string {
  if (wanted) return wanted;
  if (!isLoopback(bindAddress) && !isWildcard(bindAddress)) return bindAddress;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find((entry) => !entry.internal && isIPv4(entry.address))?.address ?? NO_ADDRESS;
}

/** Host and port as they stand in a URL. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The address under which this host's own clients reach a server bound to `bindAddress`. */
export function clientAddress(bindAddress: string): string {
  return bindAddress === '0.0.0.0' ? '127.0.0.1' : bindAddress === '::' ? '::1' : bindAddress;
}
