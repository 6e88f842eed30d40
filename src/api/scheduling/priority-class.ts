import type { V1PriorityClass } from '../generated/types.js';
import { forbidden, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { AGE, flag, integer, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';

/** Above this, priorities belong to the system. */
export const HIGHEST_USER_PRIORITY = 1_000_000_000;

/** The classes that the server makes, with their values; no other name may begin with `system-`. */
export const SYSTEM_PRIORITY_CLASSES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

const VALUE = FieldPath.of('value');
const POLICY = FieldPath.of('preemptionPolicy');
const POLICIES = ['PreemptLowerPriority', 'Never'];

function systemClassProblem(object: V1PriorityClass, name: string): string | undefined {
  const value = Object.hasOwn(SYSTEM_PRIORITY_CLASSES, name) ? SYSTEM_PRIORITY_CLASSES[name] : undefined;
  if (value === undefined) return `${name} is not a known system priority class`;
  if ((object.value ?? 0) !== value) return `value of ${name} PriorityClass must be ${value}`;
  return object.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validate(object: V1PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  const name = object.metadata?.name ?? '';
  if (name.startsWith('system-')) {
    const problem = systemClassProblem(object, name);
    if (problem !== undefined) {
      errors.push(forbidden(FieldPath.of('metadata', 'name'), `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`));
    }
  } else if ((object.value ?? 0) > HIGHEST_USER_PRIORITY) errors.push(forbidden(VALUE, `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`));
  const policy = object.preemptionPolicy;
  if (policy === '') errors.push(required(POLICY));
  else if (policy !== undefined && !POLICIES.includes(policy)) errors.push(notSupportedInOrder(POLICY, policy, POLICIES));
  return errors;
}

function validateUpdate(object: V1PriorityClass, old: V1PriorityClass): FieldError[] {
  const errors = (object.value ?? 0) === (old.value ?? 0) ? [] : [forbidden(VALUE, 'may not be changed in an update.')];
  return [...errors, ...validateImmutable(object.preemptionPolicy, old.preemptionPolicy, POLICY)];
}

export const priorityClass = defineKind<V1PriorityClass>({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  tracksGeneration: true,
  defaults: (draft) => {
    draft.value ??= 0;
    draft.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  generationStays: true,
  validate,
  validateUpdate,
  columns: [
    NAME,
    integer('Value', (object) => object.value ?? 0),
    flag('Global-Default', (object) => object.globalDefault ?? false),
    AGE,
    text('PreemptionPolicy', (object) => object.preemptionPolicy ?? ''),
  ],
});
