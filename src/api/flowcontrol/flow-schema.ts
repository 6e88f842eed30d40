import type { V1FlowSchema, V1FlowSchemaSpec } from '../generated/types.js';
import { validateDnsSubdomain } from '../core/validation/names.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore, restoreAllMetadata } from '../scheme/restore.js';
import { validateStatusConditions } from './conditions.js';
import { validateFlowRule } from './flow-rules.js';
import { MANDATORY_FLOW_SCHEMAS } from './mandatory.js';

const SPEC = FieldPath.of('spec');
const MAX_PRECEDENCE = 10000;
const METHODS = ['ByNamespace', 'ByUser'];

export const flowSchema = defineKind<V1FlowSchema>({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'FlowSchema',
  defaults: (draft) => {
    if (draft.spec !== undefined) draft.spec.matchingPrecedence ||= 1000;
    draft.status ??= {};
  },
  prepareForCreate: (draft) => {
    draft.status = {};
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate,
  validateUpdate: validate,
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => {
        restore(draft, old, 'spec');
        restoreAllMetadata(draft, old);
      },
      validateUpdate: (object) => validateStatusConditions(object.status?.conditions),
    },
  },
  columns: [
    NAME,
    text('PriorityLevel', (object) => object.spec?.priorityLevelConfiguration?.name ?? ''),
    text('MatchingPrecedence', (object) => object.spec?.matchingPrecedence ?? 0),
    text('DistinguisherMethod', (object) => object.spec?.distinguisherMethod?.type ?? '<none>'),
    AGE,
    text('MissingPL', (object) => (object.status?.conditions ?? []).find(({ type }) => type === 'Dangling')?.status ?? '?'),
  ],
});

function validate(object: V1FlowSchema): FieldError[] {
  const name = object.metadata?.name ?? '';
  const spec = object.spec;
  const errors = validateSpec(name, spec);
  const mandatory = MANDATORY_FLOW_SCHEMAS.get(name);
  if (mandatory !== undefined && !deepEqual(spec, mandatory)) errors.push(invalid(SPEC, spec, `spec of '${name}' must equal the fixed value`));
  return [...errors, ...validateStatusConditions(object.status?.conditions)];
}

function validateSpec(name: string, spec: V1FlowSchemaSpec | undefined): FieldError[] {
  const precedence = spec?.matchingPrecedence ?? 0;
  const path = SPEC.child('matchingPrecedence');
  const errors: FieldError[] = [];
  if (precedence <= 0) errors.push(invalid(path, precedence, 'must be a positive value'));
  if (precedence > MAX_PRECEDENCE) errors.push(invalid(path, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  if (precedence === 1 && name !== 'exempt') errors.push(invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  const method = spec?.distinguisherMethod;
  if (method !== undefined && !METHODS.includes(method.type)) {
    errors.push(notSupported(SPEC.child('distinguisherMethod', 'type'), { Type: method.type ?? '' }, METHODS));
  }
  const level = spec?.priorityLevelConfiguration?.name;
  const levelPath = SPEC.child('priorityLevelConfiguration', 'name');
  errors.push(...(level ? validateDnsSubdomain(level, levelPath) : [required(levelPath, 'must reference a priority level')]));
  (spec?.rules ?? []).forEach((rule, i) => errors.push(...validateFlowRule(rule, SPEC.child('rules').index(i))));
  return errors;
}
