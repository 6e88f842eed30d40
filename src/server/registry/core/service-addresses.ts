import type { V1IPAddress } from '../../../api/generated/types.js';
import { IP_ADDRESSES, SERVICE_CIDRS } from '../../../api/resource-refs.js';
import { isConditionTrue } from '../../../api/helpers/conditions.js';
import { blockContains, formatIp, parseCidr, parseIp, type IpAddress, type IpBlock } from '../../../base/net/ip.js';
import type { ServerContext } from '../../server-context.js';
import { timestamp } from '../../../api/meta/timestamp.js';
import { PendingValues, type Claims } from './allocation.js';

export type IpFamily = 'IPv4' | 'IPv6';

/** Why an address cannot be had; upstream's words. */
export class AddressError extends Error {
  constructor(
    message: string,
    /** No address is left, as opposed to a wrong wish. */
    readonly full = false,
  ) {
    super(message);
  }
}

const MANAGED_BY = 'ipallocator.k8s.io';
const LABEL_FAMILY = 'ipaddress.kubernetes.io/ip-family';
const LABEL_MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';

/** The usable addresses of a block, in which the lower band is left to those who choose their address themselves. */
interface Range {
  readonly block: IpBlock;
  readonly cidr: string;
  readonly first: bigint;
  readonly last: bigint;
  /** Size of the lower band. */
  readonly reserved: bigint;
}

/** Without a claim on an address upstream looks at one range only, and names it. */
function outsideError(text: string, cidr: string): AddressError {
  return new AddressError(`the provided IP (${text}) is not in the valid range. The range of valid IPs is ${cidr}`);
}

function rangeOf(cidr: string): Range | undefined {
  const block = parseCidr(cidr);
  if (!block) return undefined;
  const size = block.last - block.first + 1n;
  const last = block.family === 4 ? block.last - 1n : block.last;
  return { block, cidr, first: block.first + 1n, last, reserved: size <= 16n ? 0n : clamp(size / 16n, 16n, 256n) };
}

const clamp = (value: bigint, low: bigint, high: bigint): bigint => (value < low ? low : value > high ? high : value);

/** Cluster IPs: each one that is taken is an IPAddress object, written in the transaction of its service. */
export class ServiceAddresses {
  private readonly pending = new PendingValues();
  /** Families of the ranges that the server was started with; the first is the default. */
  readonly families: readonly IpFamily[];
  private readonly configured: readonly string[];

  constructor(private readonly context: ServerContext) {
    this.configured = context.options.serviceClusterIpRange.split(',').map((range) => range.trim());
    this.families = this.configured.flatMap((cidr): IpFamily[] => {
      const block = parseCidr(cidr);
      return block ? [block.family === 4 ? 'IPv4' : 'IPv6'] : [];
    });
  }

  private ranges(): Range[] {
    const ready = this.context.view.list(SERVICE_CIDRS).filter(
      (object) => object.metadata?.deletionTimestamp === undefined && isConditionTrue(object.status?.conditions, 'Ready'));
    const cidrs = new Set([...this.configured, ...ready.flatMap((object) => object.spec?.cidrs ?? [])]);
    return [...cidrs].map(rangeOf).filter((range) => range !== undefined);
  }

  private isTaken(ip: string): boolean {
    return this.pending.has(ip) || this.context.view.get(IP_ADDRESSES, '', ip) !== undefined;
  }

  /** Takes the address that the user wants. Throws an {@link AddressError} when it is taken or in no range. */
  take(claims: Claims, service: ServiceName, text: string, dryRun: boolean): void {
    const address = parseIp(text);
    if (!address) throw new AddressError(`failed to parse service IP ${JSON.stringify(text)}`);
    const ranges = this.ranges();
    const range = ranges.find(({ block }) => blockContains(block, address));
    if (!range && dryRun) throw outsideError(text, ranges.find(({ block }) => block.family === address.family)?.cidr ?? ranges[0]?.cidr ?? '');
    if (!range) throw new AddressError('the provided network does not match the current range');
    if (address.value < range.first || address.value > range.last) {
      throw outsideError(text, range.cidr);
    }
    if (dryRun) return;
    if (this.isTaken(formatIp(address))) throw new AddressError('provided IP is already allocated');
    this.claim(claims, service, address);
  }

  /** Takes any free address, from the upper band of a range as long as there are some. Throws an {@link AddressError} when none is left. */
  takeAny(claims: Claims, service: ServiceName, family: IpFamily, dryRun: boolean): string {
    const ranges = this.ranges().filter(({ block }) => (block.family === 4) === (family === 'IPv4'));
    for (const range of ranges) {
      if (dryRun) return formatIp({ family: range.block.family, value: range.block.first });
      const start = range.first + range.reserved;
      const address = this.freeBetween(range, start, range.last) ?? this.freeBetween(range, range.first, start - 1n);
      if (address) return this.claim(claims, service, address);
    }
    throw new AddressError('range is full', true);
  }

  /** A random free address of first..last; undefined when all are taken. */
  private freeBetween(range: Range, first: bigint, last: bigint): IpAddress | undefined {
    const size = last - first + 1n;
    if (size <= 0n) return undefined;
    const window = size > 2n ** 53n ? 2n ** 53n : size;
    const start = BigInt(Math.floor(this.context.random.float() * Number(window)));
    for (let i = 0n; i < size; i++) {
      const address = { family: range.block.family, value: first + ((start + i) % size) };
      if (!this.isTaken(formatIp(address))) return address;
    }
    return undefined;
  }

  private claim(claims: Claims, service: ServiceName, address: IpAddress): string {
    const name = formatIp(address);
    const object = ipAddressFor(service, address, this.context.random.uuid(), timestamp(this.context.clock.now()));
    claims.take(this.pending, name, this.context.storeKey(IP_ADDRESSES, '', name), this.context.encodeForStore(IP_ADDRESSES, object));
    return name;
  }

  /** Gives an address back with the transaction. */
  release(claims: Claims, text: string): void {
    const address = parseIp(text);
    if (!address) return;
    const name = formatIp(address);
    if (this.context.view.get(IP_ADDRESSES, '', name)) claims.release(this.context.storeKey(IP_ADDRESSES, '', name));
  }
}

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** The object that says that an address belongs to a service. */
export function ipAddressFor(service: ServiceName, address: IpAddress, uid: string, creationTimestamp: string): V1IPAddress {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: formatIp(address), uid, creationTimestamp, labels: { [LABEL_FAMILY]: address.family === 4 ? 'IPv4' : 'IPv6', [LABEL_MANAGED_BY]: MANAGED_BY } },
    spec: { parentRef: { resource: 'services', ...service } },
  };
}

/** Whether the allocator made this object (others may be the user's). */
export function isManagedAddress(object: V1IPAddress): boolean {
  return object.metadata?.labels?.[LABEL_MANAGED_BY] === MANAGED_BY;
}
