import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';

/**
 * IP addresses and CIDRs. Two ways of reading: the sloppy one that old fields keep (octets may have leading
 * zeros, which are decimal, and `::ffff:1.2.3.4` is IPv4) and the strict one of newer fields. `formatIp` prints
 * the canonical form (RFC 5952).
 */
export interface IpAddress {
  /** 4 also for IPv4-mapped IPv6. */
  readonly family: 4 | 6;
  /** 4 or 16 bytes, by family. */
  readonly bytes: readonly number[];
  /** Written as `::ffff:…`. */
  readonly mapped: boolean;
  /** Leading zeros or groups that are too long: only the sloppy reading takes it. */
  readonly sloppy: boolean;
}

export interface Cidr {
  readonly address: IpAddress;
  /** Address with the bits beyond the prefix cleared. */
  readonly network: IpAddress;
  /** Length for the network's family. */
  readonly prefixLength: number;
  readonly sloppy: boolean;
}

const BAD_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const BAD_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Reads an address sloppily; undefined when it is none. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const v4 = parseV4(text);
    return v4 && { family: 4, bytes: v4.bytes, mapped: false, sloppy: v4.sloppy };
  }
  const v6 = parseV6(text);
  if (v6 === undefined) return undefined;
  const mapped = v6.bytes.slice(0, 10).every((byte) => byte === 0) && v6.bytes[10] === 255 && v6.bytes[11] === 255;
  return mapped
    ? { family: 4, bytes: v6.bytes.slice(12), mapped, sloppy: v6.sloppy }
    : { family: 6, bytes: v6.bytes, mapped, sloppy: v6.sloppy };
}

/** Reads `address/length` sloppily; undefined when it is none. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const lengthText = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]+$/.test(lengthText)) return undefined;
  const written = Number(lengthText);
  const widest = address.family === 6 || address.mapped ? 128 : 32;
  if (written > widest) return undefined;
  // Go counts the prefix of a mapped address in the 128 bits that it was written with.
  const prefixLength = address.mapped ? Math.max(0, written - 96) : written;
  const network = { ...address, bytes: maskBytes(address.bytes, prefixLength) };
  return { address, network, prefixLength, sloppy: address.sloppy || (lengthText.length > 1 && lengthText.startsWith('0')) };
}

/** Canonical text of an address. */
export function formatIp(ip: IpAddress): string {
  if (ip.family === 4) return ip.bytes.join('.');
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((ip.bytes[i]! << 8) | ip.bytes[i + 1]!);
  const gap = longestZeroRun(groups);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (gap === undefined) return hex(groups);
  return `${hex(groups.slice(0, gap.start))}::${hex(groups.slice(gap.start + gap.length))}`;
}

/** Canonical text of the network. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp(cidr.network)}/${cidr.prefixLength}`;
}

/** True when the address lies in the network. */
export function cidrContains(cidr: Cidr, ip: IpAddress): boolean {
  if (cidr.network.family !== ip.family) return false;
  return maskBytes(ip.bytes, cidr.prefixLength).every((byte, i) => byte === cidr.network.bytes[i]);
}

/** Strict rule of newer fields: valid, no leading zeros, not mapped, canonical. */
export function validateIp(value: string, path: FieldPath): FieldError[] {
  const ip = parseIp(value);
  if (ip === undefined) return [invalid(path, value, BAD_IP)];
  if (ip.sloppy) return [invalid(path, value, 'must not have leading 0s')];
  if (ip.mapped) return [invalid(path, value, 'must not be an IPv4-mapped IPv6 address')];
  const canonical = formatIp(ip);
  return canonical === value ? [] : [invalid(path, value, `must be in canonical form ("${canonical}")`)];
}

/** Rule of older fields. `validOld` are values that the stored object has already. */
export function validateLegacyIp(value: string, path: FieldPath, strict = true, validOld: readonly string[] = []): FieldError[] {
  if (validOld.includes(value)) return [];
  const ip = parseIp(value);
  if (ip === undefined) return [invalid(path, value, BAD_IP)];
  if (!strict) return [];
  if (ip.sloppy) return [invalid(path, value, 'must not have leading 0s')];
  return ip.mapped ? [invalid(path, value, 'must not be an IPv4-mapped IPv6 address')] : [];
}

/** Strict rule of newer fields. */
export function validateCidr(value: string, path: FieldPath): FieldError[] {
  const errors = validateLegacyCidr(value, path, true);
  if (errors.length > 0) return errors;
  const canonical = formatCidr(parseCidr(value)!);
  return canonical === value ? [] : [invalid(path, value, `must be in canonical form ("${canonical}")`)];
}

