import type { V1LoadBalancerIngress } from '../../generated/types.js';
import { invalid, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { ipWarnings, parseIp, validateLegacyIp } from '../../meta/validation/ip.js';
import { dns1123Subdomain } from '../../meta/validation/names.js';

/** What the points of entry of services and of ingresses have in common. */
type EntryPoint = Pick<V1LoadBalancerIngress, 'ip' | 'hostname'>;

/** Address and host name of one point of entry. `validOld` are addresses stored already. */
export function validateEntryPointIp(entry: EntryPoint, path: FieldPath, validOld: readonly string[]): FieldError[] {
  return entry.ip ? validateLegacyIp(entry.ip, path.child('ip'), true, validOld) : [];
}

export function validateEntryPointHostname(entry: EntryPoint, path: FieldPath): FieldError[] {
  if (!entry.hostname) return [];
  const errors = dns1123Subdomain(entry.hostname).map((message) => invalid(path.child('hostname'), entry.hostname, message));
  if (parseIp(entry.hostname) !== undefined) errors.push(invalid(path.child('hostname'), entry.hostname, 'must be a DNS name, not an IP address'));
  return errors;
}

/** Addresses of the points of entry that have one. */
export function entryPointIps(entries: readonly EntryPoint[] | undefined): string[] {
  return (entries ?? []).flatMap((entry) => (entry.ip ? [entry.ip] : []));
}

export function entryPointWarnings(entries: readonly EntryPoint[] | undefined, path: FieldPath): string[] {
  return (entries ?? []).flatMap((entry, i) => (entry.ip ? ipWarnings(entry.ip, path.index(i)) : []));
}

/** Addresses or host names, sorted, as the table shows them. */
export function entryPointsText(entries: readonly EntryPoint[] | undefined): string {
  return [...new Set((entries ?? []).map((entry) => entry.ip || entry.hostname || '').filter((name) => name !== ''))].sort().join(',');
}
