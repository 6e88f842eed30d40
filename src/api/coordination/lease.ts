import type { V1Lease } from '../generated/types.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';

const SPEC = FieldPath.of('spec');

export const lease = defineKind<V1Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  defaults: (draft) => {
    draft.spec ??= {};
  },
  prepareForCreate: (draft) => {
    // Coordinated leader election is behind a gate that is off.
    delete draft.spec?.strategy;
    delete draft.spec?.preferredHolder;
  },
  prepareForUpdate: (draft, old) => {
    for (const field of ['strategy', 'preferredHolder'] as const) if (old.spec?.[field] === undefined) delete draft.spec?.[field];
  },
  validate,
  validateUpdate: validate,
  columns: [NAME, text('Holder', (object) => object.spec?.holderIdentity ?? ''), AGE],
});

function validate(object: V1Lease): FieldError[] {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = object.spec ?? {};
  const errors: FieldError[] = [];
  if (duration !== undefined && duration <= 0) errors.push(invalid(SPEC.child('leaseDurationSeconds'), duration, 'must be greater than 0'));
  if (transitions !== undefined && transitions < 0) errors.push(invalid(SPEC.child('leaseTransitions'), transitions, 'must be greater than or equal to 0'));
  return errors;
}
