import type { V1MutatingAdmissionPolicyBinding } from '../generated/types.js';
import type { FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { defaultMatchResources, paramRefText, validateMatchResources, validateMutatingOperations, validateParamRef, validatePolicyName } from './policies.js';
import { reservedNameWarnings } from './webhooks.js';

const SPEC = FieldPath.of('spec');

export const mutatingAdmissionPolicyBinding = defineKind<V1MutatingAdmissionPolicyBinding>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingAdmissionPolicyBinding',
  allowUnconditionalUpdate: false,
  defaults: (draft) => defaultMatchResources(draft.spec?.matchResources),
  validate,
  validateUpdate: validate,
  warnings: reservedNameWarnings,
  columns: [
    NAME,
    text('PolicyName', (object) => object.spec?.policyName ?? ''),
    text('ParamRef', (object) => paramRefText(object.spec?.paramRef)),
    AGE,
  ],
});

function validate(object: V1MutatingAdmissionPolicyBinding): FieldError[] {
  const match = object.spec?.matchResources;
  return [
    ...validatePolicyName(object.spec?.policyName, SPEC.child('policyName')),
    ...validateParamRef(object.spec?.paramRef, SPEC.child('paramRef')),
    ...validateMatchResources(match, SPEC.child('matchResources')),
    ...validateMutatingOperations(match, SPEC.child('matchResources')),
  ];
}
