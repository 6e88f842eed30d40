import type { V1ConfigMapNodeConfigSource, V1Node, V1NodeConfigSource, V1Taint } from '../generated/types.js';
import { duplicate, forbidden, invalid, notSupportedInOrder, required, withDetail, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { parseCidr, validateLegacyCidr } from '../meta/validation/ip.js';
import { labelValue, validateLabelName } from '../meta/validation/labels.js';
import { validatePositive } from '../meta/validation/numbers.js';
import { configMapKey } from '../meta/validation/text.js';
import { validateDnsLabel, validateDnsSubdomain } from './validation/names.js';
import { validateResourceQuantity } from './validation/quantities.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const POD_CIDR_CHANGED = 'node updates may not change podCIDR except from "" to valid';

/** Rules of a node by itself. Taints are reported below `metadata`, as upstream does. */
export function validateNode(object: V1Node): FieldError[] {
  const swap = object.status?.nodeInfo?.swap?.capacity;
  return [
    ...validateTaints(object.spec?.taints, METADATA.child('taints')),
    ...validateResources(object),
    ...(swap === undefined ? [] : validatePositive(swap, METADATA.child('nodeSwapStatus', 'capacity'))),
    ...validateDeclaredFeatures(object),
    ...validatePodCidrs(object.spec?.podCIDRs ?? []),
  ];
}

/** Rules of a change, of the main resource and of `status` alike. */
export function validateNodeUpdate(object: V1Node, old: V1Node): FieldError[] {
  const errors = [...validateResources(object), ...validateDeclaredFeatures(object), ...validateAddresses(object)];
  const before = old.spec?.podCIDRs ?? [];
  const now = object.spec?.podCIDRs ?? [];
  if (before.length > 0 && before.length !== now.length) errors.push(forbidden(SPEC.child('podCIDRs'), POD_CIDR_CHANGED));
  else before.forEach((cidr, i) => {
    if (cidr !== now[i]) errors.push(forbidden(SPEC.child('podCIDRs'), POD_CIDR_CHANGED));
  });
  const provider = old.spec?.providerID ?? '';
  if (provider !== '' && provider !== (object.spec?.providerID ?? '')) {
    errors.push(forbidden(SPEC.child('providerID'), 'node updates may not change providerID except from "" to valid'));
  }
  if (object.spec?.configSource !== undefined) errors.push(...validateConfigSource(object.spec.configSource, false, SPEC.child('configSource')));
  const config = object.status?.config;
  for (const field of ['assigned', 'active', 'lastKnownGood'] as const) {
    const source = config?.[field];
    if (source !== undefined) errors.push(...validateConfigSource(source, true, STATUS.child('config', field)));
  }
  errors.push(...validateTaints(object.spec?.taints, METADATA.child('taints')));
  if ((object.spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) errors.push(forbidden(SPEC.child('externalID'), 'may not be updated'));
  return errors;
}

function validateTaints(taints: readonly V1Taint[] | undefined, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return (taints ?? []).flatMap((taint, i) => {
    const at = path.index(i);
    const { key = '', value = '', effect = '' } = taint;
    const errors = validateLabelName(key, at.child('key'));
    const wrong = labelValue(value);
    if (wrong.length > 0) errors.push(invalid(at.child('value'), value, wrong.join(';')));
    if (effect === '') errors.push(required(at.child('effect')));
    else if (!EFFECTS.includes(effect)) errors.push(notSupportedInOrder(at.child('effect'), effect, EFFECTS));
    if (seen.has(`${effect}/${key}`)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
      errors.push(withDetail(duplicate(at, shown), 'taints must be unique by key and effect pair'));
    }
    seen.add(`${effect}/${key}`);
    return errors;
  });
}

function validateResources(object: V1Node): FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(object.status?.[list] ?? {}).flatMap(([name, amount]) => validateResourceQuantity(name, amount, STATUS.child(list, name))));
}

function validateDeclaredFeatures(object: V1Node): FieldError[] {
  const features = object.status?.declaredFeatures ?? [];
  const path = STATUS.child('declaredFeatures');
  return features.flatMap((feature, i) => {
    const errors: FieldError[] = [];
    if (feature.length > 253) errors.push(invalid(path.index(i), feature, `invalid feature name "${feature}": must be no more than 253 characters`));
    else if (!FEATURE.test(feature)) {
      errors.push(invalid(path.index(i), feature, `invalid feature name "${feature}": must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`));
    }
    const next = features[i + 1];
    if (next === feature) errors.push(duplicate(path.index(i + 1), next));
    else if (next !== undefined && feature > next) errors.push(invalid(path.index(i + 1), next, 'list must be sorted alphabetically'));
    return errors;
  });
}

function validatePodCidrs(cidrs: readonly string[]): FieldError[] {
  const path = SPEC.child('podCIDRs');
  const errors = cidrs.flatMap((cidr, i) => validateLegacyCidr(cidr, path.index(i)));
  if (cidrs.length < 2) return errors;
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.network.family));
  if (families.size !== 2 || families.has(undefined) || cidrs.length > 2) {
    errors.push(invalid(path, cidrs, 'may specify no more than one CIDR for each IP family'));
  }
  return errors;
}

function validateAddresses(object: V1Node): FieldError[] {
  const seen = new Set<string>();
  return (object.status?.addresses ?? []).flatMap(({ type, address }, i) => {
    const key = `${type}/${address}`;
    if (seen.has(key)) return [duplicate(STATUS.child('addresses').index(i), { Type: type, Address: address })];
    seen.add(key);
    return [];
  });
}

function validateConfigSource(source: V1NodeConfigSource, inStatus: boolean, path: FieldPath): FieldError[] {
  if (source.configMap === undefined) return [invalid(path, { ConfigMap: null }, 'exactly one reference subfield must be non-nil')];
  return validateConfigMapSource(source.configMap, inStatus, path.child('configMap'));
}

function validateConfigMapSource(source: V1ConfigMapNodeConfigSource, inStatus: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['uid', 'resourceVersion'] as const) {
    const isSet = (source[field] ?? '') !== '';
    if (inStatus && !isSet) errors.push(required(path.child(field)));
    if (!inStatus && isSet) errors.push(forbidden(path.child(field), `${field} must not be set in spec`));
  }
  errors.push(...(source.namespace ? validateDnsLabel(source.namespace, path.child('namespace')) : [required(path.child('namespace'))]));
  errors.push(...(source.name ? validateDnsSubdomain(source.name, path.child('name')) : [required(path.child('name'))]));
  const keyPath = path.child('kubeletConfigKey');
  if (!source.kubeletConfigKey) errors.push(required(keyPath));
  else errors.push(...configMapKey(source.kubeletConfigKey).map((message) => invalid(keyPath, source.kubeletConfigKey, message)));
  return errors;
}
