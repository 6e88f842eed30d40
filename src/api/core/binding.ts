import type { V1Binding } from '../generated/types.js';
import { notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { defineKind } from '../scheme/kind.js';

export const binding = defineKind<V1Binding>({
  group: '',
  version: 'v1',
  kind: 'Binding',
  validate: validateBinding,
});

/** Rules of a pod's binding to a node; metadata aside. */
export function validateBinding(object: V1Binding): FieldError[] {
  const errors: FieldError[] = [];
  const target = FieldPath.of('target');
  const kind = object.target?.kind ?? '';
  if (kind !== '' && kind !== 'Node') errors.push(notSupportedInOrder(target.child('kind'), kind, ['Node', '<empty>']));
  if (!object.target?.name) errors.push(required(target.child('name')));
  return errors;
}
