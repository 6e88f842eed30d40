import type { V1PersistentVolumeClaim, V1PersistentVolumeClaimSpec, V1TypedObjectReference } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { goForm } from '../helpers/go-form.js';
import { jsonDiff } from '../helpers/line-diff.js';
import { isNativeResource } from '../helpers/resource-names.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { IMMUTABLE_MESSAGE, validateImmutable } from '../meta/validation/immutable.js';
import { selectorHasInvalidLabelValue, validateLabelSelector } from '../meta/validation/label-selector.js';
import { qualifiedName } from '../meta/validation/labels.js';
import { validateAccessModes } from './validation/access-modes.js';
import { validateDnsLabel, validateDnsSubdomain } from './validation/names.js';
import { quantityOf, validateBasicQuantity, validatePositiveQuantity, validateResourceQuantity } from './validation/quantities.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const RESIZE_STATES = ['ControllerResizeInProgress', 'ControllerResizeInfeasible', 'NodeResizePending', 'NodeResizeInProgress', 'NodeResizeInfeasible'];

export interface ClaimSpecOptions {
  readonly allowInvalidLabelValueInSelector?: boolean;
  readonly allowInvalidApiGroup?: boolean;
}

/** Rules of a claim's spec, in templates too. */
export function validateClaimSpec(spec: V1PersistentVolumeClaimSpec, path: FieldPath, options: ClaimSpecOptions = {}): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec.accessModes?.length ?? 0) === 0) errors.push(required(path.child('accessModes'), 'at least 1 access mode is required'));
  errors.push(...validateLabelSelector(spec.selector, path.child('selector'), options));
  errors.push(...validateAccessModes(spec.accessModes, path.child('accessModes')));
  errors.push(...validateStorage(spec.resources?.requests?.['storage'], path.child('resources').key('storage')));
  if (spec.storageClassName) errors.push(...validateDnsSubdomain(spec.storageClassName, path.child('storageClassName')));
  if (spec.volumeMode !== undefined) errors.push(...validateEnum(spec.volumeMode, ['Block', 'Filesystem'], path.child('volumeMode')));
  errors.push(...validateDataSources(spec, path, options));
  if (spec.volumeAttributesClassName) errors.push(...validateDnsSubdomain(spec.volumeAttributesClassName, path.child('volumeAttributesClassName')));
  return errors;
}

export function validateClaimUpdate(object: V1PersistentVolumeClaim, old: V1PersistentVolumeClaim): FieldError[] {
  const spec = object.spec ?? {};
  const before = old.spec ?? {};
  const errors = validateClaimSpec(spec, SPEC, updateOptions(before));
  const classUpgrade = isClassUpgrade(object, old);
  if (!classUpgrade) {
    const now = object.metadata?.annotations?.[CLASS_ANNOTATION] ?? '';
    if (now !== (old.metadata?.annotations?.[CLASS_ANNOTATION] ?? '')) {
      errors.push(invalid(FieldPath.of('metadata', 'annotations', CLASS_ANNOTATION), now, IMMUTABLE_MESSAGE));
    }
  }
  const wanted = comparable(spec, before, object, classUpgrade);
  const allowed = { ...before, volumeName: before.volumeName || spec.volumeName };
  if (!deepEqual(wanted, allowed)) {
    const change = jsonDiff(goForm(allowed, 'PersistentVolumeClaimSpec'), goForm(wanted, 'PersistentVolumeClaimSpec'));
    errors.push(forbidden(SPEC, `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${change}`));
  }
  const size = quantityOf(spec.resources?.requests?.['storage']);
  if (size.compare(quantityOf(before.resources?.requests?.['storage'])) < 0 && size.compare(quantityOf(old.status?.capacity?.['storage'])) <= 0) {
    errors.push(forbidden(SPEC.child('resources', 'requests', 'storage'), 'field can not be less than status.capacity'));
  }
  errors.push(...validateImmutable(spec.volumeMode, before.volumeMode, FieldPath.of('volumeMode')));
  if (spec.volumeAttributesClassName !== before.volumeAttributesClassName && old.status?.currentVolumeAttributesClassName !== undefined) {
    const why = 'is forbidden when status.currentVolumeAttributesClassName is not nil';
    if (spec.volumeAttributesClassName === undefined) errors.push(forbidden(SPEC.child('volumeAttributesClassName'), `update to nil ${why}`));
    else if (spec.volumeAttributesClassName === '') errors.push(forbidden(SPEC.child('volumeAttributesClassName'), `update to empty string ${why}`));
  }
  return errors;
}

