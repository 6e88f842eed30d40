import type { V1DeviceClass } from '../generated/types.js';
import { isExtendedResource } from '../helpers/resource-names.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { nameIsLongName } from '../meta/validation/names.js';
import { AGE, NAME } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { MAX_CONFIGS, validateDeviceConfiguration, validateSelectors } from './device-config.js';
import { validateList } from './lists.js';

const SPEC = FieldPath.of('spec');

export const deviceClass = defineKind<V1DeviceClass>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'DeviceClass',
  validateName: nameIsLongName,
  validate,
  validateUpdate: validate,
  columns: [NAME, AGE],
});

function validate(object: V1DeviceClass): FieldError[] {
  const { selectors, config, extendedResourceName: name } = object.spec ?? {};
  return [
    ...validateSelectors(selectors, SPEC.child('selectors')),
    ...validateList(config, MAX_CONFIGS, validateDeviceConfiguration, SPEC.child('config')),
    ...(name === undefined || isExtendedResource(name) ? [] : [invalid(SPEC.child('extendedResourceName'), name, 'must be a valid extended resource name')]),
  ];
}
