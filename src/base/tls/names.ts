import { formatIp, ipBytes, ipFromBytes, parseIp } from '../net/ip.js';
import { der, oid, oidText, sequence, set, stringText, utf8String, implicit, type DerElement } from './der.js';

/** Subject of a certificate: the parts that identify a peer. */
export interface DistinguishedName {
  /** The last common name, as Go has it; empty when there is none. */
  readonly commonName: string;
  /** In the order of the certificate. */
  readonly organizations: readonly string[];
}

/** What stands in a certificate beyond the usual: unique ids of users, in Kubernetes' own attribute. */
export interface DecodedName extends DistinguishedName {
  readonly uids: readonly string[];
}

/** Names for which a certificate is valid. */
export interface SubjectAltNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const UID = '1.3.6.1.4.1.57683.2';

const attribute = (type: string, value: string): Buffer => set(sequence(oid(type), utf8String(value)));

/** Encodes a name, organizations first as is the custom. */
export function encodeName(name: DistinguishedName): Buffer {
  return sequence(
    ...name.organizations.map((organization) => attribute(ORGANIZATION, organization)),
    ...(name.commonName === '' ? [] : [attribute(COMMON_NAME, name.commonName)]),
  );
}

/** Decodes a name; attributes other than common name, organization and uid are left out. */
export function decodeName(element: DerElement): DecodedName {
  let commonName = '';
  const organizations: string[] = [];
  const uids: string[] = [];
  for (const relative of element.children) {
    for (const pair of relative.children) {
      const [type, value] = pair.children;
      if (!type || !value) continue;
      const id = oidText(type);
      if (id === COMMON_NAME) commonName = stringText(value);
      if (id === ORGANIZATION) organizations.push(stringText(value));
      if (id === UID) uids.push(stringText(value));
    }
  }
  return { commonName, organizations, uids };
}

/** Encodes general names; undefined when there are none. Throws a `RangeError` for a bad IP address. */
export function encodeAltNames(names: Partial<SubjectAltNames>): Buffer | undefined {
  const parts = [
    ...(names.dnsNames ?? []).map((name) => implicit(2, Buffer.from(name, 'latin1'))),
    ...(names.emailAddresses ?? []).map((email) => implicit(1, Buffer.from(email, 'latin1'))),
    ...(names.ipAddresses ?? []).map((text) => {
      const address = parseIp(text);
      if (!address) throw new RangeError(`not an IP address: ${text}`);
      return implicit(7, ipBytes(address));
    }),
    ...(names.uris ?? []).map((uri) => implicit(6, Buffer.from(uri, 'latin1'))),
  ];
  return parts.length === 0 ? undefined : der(0x30, ...parts);
}

/** Decodes general names; kinds other than the four are left out. */
export function decodeAltNames(element: DerElement | undefined): SubjectAltNames {
  const names = { dnsNames: [] as string[], ipAddresses: [] as string[], emailAddresses: [] as string[], uris: [] as string[] };
  for (const child of element?.children ?? []) {
    const text = child.content.toString('latin1');
    if (child.tag === 0x81) names.emailAddresses.push(text);
    if (child.tag === 0x82) names.dnsNames.push(text);
    if (child.tag === 0x86) names.uris.push(text);
    const address = child.tag === 0x87 ? ipFromBytes(child.content) : undefined;
    if (address) names.ipAddresses.push(formatIp(address));
  }
  return names;
}

