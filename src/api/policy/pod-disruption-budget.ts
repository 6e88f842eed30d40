import type { Draft } from '../draft.js';
import type { V1PodDisruptionBudget, V1PodDisruptionBudgetStatus } from '../generated/types.js';
import { checkCounters } from '../apps/workload-rules.js';
import { invalid, notSupported, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateConditions } from '../meta/validation/conditions.js';
import { validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../meta/validation/int-or-string.js';
import { validateLabelSelector } from '../meta/validation/label-selector.js';
import { nameIsPathSegment } from '../meta/validation/names.js';
import { AGE, integer, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

const noStatus = (): Draft<V1PodDisruptionBudgetStatus> => ({ currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 });

function validateSpec({ spec }: V1PodDisruptionBudget): FieldError[] {
  const errors: FieldError[] = [];
  if (spec?.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: spec.minAvailable, Selector: spec.selector ?? null, MaxUnavailable: spec.maxUnavailable, UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
    };
    errors.push(invalid(SPEC, shown, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    const value = spec?.[field];
    if (value !== undefined) errors.push(...validatePositiveIntOrPercent(value, SPEC.child(field)), ...validateNotMoreThan100Percent(value, SPEC.child(field)));
  }
  errors.push(...validateLabelSelector(spec?.selector, SPEC.child('selector')));
  const policy = spec?.unhealthyPodEvictionPolicy;
  if (policy !== undefined && !EVICTION_POLICIES.includes(policy)) errors.push(notSupported(SPEC.child('unhealthyPodEvictionPolicy'), policy, EVICTION_POLICIES));
  return errors;
}

function validateStatusUpdate({ status }: V1PodDisruptionBudget): FieldError[] {
  const errors = validateConditions(status?.conditions, STATUS.child('conditions'));
  checkCounters(status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'], STATUS, errors);
  return errors;
}

export const podDisruptionBudget = defineKind<V1PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  validateName: nameIsPathSegment,
  allowUnconditionalUpdate: false,
  defaults: (draft) => {
    draft.spec ??= {};
    draft.status ??= noStatus();
  },
  prepareForCreate: (draft) => {
    draft.status = noStatus();
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate: validateSpec,
  validateUpdate: validateSpec,
  subresources: { status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateStatusUpdate } },
  columns: [
    NAME,
    text('Min Available', (object) => String(object.spec?.minAvailable ?? 'N/A')),
    text('Max Unavailable', (object) => String(object.spec?.maxUnavailable ?? 'N/A')),
    integer('Allowed Disruptions', (object) => object.status?.disruptionsAllowed ?? 0),
    AGE,
  ],
});
