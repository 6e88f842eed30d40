import { validateClusterIps } from '../../../api/core/service-cluster-ips.js';
import type { Draft } from '../../../api/draft.js';
import type { V1Service, V1ServiceSpec } from '../../../api/generated/types.js';
import { invalid, type FieldError } from '../../../api/meta/field-error.js';
import { FieldPath } from '../../../api/meta/field-path.js';
import { invalidError } from '../../../api/status-error.js';
import { parseIp } from '../../../base/net/ip.js';
import type { IpFamily } from './service-addresses.js';

const SPEC = FieldPath.of('spec');
const KIND = { group: '', kind: 'Service' };

const same = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  (a ?? []).length === (b ?? []).length && (a ?? []).every((value, i) => value === b![i]);

export const sameClusterIps = (a: V1ServiceSpec, b: V1ServiceSpec): boolean => same(a.clusterIPs, b.clusterIPs);
const sameFamilies = (a: V1ServiceSpec, b: V1ServiceSpec): boolean => same(a.ipFamilies, b.ipFamilies);
const other = (family: string): IpFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');

/**
 * Services that prefer two stacks and were not touched in this respect keep what they have, also when the cluster has gained
 * or lost a family since.
 */
export function keepsPreferredStacks(spec: V1ServiceSpec, before: V1ServiceSpec | undefined): boolean {
  return (
    before !== undefined &&
    spec.type !== 'ExternalName' &&
    spec.type === before.type &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    (before.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    sameClusterIps(spec, before) &&
    sameFamilies(spec, before)
  );
}

/**
 * Fills in `ipFamilyPolicy` and `ipFamilies` from what the user gave and what the cluster has.
 * Throws 422 where they contradict each other or ask for a family that the cluster does not have.
 */
export function settleFamilies(draft: Draft<V1Service>, old: V1Service | undefined, available: readonly IpFamily[]): void {
  const spec = (draft.spec ??= {});
  const before = old?.spec;
  if (spec.type === 'ExternalName' || keepsPreferredStacks(spec, before)) return;
  const name = draft.metadata?.name ?? '';
  const refuse = (errors: readonly FieldError[]): void => {
    if (errors.length > 0) throw invalidError(KIND, name, errors);
  };
  const withoutSelector = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (withoutSelector ? 'RequireDualStack' : 'SingleStack');
  refuse(validateClusterIps(spec, before));
  const errors: FieldError[] = [];
  if (before) errors.push(...settleChange(spec, before));
  if (spec.ipFamilyPolicy === 'SingleStack') {
    const detail = (what: string): string => `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    if (spec.clusterIPs?.length === 2) errors.push(invalid(SPEC.child('ipFamilyPolicy'), spec.ipFamilyPolicy, detail('cluster IPs')));
    if (spec.ipFamilies?.length === 2) errors.push(invalid(SPEC.child('ipFamilyPolicy'), spec.ipFamilyPolicy, detail('IP families')));
  }
  errors.push(...inferFamilies(spec, available));
  refuse(errors);
  if (withoutSelector) {
    const families = spec.ipFamilies?.length ? spec.ipFamilies : [available[0] ?? 'IPv4'];
    spec.ipFamilies = families.length < 2 && spec.ipFamilyPolicy !== 'SingleStack' ? [families[0]!, other(families[0]!)] : families;
    return;
  }
  refuse(checkAvailable(spec, available));
  const families = spec.ipFamilies?.length ? spec.ipFamilies : [available[0] ?? 'IPv4'];
  const addOther = spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1 && available.length === 2;
  spec.ipFamilies = addOther ? [families[0]!, other(families[0]!)] : families;
}

/** Giving up the second stack needs the policy to say so. */
function settleChange(spec: Draft<V1ServiceSpec>, before: V1ServiceSpec): FieldError[] {
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (sameClusterIps(spec, before) && (spec.clusterIPs?.length ?? 0) > 1) spec.clusterIPs = spec.clusterIPs!.slice(0, 1);
    if (sameFamilies(spec, before) && (spec.ipFamilies?.length ?? 0) > 1) spec.ipFamilies = spec.ipFamilies!.slice(0, 1);
    return [];
  }
  const errors: FieldError[] = [];
  const reduced = (now: readonly string[] | undefined, then: readonly string[] | undefined): boolean =>
    now?.length === 1 && then?.length === 2 && now[0] === then[0];
  const complain = (what: string): void => {
    errors.push(invalid(SPEC.child('ipFamilyPolicy'), spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`));
  };
  if (reduced(spec.clusterIPs, before.clusterIPs)) complain('cluster IP');
  if (reduced(spec.ipFamilies, before.ipFamilies)) complain('IP family');
  return errors;
}

/** Families of the addresses that the user chose. */
function inferFamilies(spec: Draft<V1ServiceSpec>, available: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === 'None') break;
    if (i < (spec.ipFamilies?.length ?? 0)) continue;
    const family = parseIp(ip)?.family === 6 ? 'IPv6' : 'IPv4';
    if (available.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else errors.push(invalid(SPEC.child('clusterIPs').index(i), spec.clusterIPs, `${family} is not configured on this cluster`));
  }
  return errors;
}

function checkAvailable(spec: V1ServiceSpec, available: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === 'RequireDualStack' && available.length < 2) {
    errors.push(invalid(SPEC.child('ipFamilyPolicy'), spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  }
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
    if (!available.includes(family as IpFamily)) errors.push(invalid(SPEC.child('ipFamilies').index(i), family, 'not configured on this cluster'));
  }
  return errors;
}