export function validateClaimStatusUpdate(object: V1PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  const status = object.status ?? {};
  if ((object.spec?.accessModes?.length ?? 0) === 0) errors.push(required(FieldPath.of('Spec', 'accessModes')));
  for (const [name, amount] of Object.entries(status.capacity ?? {})) errors.push(...validateBasicQuantity(amount, STATUS.child('capacity').key(name)));
  const statesPath = STATUS.child('allocatedResourceStatuses');
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    errors.push(...validateResourceKey(name, statesPath));
    if (!RESIZE_STATES.includes(state)) errors.push(notSupported(statesPath, name, RESIZE_STATES));
  }
  const allocatedPath = STATUS.child('allocatedResources');
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    const wrongKey = validateResourceKey(name, allocatedPath);
    const wrong = wrongKey.length > 0 ? wrongKey : validateBasicQuantity(amount, allocatedPath.key(name));
    errors.push(...(wrong.length > 0 ? wrong : validateResourceQuantity('storage', amount, allocatedPath.key(name))));
  }
  return errors;
}

function validateStorage(amount: string | undefined, path: FieldPath): FieldError[] {
  return amount === undefined ? [required(path)] : validatePositiveQuantity(amount, path);
}

function validateResourceKey(name: string, path: FieldPath): FieldError[] {
  const errors = qualifiedName(name).map((message) => invalid(path, name, message));
  return errors.length === 0 && isNativeResource(name) && name !== 'storage' ? [notSupported(path, name, ['storage'])] : errors;
}

function validateDataSources(spec: V1PersistentVolumeClaimSpec, path: FieldPath, options: ClaimSpecOptions): FieldError[] {
  const { dataSource, dataSourceRef } = spec;
  const errors = [
    ...validateDataSource(dataSource, path.child('dataSource'), options),
    ...validateDataSource(dataSourceRef, path.child('dataSourceRef'), options),
  ];
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  // Upstream shows its path object as the value, which has nothing to print.
  if (dataSourceRef.namespace) errors.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  else if (dataSource.apiGroup !== dataSourceRef.apiGroup || dataSource.kind !== dataSourceRef.kind || dataSource.name !== dataSourceRef.name) {
    errors.push(invalid(path, {}, 'must match dataSourceRef'));
  }
  return errors;
}

function validateDataSource(source: V1TypedObjectReference | undefined, path: FieldPath, options: ClaimSpecOptions): FieldError[] {
  if (source === undefined) return [];
  // It is stored as null when nothing is said.
  const apiGroup = source.apiGroup ?? '';
  const { kind = '', name = '', namespace = '' } = source;
  return [
    ...(name === '' ? [required(path.child('name'))] : []),
    ...(kind === '' ? [required(path.child('kind'))] : []),
    ...(apiGroup === '' && kind !== 'PersistentVolumeClaim' ? [invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")] : []),
    ...(apiGroup !== '' && options.allowInvalidApiGroup !== true ? validateDnsSubdomain(apiGroup, path.child('apiGroup')) : []),
    ...(namespace === '' ? [] : validateDnsLabel(namespace, path.child('namespace'))),
  ];
}

/** Rules that the stored claim breaks already are not held against its update. */
function updateOptions(before: V1PersistentVolumeClaimSpec): ClaimSpecOptions {
  return {
    allowInvalidLabelValueInSelector: selectorHasInvalidLabelValue(before.selector),
    allowInvalidApiGroup: [before.dataSource, before.dataSourceRef].some((source) => typeof source?.apiGroup === 'string'),
  };
}

/** The storage class moves from the annotation to the field. */
function isClassUpgrade(object: V1PersistentVolumeClaim, old: V1PersistentVolumeClaim): boolean {
  const before = old.metadata?.annotations?.[CLASS_ANNOTATION];
  const now = object.metadata?.annotations?.[CLASS_ANNOTATION];
  return before !== undefined && old.spec?.storageClassName === undefined && object.spec?.storageClassName === before && (now === undefined || now === before);
}

/** The new spec without the changes that are allowed. */
function comparable(spec: V1PersistentVolumeClaimSpec, before: V1PersistentVolumeClaimSpec, object: V1PersistentVolumeClaim, classUpgrade: boolean): V1PersistentVolumeClaimSpec {
  let result = spec;
  if (before.storageClassName === undefined && spec.storageClassName !== undefined) {
    const annotation = object.metadata?.annotations?.[CLASS_ANNOTATION];
    if (classUpgrade || annotation === undefined || annotation === spec.storageClassName) result = { ...result, storageClassName: undefined };
  }
  if (object.status?.phase !== 'Bound') return result;
  const storage = before.resources?.requests?.['storage'];
  if (spec.resources?.requests !== undefined && storage !== undefined) {
    result = { ...result, resources: { ...spec.resources, requests: { ...spec.resources.requests, storage } } };
  }
  return { ...result, volumeAttributesClassName: before.volumeAttributesClassName };
}
