import { isIP } from 'node:net';

/** An IP address as a number; addresses of one family can be compared and counted. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** A block of addresses: `10.96.0.0/16`. */
export interface IpBlock {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
  readonly prefixLength: number;
}

const BITS = { 4: 32, 6: 128 } as const;

/** Parses an address strictly (no leading zeros, no short forms, no zone); undefined when it is none. */
export function parseIp(text: string): IpAddress | undefined {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 4) return { family, value: fromV4(text) };
  if (family === 6) return { family, value: fromV6(text) };
  return undefined;
}

/** Parses `address/prefix`; bits beyond the prefix are ignored. Undefined when it is not a CIDR. */
export function parseCidr(text: string): IpBlock | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const prefix = text.slice(slash + 1);
  if (!address || !/^(0|[1-9]\d{0,2})$/.test(prefix)) return undefined;
  const bits = BITS[address.family];
  const prefixLength = Number(prefix);
  if (prefixLength > bits) return undefined;
  const size = 1n << BigInt(bits - prefixLength);
  const first = (address.value / size) * size;
  return { family: address.family, first, last: first + size - 1n, prefixLength };
}

/** Whether `block` contains `address`. */
export function blockContains(block: IpBlock, address: IpAddress): boolean {
  return block.family === address.family && address.value >= block.first && address.value <= block.last;
}

/** Canonical text (RFC 5952 for version 6). */
export function formatIp(address: IpAddress): string {
  return address.family === 4 ? toV4(address.value) : toV6(address.value);
}

/** The 4 or 16 bytes of an address, in network order. */
export function ipBytes(address: IpAddress): Buffer {
  const length = BITS[address.family] / 8;
  return Buffer.from(address.value.toString(16).padStart(length * 2, '0'), 'hex');
}

/** The address of 4 or 16 bytes; undefined for any other length. */
export function ipFromBytes(bytes: Uint8Array): IpAddress | undefined {
  if (bytes.length !== 4 && bytes.length !== 16) return undefined;
  return { family: bytes.length === 4 ? 4 : 6, value: BigInt(`0x${Buffer.from(bytes).toString('hex')}`) };
}

function fromV4(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function fromV6(text: string): bigint {
  const dot = text.lastIndexOf('.') < 0 ? -1 : text.lastIndexOf(':');
  let tail: bigint | undefined;
  let head = text;
  if (dot >= 0) {
    tail = fromV4(text.slice(dot + 1));
    head = `${text.slice(0, dot)}:${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  }
  const [left, right] = head.split('::') as [string, string | undefined];
  const groups = (part: string | undefined): string[] => (part ? part.split(':') : []);
  const before = groups(left);
  const after = groups(right);
  const zeros = right === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill('0'), ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function toV4(value: bigint): string {
  const n = Number(value);
  return [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.');
}

function toV6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - 16 * i)) & 0xffffn));
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > best.length) best = { start: i, length: end - i };
  }
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (best.start < 0) return text(groups);
  return `${text(groups.slice(0, best.start))}::${text(groups.slice(best.start + best.length))}`;
}