/** Rule of older fields. `validOld` are values that the stored object has already. */
export function validateLegacyCidr(value: string, path: FieldPath, strict = true, validOld: readonly string[] = []): FieldError[] {
  if (validOld.includes(value)) return [];
  const cidr = parseCidr(value);
  if (cidr === undefined) return [invalid(path, value, BAD_CIDR)];
  if (!strict) return [];
  if (cidr.sloppy) return [invalid(path, value, 'must not have leading 0s in IP or prefix length')];
  if (cidr.address.mapped) return [invalid(path, value, 'must not have an IPv4-mapped IPv6 address')];
  if (formatIp(cidr.address) !== formatIp(cidr.network)) return [invalid(path, value, 'must not have bits set beyond the prefix length')];
  return [];
}

/** An address of an interface with the length of its network: `10.9.8.7/24`. */
export function validateInterfaceAddress(value: string, path: FieldPath): FieldError[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return [invalid(path, value, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  const canonical = `${formatIp(cidr.address)}/${cidr.prefixLength}`;
  return canonical === value ? [] : [invalid(path, value, `must be in canonical form ("${canonical}")`)];
}

/** Warnings for an address in an older field that has passed its rule. */
export function ipWarnings(value: string, path: FieldPath): string[] {
  const ip = parseIp(value);
  if (ip === undefined) return [];
  const canonical = formatIp(ip);
  if (ip.sloppy || ip.mapped) return [`${path}: non-standard IP address "${value}" is invalid: use "${canonical}"`];
  if (ip.family === 6 && canonical !== value) return [`${path}: IPv6 address "${value}" should be in RFC 5952 canonical format ("${canonical}")`];
  return [];
}

/** Warnings for a CIDR in an older field that has passed its rule. */
export function cidrWarnings(value: string, path: FieldPath): string[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return [];
  const warnings: string[] = [];
  const canonical = formatCidr(cidr);
  const width = cidr.network.family === 4 ? 32 : 128;
  if (formatIp(cidr.address) !== formatIp(cidr.network)) {
    warnings.push(`${path}: CIDR value "${value}" is ambiguous in this context (should be "${canonical}" or "${formatIp(cidr.address)}/${width}"?)`);
  }
  if (cidr.sloppy || cidr.address.mapped) warnings.push(`${path}: non-standard CIDR value "${value}" is invalid: use "${canonical}"`);
  if (warnings.length === 0 && cidr.network.family === 6 && canonical !== value) {
    warnings.push(`${path}: IPv6 CIDR value "${value}" should be in RFC 5952 canonical format ("${canonical}")`);
  }
  return warnings;
}

function parseV4(text: string): { bytes: number[]; sloppy: boolean } | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let sloppy = false;
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^[0-9]+$/.test(part)) return undefined;
    const byte = Number(part);
    if (byte > 255) return undefined;
    if (part.length > 1 && part.startsWith('0')) sloppy = true;
    bytes.push(byte);
  }
  return { bytes, sloppy };
}

function parseV6(text: string): { bytes: number[]; sloppy: boolean } | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  let sloppy = false;
  const read = (half: string, last: boolean): number[] | undefined => {
    if (half === '') return [];
    const bytes: number[] = [];
    const parts = half.split(':');
    for (const [i, part] of parts.entries()) {
      if (last && i === parts.length - 1 && part.includes('.')) {
        const v4 = parseV4(part);
        if (v4 === undefined) return undefined;
        sloppy ||= v4.sloppy;
        bytes.push(...v4.bytes);
        continue;
      }
      if (!/^[0-9a-fA-F]+$/.test(part)) return undefined;
      const group = Number.parseInt(part, 16);
      if (group > 0xffff) return undefined;
      if (part.length > 4) sloppy = true;
      bytes.push(group >> 8, group & 255);
    }
    return bytes;
  };
  const head = read(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? read(halves[1]!, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return { bytes: [...head, ...new Array<number>(missing).fill(0), ...tail], sloppy };
}

function maskBytes(bytes: readonly number[], length: number): number[] {
  return bytes.map((byte, i) => {
    const kept = Math.min(8, Math.max(0, length - i * 8));
    return byte & (0xff00 >> kept) & 0xff;
  });
}

/** RFC 5952: the first of the longest runs of at least two zero groups. */
function longestZeroRun(groups: readonly number[]): { start: number; length: number } | undefined {
  let best: { start: number; length: number } | undefined;
  for (let i = 0; i < groups.length; ) {
    let end = i;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - i >= 2 && end - i > (best?.length ?? 1)) best = { start: i, length: end - i };
    i = Math.max(end, i + 1);
  }
  return best;
}
