import type { V1MutatingAdmissionPolicy, V1Mutation } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { AGE, integer, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { validateMatchConditions } from './match-conditions.js';
import {
  defaultMatchResources, paramKindText, validateFailurePolicy, validateMatchConstraints, validateMutatingOperations, validateParamKind, validateVariables,
} from './policies.js';
import { reservedNameWarnings } from './webhooks.js';

type Policy = V1MutatingAdmissionPolicy;

const SPEC = FieldPath.of('spec');
/** The field that belongs to each type of patch. */
const PATCH_FIELDS = { JSONPatch: 'jsonPatch', ApplyConfiguration: 'applyConfiguration' } as const;

export const mutatingAdmissionPolicy = defineKind<Policy>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingAdmissionPolicy',
  allowUnconditionalUpdate: false,
  defaults: (draft) => {
    const spec = (draft.spec ??= {});
    spec.failurePolicy ??= 'Fail';
    defaultMatchResources(spec.matchConstraints);
  },
  validate: (object) => validate(object, undefined),
  validateUpdate: validate,
  warnings: reservedNameWarnings,
  columns: [
    NAME,
    integer('Mutations', (object) => object.spec?.mutations?.length ?? 0),
    text('ParamKind', (object) => paramKindText(object.spec?.paramKind)),
    AGE,
  ],
});

function validate(object: Policy, old: Policy | undefined): FieldError[] {
  const spec = object.spec ?? {};
  const sameConditions = old !== undefined && deepEqual(spec.paramKind, old.spec?.paramKind) && deepEqual(spec.matchConditions, old.spec?.matchConditions);
  const mutations = spec.mutations ?? [];
  const mutationsPath = SPEC.child('mutations');
  return [
    ...validateFailurePolicy(spec.failurePolicy, SPEC.child('failurePolicy')),
    ...validateParamKind(spec.paramKind, SPEC.child('paramKind')),
    ...validateMatchConstraints(spec.matchConstraints, SPEC.child('matchConstraints')),
    ...validateMutatingOperations(spec.matchConstraints, SPEC.child('matchConstraints')),
    ...(sameConditions ? [] : validateMatchConditions(spec.matchConditions, SPEC.child('matchConditions'))),
    ...validateVariables(spec.variables, SPEC.child('variables')),
    ...(mutations.length === 0 ? [required(mutationsPath, 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((mutation, i) => validateMutation(mutation, mutationsPath.index(i))),
    ...validateEnum(spec.reinvocationPolicy, ['IfNeeded', 'Never'], SPEC.child('reinvocationPolicy'), { empty: 'required' }),
  ];
}

function validateMutation(mutation: V1Mutation, path: FieldPath): FieldError[] {
  const type = mutation.patchType ?? '';
  if (type === '') return [required(path.child('patchType'))];
  if (type !== 'JSONPatch' && type !== 'ApplyConfiguration') return [notSupported(path.child('patchType'), type, ['ApplyConfiguration', 'JSONPatch'])];
  const own = PATCH_FIELDS[type];
  const other = own === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
  const errors: FieldError[] = [];
  if (mutation[own] === undefined) errors.push(required(path.child(own), `must be specified when patchType is ${type}`));
  else if ((mutation[own].expression ?? '').trim() === '') errors.push(required(path.child(own, 'expression')));
  if (mutation[other] !== undefined) errors.push(invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${type}`));
  return errors;
}
