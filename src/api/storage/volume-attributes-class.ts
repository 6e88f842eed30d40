import type { V1VolumeAttributesClass } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { forbidden, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { validateParameters, validateProvisioner } from './parameters.js';

const DRIVER = FieldPath.of('driverName');
const PARAMETERS = FieldPath.of('parameters');

export const volumeAttributesClass = defineKind<V1VolumeAttributesClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
  tracksGeneration: false,
  validate,
  validateUpdate: (object, old) => [
    ...(object.driverName === old.driverName ? [] : [forbidden(DRIVER, 'updates to driverName are forbidden.')]),
    ...(deepEqual(object.parameters, old.parameters) ? [] : [forbidden(PARAMETERS, 'updates to parameters are forbidden.')]),
    ...validate(object),
  ],
  columns: [NAME, text('DriverName', (object) => object.driverName ?? ''), AGE],
});

function validate(object: V1VolumeAttributesClass): FieldError[] {
  return [...validateProvisioner(object.driverName, DRIVER), ...validateParameters(object.parameters, false, PARAMETERS)];
}
