import type { V1PersistentVolumeClaimSpec, V1TypedLocalObjectReference, V1TypedObjectReference } from '../../generated/types.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateLabelSelector } from '../../meta/validation/label-selector.js';
import { dns1123Label, dns1123Subdomain } from '../../meta/validation/names.js';
import { validatePositiveQuantity } from '../validation/quantities.js';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Rules of the spec of a claim inside a template. */
export function checkClaimSpec(spec: V1PersistentVolumeClaimSpec | undefined, path: FieldPath, errors: FieldError[]): void {
  const modes = spec?.accessModes ?? [];
  if (modes.length === 0) errors.push(required(path.child('accessModes'), 'at least 1 access mode is required'));
  errors.push(...validateLabelSelector(spec?.selector, path.child('selector')));
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported(path.child('accessModes'), mode, ACCESS_MODES));
  if (modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))) {
    errors.push(forbidden(path.child('accessModes'), 'may not use ReadWriteOncePod with other access modes'));
  }
  const storage = spec?.resources?.requests?.['storage'];
  const storagePath = path.child('resources').key('storage');
  if (storage === undefined) errors.push(required(storagePath));
  else errors.push(...validatePositiveQuantity(storage, storagePath));
  checkClassName(spec?.storageClassName, path.child('storageClassName'), errors);
  if (spec?.volumeMode !== undefined && spec.volumeMode !== 'Block' && spec.volumeMode !== 'Filesystem') {
    errors.push(notSupported(path.child('volumeMode'), spec.volumeMode, ['Block', 'Filesystem']));
  }
  checkDataSources(spec, path, errors);
  checkClassName(spec?.volumeAttributesClassName, path.child('volumeAttributesClassName'), errors);
}

function checkClassName(name: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (name) for (const message of dns1123Subdomain(name)) errors.push(invalid(path, name, message));
}

function checkDataSources(spec: V1PersistentVolumeClaimSpec | undefined, path: FieldPath, errors: FieldError[]): void {
  const { dataSource, dataSourceRef } = spec ?? {};
  if (dataSource) checkReference(dataSource, path.child('dataSource'), errors);
  if (dataSourceRef) {
    const at = path.child('dataSourceRef');
    checkReference(dataSourceRef, at, errors);
    if (dataSourceRef.namespace) for (const message of dns1123Label(dataSourceRef.namespace)) errors.push(invalid(at.child('namespace'), dataSourceRef.namespace, message));
  }
  if (!dataSource || !dataSourceRef) return;
  if (dataSourceRef.namespace) errors.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  else if (dataSource.apiGroup !== dataSourceRef.apiGroup || dataSource.kind !== dataSourceRef.kind || dataSource.name !== dataSourceRef.name) {
    errors.push(invalid(path, {}, 'must match dataSourceRef'));
  }
}

function checkReference(ref: V1TypedLocalObjectReference | V1TypedObjectReference, path: FieldPath, errors: FieldError[]): void {
  if (!ref.name) errors.push(required(path.child('name')));
  if (!ref.kind) errors.push(required(path.child('kind')));
  if (!ref.apiGroup && ref.kind !== 'PersistentVolumeClaim') {
    errors.push(invalid(path, ref.kind ?? '', "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (ref.apiGroup) for (const message of dns1123Subdomain(ref.apiGroup)) errors.push(invalid(path.child('apiGroup'), ref.apiGroup, message));
}
