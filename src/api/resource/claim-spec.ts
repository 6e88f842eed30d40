import type { Draft } from '../draft.js';
import type { V1DeviceClaim, V1DeviceConstraint, V1DeviceRequest, V1DeviceSubRequest, V1ExactDeviceRequest, V1ResourceClaimSpec } from '../generated/types.js';
import { validateDnsLabel, validateDnsSubdomain } from '../core/validation/names.js';
import { invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { MAX_CONFIGS, validateDeviceConfiguration, validateSelectors, validateTolerations } from './device-config.js';
import { validateFullName } from './device-names.js';
import { validateList, validateSet } from './lists.js';

export const MAX_REQUESTS = 32;
const MAX_CONSTRAINTS = 32;
const MAX_SUBREQUESTS = 8;
const ONE_TYPE = 'exactly one of `exactly` or `firstAvailable` is required';
const UNKNOWN_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** One device unless said otherwise. */
export function defaultClaimSpec(spec: Draft<V1ResourceClaimSpec>): void {
  spec.devices ??= {};
  for (const request of spec.devices.requests ?? []) {
    for (const wanted of [...(request.exactly ? [request.exactly] : []), ...(request.firstAvailable ?? [])]) {
      wanted.allocationMode ||= 'ExactCount';
      if (wanted.allocationMode === 'ExactCount') wanted.count ||= 1;
      for (const toleration of wanted.tolerations ?? []) toleration.operator ||= 'Equal';
    }
  }
}

/** Names that other parts may refer to: `request` and `request/subrequest`. */
export function requestNames(claim: V1DeviceClaim | undefined): ReadonlySet<string> {
  return new Set((claim?.requests ?? []).flatMap(({ name, firstAvailable = [] }) => [name, ...firstAvailable.map((sub) => `${name}/${sub.name}`)]));
}

export function validateClaimSpec(spec: V1ResourceClaimSpec | undefined, path: FieldPath): FieldError[] {
  const claim = spec?.devices ?? {};
  const names = requestNames(claim);
  const at = path.child('devices');
  return [
    ...validateSet(claim.requests, MAX_REQUESTS, validateRequest, ({ name }) => name ?? '', at.child('requests')),
    ...validateList(claim.constraints, MAX_CONSTRAINTS, (constraint, item) => validateConstraint(constraint, names, item), at.child('constraints')),
    ...validateList(claim.config, MAX_CONFIGS, (config, item) => [
      ...validateRequestRefs(config.requests, names, item.child('requests')),
      ...validateDeviceConfiguration(config, item),
    ], at.child('config')),
  ];
}

export function validateRequestRefs(refs: readonly string[] | undefined, names: ReadonlySet<string>, path: FieldPath): FieldError[] {
  return validateSet(refs, MAX_REQUESTS, (ref, at) => validateRequestRef(ref, names, at), (ref) => ref, path);
}

export function validateRequestRef(ref: string, names: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const segments = ref.split('/');
  if (segments.length > 2) return [invalid(path, ref, UNKNOWN_REQUEST)];
  const errors = segments.flatMap((segment) => validateDnsLabel(segment, path));
  return names.has(ref) ? errors : [...errors, invalid(path, ref, UNKNOWN_REQUEST)];
}

function validateRequest(request: V1DeviceRequest, path: FieldPath): FieldError[] {
  const { name = '', exactly, firstAvailable = [] } = request;
  const errors = validateDnsLabel(name, path.child('name'));
  if (exactly !== undefined && firstAvailable.length > 0) errors.push(invalid(path, null, `${ONE_TYPE}, but multiple fields are set`));
  else if (exactly !== undefined) errors.push(...validateWanted(exactly, path.child('exactly')));
  else if (firstAvailable.length > 0) {
    errors.push(...validateSet(firstAvailable, MAX_SUBREQUESTS, validateSubRequest, (sub) => sub.name ?? '', path.child('firstAvailable')));
  } else errors.push(required(path, ONE_TYPE));
  return errors;
}

function validateSubRequest(request: V1DeviceSubRequest, path: FieldPath): FieldError[] {
  return [...validateDnsLabel(request.name ?? '', path.child('name')), ...validateWanted(request, path)];
}

function validateWanted(wanted: V1ExactDeviceRequest, path: FieldPath): FieldError[] {
  const { deviceClassName = '', selectors, allocationMode = '', count = 0, tolerations } = wanted;
  const classPath = path.child('deviceClassName');
  const errors = deviceClassName === '' ? [required(classPath)] : validateDnsSubdomain(deviceClassName, classPath);
  errors.push(...validateSelectors(selectors, path.child('selectors')));
  if (allocationMode === 'All') {
    if (count !== 0) errors.push(invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'"));
  } else if (allocationMode === 'ExactCount') {
    if (count <= 0) errors.push(invalid(path.child('count'), count, 'must be greater than zero'));
  } else errors.push(notSupportedInOrder(path.child('allocationMode'), allocationMode, ['All', 'ExactCount']));
  return [...errors, ...validateTolerations(tolerations, path.child('tolerations'))];
}

function validateConstraint(constraint: V1DeviceConstraint, names: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const errors = validateRequestRefs(constraint.requests, names, path.child('requests'));
  if (constraint.matchAttribute !== undefined) errors.push(...validateFullName(constraint.matchAttribute, path.child('matchAttribute')));
  else if (constraint.distinctAttribute !== undefined) errors.push(...validateFullName(constraint.distinctAttribute, path.child('distinctAttribute')));
  else errors.push(required(path, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'));
  return errors;
}
