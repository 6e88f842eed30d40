import type { V1AuditAnnotation, V1ExpressionWarning, V1ValidatingAdmissionPolicy, V1ValidatingAdmissionPolicySpec, V1Validation } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { duplicate, invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateConditions } from '../meta/validation/conditions.js';
import { validateEnum } from '../meta/validation/enums.js';
import { validateLabelName } from '../meta/validation/labels.js';
import { AGE, integer, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore, restoreMetadata } from '../scheme/restore.js';
import { validateMatchConditions } from './match-conditions.js';
import { defaultMatchResources, paramKindText, validateFailurePolicy, validateMatchConstraints, validateParamKind, validateVariables } from './policies.js';
import { reservedNameWarnings } from './webhooks.js';

type Policy = V1ValidatingAdmissionPolicy;

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const MAX_AUDIT_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION = 5 * 1024;

export const validatingAdmissionPolicy = defineKind<Policy>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  allowUnconditionalUpdate: false,
  defaults: (draft) => {
    const spec = (draft.spec ??= {});
    spec.failurePolicy ??= 'Fail';
    defaultMatchResources(spec.matchConstraints);
    draft.status ??= {};
  },
  prepareForCreate: (draft) => {
    draft.status = {};
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate: (object) => validate(object, undefined),
  validateUpdate: validate,
  warnings: reservedNameWarnings,
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => {
        restore(draft, old, 'spec');
        restoreMetadata(draft, old);
      },
      validateUpdate: (object) => [
        ...validateExpressionWarnings(object.status?.typeChecking?.expressionWarnings ?? []),
        ...validateConditions(object.status?.conditions, STATUS.child('conditions')),
      ],
    },
  },
  columns: [
    NAME,
    integer('Validations', (object) => object.spec?.validations?.length ?? 0),
    text('ParamKind', (object) => paramKindText(object.spec?.paramKind)),
    AGE,
  ],
});

function validate(object: Policy, old: Policy | undefined): FieldError[] {
  const spec = object.spec ?? {};
  const sameConditions = old !== undefined && deepEqual(spec.paramKind, old.spec?.paramKind) && deepEqual(spec.matchConditions, old.spec?.matchConditions);
  return [
    ...validateFailurePolicy(spec.failurePolicy, SPEC.child('failurePolicy')),
    ...validateParamKind(spec.paramKind, SPEC.child('paramKind')),
    ...validateMatchConstraints(spec.matchConstraints, SPEC.child('matchConstraints')),
    ...(sameConditions ? [] : validateMatchConditions(spec.matchConditions, SPEC.child('matchConditions'))),
    ...validateVariables(spec.variables, SPEC.child('variables')),
    ...validateRules(spec, object.metadata?.name ?? ''),
  ];
}

function validateRules(spec: V1ValidatingAdmissionPolicySpec, name: string): FieldError[] {
  const { validations = [], auditAnnotations = [] } = spec;
  const annotationsPath = SPEC.child('auditAnnotations');
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const oneNeeded = 'validations or auditAnnotations must contain at least one item';
    return [required(SPEC.child('validations'), oneNeeded), required(annotationsPath, oneNeeded)];
  }
  const errors = validations.flatMap((validation, i) => validateValidation(validation, SPEC.child('validations').index(i)));
  if (auditAnnotations.length > MAX_AUDIT_ANNOTATIONS) {
    errors.push(invalid(annotationsPath, auditAnnotations, `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`));
  }
  const keys = new Set<string>();
  auditAnnotations.forEach((annotation, i) => {
    errors.push(...validateAuditAnnotation(annotation, name, annotationsPath.index(i)));
    if (keys.has(annotation.key)) errors.push(duplicate(annotationsPath.index(i).child('key'), annotation.key));
    keys.add(annotation.key);
  });
  return errors;
}

function validateValidation(validation: V1Validation, path: FieldPath): FieldError[] {
  const { expression = '', message = '', messageExpression = '', reason } = validation;
  const errors: FieldError[] = [];
  const notBlank = 'must be non-empty if specified';
  if (expression.trim() === '') errors.push(required(path.child('expression'), 'expression is not specified'));
  if (messageExpression !== '' && messageExpression.trim() === '') errors.push(invalid(path.child('messageExpression'), messageExpression, notBlank));
  if (message !== '' && message.trim() === '') errors.push(invalid(path.child('message'), message, notBlank));
  else if (/[\n\r]/.test(message.trim())) errors.push(invalid(path.child('message'), message, 'must not contain line breaks'));
  if (reason !== undefined) errors.push(...validateEnum(reason, ['Forbidden', 'Invalid', 'RequestEntityTooLarge'], path.child('reason')));
  return errors;
}

function validateAuditAnnotation(annotation: V1AuditAnnotation, name: string, path: FieldPath): FieldError[] {
  const { key = '', valueExpression = '' } = annotation;
  const at = path.child('valueExpression');
  const errors = name === '' ? [invalid(path.child('key'), key, 'requires metadata.name be non-empty')] : validateLabelName(`${name}/${key}`, path.child('key'));
  const expression = valueExpression.trim();
  if (expression === '') errors.push(required(at, 'valueExpression is not specified'));
  else if (expression.length > MAX_VALUE_EXPRESSION) errors.push(required(at, `must not exceed ${MAX_VALUE_EXPRESSION} bytes in length`));
  return errors;
}

function validateExpressionWarnings(warnings: readonly V1ExpressionWarning[]): FieldError[] {
  const path = STATUS.child('typeChecking', 'expressionWarnings');
  return warnings.flatMap(({ warning, fieldRef }, i) => [
    ...(warning ? [] : [required(path.index(i).child('warning'))]),
    ...((fieldRef ?? '').trim() ? [] : [required(path.index(i).child('fieldRef'))]),
  ]);
}
