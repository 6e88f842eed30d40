import { createHash } from 'node:crypto';
import { KubeError } from '../errors.js';
import { bitString, boolean, implicit, octetString, oid, oidText, sequence, type DerElement } from './der.js';

export const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

/** Bit of each key usage, by its usual name in words. */
const KEY_USAGE_BITS: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};

const EXTENDED_USAGES: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

export const CLIENT_AUTH = EXTENDED_USAGES['client auth']!;
export const ANY_USAGE = EXTENDED_USAGES['any']!;

/** One extension; `value` is its DER. */
export function extension(id: string, critical: boolean, value: Uint8Array): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

/**
 * Key usage and extended key usage extensions for usages named in words (`digital signature`, `client auth`, …).
 * Throws `KUBE_TLS_USAGE` for a name that is neither.
 */
export function usageExtensions(usages: readonly string[]): Buffer[] {
  const bits = new Set<number>();
  const extended = new Set<string>();
  for (const usage of usages) {
    const bit = KEY_USAGE_BITS[usage];
    const id = EXTENDED_USAGES[usage];
    if (bit !== undefined) bits.add(bit);
    else if (id !== undefined) extended.add(id);
    else throw new KubeError('KUBE_TLS_USAGE', `unrecognized usage values: ${JSON.stringify(usage)}`);
  }
  return [
    ...(bits.size > 0 ? [extension(EXTENSION.keyUsage, true, namedBits(bits))] : []),
    ...(extended.size > 0 ? [extension(EXTENSION.extendedKeyUsage, false, sequence(...[...extended].map(oid)))] : []),
  ];
}

/** DER of a bit string whose trailing zero bits are cut, as DER demands of named bits. */
function namedBits(bits: ReadonlySet<number>): Buffer {
  const highest = Math.max(...bits);
  const bytes = Buffer.alloc(Math.floor(highest / 8) + 1);
  for (const bit of bits) bytes[Math.floor(bit / 8)]! |= 0x80 >> bit % 8;
  return bitString(bytes, 7 - (highest % 8));
}

export function basicConstraints(authority: boolean): Buffer {
  return extension(EXTENSION.basicConstraints, true, authority ? sequence(boolean(true)) : sequence());
}

/** SHA-1 of the public key's bits (RFC 5280, method 1). */
export function keyIdentifier(publicKeyBits: Uint8Array): Buffer {
  return createHash('sha1').update(publicKeyBits).digest();
}

export const subjectKeyIdentifier = (id: Buffer): Buffer => extension(EXTENSION.subjectKeyIdentifier, false, octetString(id));
export const authorityKeyIdentifier = (id: Buffer): Buffer =>
  extension(EXTENSION.authorityKeyIdentifier, false, sequence(implicit(0, id)));

/** Extensions of a certificate or request by their identifier; values are the DER inside the octet string. */
export function readExtensions(list: DerElement | undefined): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const item of list?.children ?? []) {
    const id = item.children[0];
    const value = item.children.at(-1);
    if (id && value) found.set(oidText(id), value.content);
  }
  return found;
}
