import type { V1ServiceSpec } from '../generated/types.js';
import { duplicate, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { parseIp, validateLegacyIp } from '../meta/validation/ip.js';
import { isHeadless } from './service-traits.js';

const CLUSTER_IPS = FieldPath.of('spec', 'clusterIPs');
const FAMILIES = FieldPath.of('spec', 'ipFamilies');
const FAMILY_POLICY = FieldPath.of('spec', 'ipFamilyPolicy');
const SET_ONCE = 'may not change once set';

/** Rules of `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy` together. The registry has filled in the allocated ones. */
export function validateClusterIps(spec: V1ServiceSpec, before: V1ServiceSpec | undefined): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const ips = spec.clusterIPs ?? [];
  const families = spec.ipFamilies ?? [];
  const errors: FieldError[] = [];
  if (spec.clusterIP) {
    if (ips.length === 0) errors.push(required(CLUSTER_IPS));
    else if (ips[0] !== spec.clusterIP) errors.push(invalid(CLUSTER_IPS, ips, 'first value must match `clusterIP`'));
  } else if (ips.length > 0) errors.push(invalid(CLUSTER_IPS, ips, 'must be empty when `clusterIP` is not specified'));

  families.forEach((family, i) => {
    if (family !== 'IPv4' && family !== 'IPv6') errors.push(notSupported(FAMILIES.index(i), family, ['IPv4', 'IPv6']));
    if (families.indexOf(family) < i) errors.push(duplicate(FAMILIES.index(i), family));
  });
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  if (spec.ipFamilyPolicy !== undefined && !policies.includes(spec.ipFamilyPolicy)) errors.push(notSupported(FAMILY_POLICY, spec.ipFamilyPolicy, policies));

  let hasInvalid = false;
  ips.forEach((ip, i) => {
    if (i === 0 && ip === 'None') {
      if (ips.length > 1) {
        hasInvalid = true;
        errors.push(invalid(CLUSTER_IPS, ips, "'None' must be the first and only value"));
      }
      return;
    }
    const wrong = validateLegacyIp(ip, CLUSTER_IPS.index(i), true, before?.clusterIPs);
    hasInvalid ||= wrong.length > 0;
    errors.push(...wrong);
  });
  if (ips.length > 2) errors.push(invalid(CLUSTER_IPS, ips, 'may only hold up to 2 values'));
  if (hasInvalid) return errors;

  if (ips.length > 1 && !ips.some(isV6)) errors.push(invalid(CLUSTER_IPS, ips, 'may specify no more than one IP for each IP family'));
  else if (ips.length > 1 && ips.every(isV6)) errors.push(invalid(CLUSTER_IPS, ips, 'may specify no more than one IP for each IP family'));
  if (!isHeadless(spec)) {
    ips.forEach((ip, i) => {
      const family = families[i];
      if (family === 'IPv4' && isV6(ip)) errors.push(invalid(CLUSTER_IPS.index(i), ip, `expected an IPv4 value as indicated by \`ipFamilies[${i}]\``));
      if (family === 'IPv6' && !isV6(ip)) errors.push(invalid(CLUSTER_IPS.index(i), ip, `expected an IPv6 value as indicated by \`ipFamilies[${i}]\``));
    });
  }
  return errors;
}

/** The first address and family are set once; the second may come and, with `SingleStack`, go. */
export function validateClusterIpsUpdate(spec: V1ServiceSpec, before: V1ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return [];
  return [...validateAddressesUpdate(spec, before), ...validateFamiliesUpdate(spec, before)];
}

function validateAddressesUpdate(spec: V1ServiceSpec, before: V1ServiceSpec): FieldError[] {
  if (isHeadless(spec) && isHeadless(before)) return [];
  const now = spec.clusterIPs ?? [];
  const then = before.clusterIPs ?? [];
  const errors: FieldError[] = [];
  if (then.length === now.length) {
    then.forEach((ip, i) => {
      if (ip !== now[i]) errors.push(invalid(CLUSTER_IPS.index(i), now, SET_ONCE));
    });
    return errors;
  }
  const released = then.length > now.length;
  if (released && now.length === 0) errors.push(invalid(CLUSTER_IPS.index(0), undefined, 'primary clusterIP can not be unset'));
  if (then.length > 0 && now.length > 0 && now[0] !== then[0]) errors.push(invalid(CLUSTER_IPS.index(0), now, SET_ONCE));
  if (released && now.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    errors.push(invalid(FAMILY_POLICY, spec.ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary clusterIP"));
  }
  return errors;
}

function validateFamiliesUpdate(spec: V1ServiceSpec, before: V1ServiceSpec): FieldError[] {
  if (isHeadless(spec) || isHeadless(before)) return [];
  const now = spec.ipFamilies ?? [];
  const then = before.ipFamilies ?? [];
  const errors: FieldError[] = [];
  if (then.length === now.length) {
    then.forEach((family, i) => {
      if (family !== now[i]) errors.push(invalid(FAMILIES.index(0), now, SET_ONCE));
    });
    return errors;
  }
  const released = then.length > now.length;
  if (released && (spec.clusterIPs?.length ?? 0) === 0) errors.push(invalid(FAMILIES.index(0), spec.ipFamilies, 'primary ipFamily can not be unset'));
  // The value shown is that of clusterIPs, as upstream has it.
  if (then.length > 0 && now.length > 0 && now[0] !== then[0]) errors.push(invalid(FAMILIES.index(0), spec.clusterIPs, SET_ONCE));
  if (released && now.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    errors.push(invalid(FAMILY_POLICY, spec.ipFamilyPolicy, "must be set to 'SingleStack' when releasing the secondary ipFamily"));
  }
  return errors;
}

const isV6 = (ip: string): boolean => parseIp(ip)?.family === 6;
