import type { V1ValidatingAdmissionPolicyBinding } from '../generated/types.js';
import { duplicate, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { defaultMatchResources, paramRefText, validateMatchResources, validateParamRef, validatePolicyName } from './policies.js';
import { reservedNameWarnings } from './webhooks.js';

const SPEC = FieldPath.of('spec');
const ACTIONS = ['Audit', 'Deny', 'Warn'];

export const validatingAdmissionPolicyBinding = defineKind<V1ValidatingAdmissionPolicyBinding>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
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

function validate(object: V1ValidatingAdmissionPolicyBinding): FieldError[] {
  return [
    ...validatePolicyName(object.spec?.policyName, SPEC.child('policyName')),
    ...validateParamRef(object.spec?.paramRef, SPEC.child('paramRef')),
    ...validateMatchResources(object.spec?.matchResources, SPEC.child('matchResources')),
    ...validateActions(object.spec?.validationActions ?? []),
  ];
}

function validateActions(actions: readonly string[]): FieldError[] {
  const path = SPEC.child('validationActions');
  const errors = actions.flatMap((action, i) => [
    ...(ACTIONS.includes(action) ? [] : [notSupported(path.index(i), action, ACTIONS)]),
    ...(actions.indexOf(action) < i ? [duplicate(path.index(i), action)] : []),
  ]);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    errors.push(invalid(path, actions, 'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'));
  }
  if (actions.length === 0) errors.push(required(path, 'at least one validation action is required'));
  return errors;
}
