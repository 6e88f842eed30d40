import type { V1StorageClass, V1TopologySelectorTerm } from '../generated/types.js';
import { deprecatedNodeLabel } from '../core/validation/deprecated-node-labels.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { duplicate, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { validateLabelName } from '../meta/validation/labels.js';
import { AGE, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { validateParameters, validateProvisioner } from './parameters.js';

const TOPOLOGIES = FieldPath.of('allowedTopologies');
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const DEFAULT_ANNOTATIONS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

export const storageClass = defineKind<V1StorageClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  tracksGeneration: false,
  defaults: (draft) => {
    draft.reclaimPolicy ??= 'Delete';
    draft.volumeBindingMode ??= 'Immediate';
  },
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...(['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const)
      .flatMap((field) => validateImmutable(object[field], old[field], FieldPath.of(field))),
  ],
  warnings: (object) => (object.allowedTopologies ?? []).flatMap((term, i) =>
    (term.matchLabelExpressions ?? []).flatMap(({ key }, j) => {
      const message = deprecatedNodeLabel(key);
      return message === undefined ? [] : [`${TOPOLOGIES.index(i).child('matchLabelExpressions').index(j).child('key')}: ${message}`];
    })),
  columns: [
    { name: 'Name', type: 'string', format: 'name', cell: nameText },
    text('Provisioner', (object) => object.provisioner ?? ''),
    text('ReclaimPolicy', (object) => object.reclaimPolicy ?? 'Delete'),
    text('VolumeBindingMode', (object) => object.volumeBindingMode ?? 'Immediate'),
    { name: 'AllowVolumeExpansion', type: 'string', cell: (object) => object.allowVolumeExpansion ?? false },
    AGE,
  ],
});

function validate(object: V1StorageClass): FieldError[] {
  return [
    ...validateProvisioner(object.provisioner, FieldPath.of('provisioner')),
    ...validateParameters(object.parameters, true, FieldPath.of('parameters')),
    ...validateEnum(object.reclaimPolicy, ['Delete', 'Retain'], FieldPath.of('reclaimPolicy'), { empty: 'allowed' }),
    ...(object.volumeBindingMode === undefined
      ? [required(FieldPath.of('volumeBindingMode'))]
      : validateEnum(object.volumeBindingMode, BINDING_MODES, FieldPath.of('volumeBindingMode'))),
    ...validateTopologies(object.allowedTopologies ?? []),
  ];
}

function validateTopologies(terms: readonly V1TopologySelectorTerm[]): FieldError[] {
  const seen: unknown[] = [];
  return terms.flatMap((term, i) => {
    const path = TOPOLOGIES.index(i).child('matchLabelExpressions');
    const errors: FieldError[] = [];
    const values: Record<string, readonly string[]> = {};
    (term.matchLabelExpressions ?? []).forEach((requirement, j) => {
      const { key = '', values: allowed = [] } = requirement;
      const at = path.index(j);
      if (allowed.length === 0) errors.push(required(at.child('values')));
      allowed.forEach((value, k) => {
        if (allowed.indexOf(value) < k) errors.push(duplicate(at.child('values').index(k), value));
      });
      errors.push(...validateLabelName(key, at.child('key')));
      if (values[key] !== undefined) errors.push(duplicate(at.child('key'), key));
      values[key] = [...new Set(allowed)].sort();
    });
    // Upstream compares with as many empty terms as there are terms.
    if (Object.keys(values).length === 0 || seen.some((other) => deepEqual(values, other))) errors.push(duplicate(path, ''));
    seen.push(values);
    return errors;
  });
}

function nameText(object: V1StorageClass): string {
  const isDefault = DEFAULT_ANNOTATIONS.some((key) => object.metadata?.annotations?.[key] === 'true');
  return `${object.metadata?.name ?? ''}${isDefault ? ' (default)' : ''}`;
}
