import type { V1CSIStorageCapacity } from '../generated/types.js';
import { nodeLabelSelectorWarnings } from '../core/validation/deprecated-node-labels.js';
import { validateDnsSubdomain } from '../core/validation/names.js';
import { validateNonnegativeQuantity } from '../core/validation/quantities.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { IMMUTABLE_MESSAGE } from '../meta/validation/immutable.js';
import { selectorHasInvalidLabelValue, validateLabelSelector } from '../meta/validation/label-selector.js';
import { defineKind } from '../scheme/kind.js';

const TOPOLOGY = FieldPath.of('nodeTopology');
const CLASS = FieldPath.of('storageClassName');

export const csiStorageCapacity = defineKind<V1CSIStorageCapacity>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  tracksGeneration: false,
  allowUnconditionalUpdate: false,
  validate: (object) => validate(object, undefined),
  validateUpdate: (object, old) => [
    ...validate(object, old),
    ...(deepEqual(object.nodeTopology, old.nodeTopology) ? [] : [invalid(TOPOLOGY, object.nodeTopology, IMMUTABLE_MESSAGE)]),
    ...(object.storageClassName === old.storageClassName ? [] : [invalid(CLASS, object.storageClassName ?? '', IMMUTABLE_MESSAGE)]),
  ],
  warnings: (object) => nodeLabelSelectorWarnings(object.nodeTopology, TOPOLOGY),
});

function validate(object: V1CSIStorageCapacity, old: V1CSIStorageCapacity | undefined): FieldError[] {
  return [
    ...validateLabelSelector(object.nodeTopology, TOPOLOGY, { allowInvalidLabelValueInSelector: selectorHasInvalidLabelValue(old?.nodeTopology) }),
    ...validateDnsSubdomain(object.storageClassName ?? '', CLASS),
    ...(object.capacity === undefined ? [] : validateNonnegativeQuantity(object.capacity, FieldPath.of('capacity'))),
  ];
}
