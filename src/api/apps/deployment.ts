import type { Draft } from '../draft.js';
import type { V1Deployment, V1DeploymentSpec, V1DeploymentStrategy } from '../generated/types.js';
import { podTemplateDefaults } from '../core/pod/defaults.js';
import { dropDisabledFields } from '../core/pod/disabled-fields.js';
import { podTemplateWarnings } from '../core/pod/warnings.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { intOrPercentValue, validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../meta/validation/int-or-string.js';
import { validateNonnegative } from '../meta/validation/numbers.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { containerColumns } from './workload-columns.js';
import {
  checkCollisionCount, checkCounters, checkParts, checkReplicaTemplate, checkRequiredSelector, parseSelector, podNameWarnings, scaleSelectorText,
} from './workload-rules.js';

const SPEC = FieldPath.of('spec');
const TEMPLATE = SPEC.child('template');
const STATUS = FieldPath.of('status');

function defaults(draft: Draft<V1Deployment>): void {
  const spec = (draft.spec ??= {} as Draft<V1DeploymentSpec>);
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= '25%';
    rollingUpdate.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  podTemplateDefaults((spec.template ??= {}));
  draft.status ??= {};
}

function checkStrategy(strategy: V1DeploymentStrategy | undefined, path: FieldPath, errors: FieldError[]): void {
  const rollingUpdate = strategy?.rollingUpdate;
  switch (strategy?.type) {
    case 'Recreate':
      if (rollingUpdate) errors.push(forbidden(path.child('rollingUpdate'), "may not be specified when strategy `type` is 'Recreate'"));
      return;
    case 'RollingUpdate': {
      const at = path.child('rollingUpdate');
      if (!rollingUpdate) return void errors.push(required(at, 'this should be defaulted and never be nil'));
      const { maxUnavailable, maxSurge } = rollingUpdate;
      errors.push(...validatePositiveIntOrPercent(maxUnavailable, at.child('maxUnavailable')), ...validatePositiveIntOrPercent(maxSurge, at.child('maxSurge')));
      if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0) {
        errors.push(invalid(at.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
      }
      errors.push(...validateNotMoreThan100Percent(maxUnavailable, at.child('maxUnavailable')));
      return;
    }
    default:
      errors.push(notSupported(path, { Type: strategy?.type ?? '', RollingUpdate: rollingUpdate ?? null }, ['Recreate', 'RollingUpdate']));
  }
}

function validateSpec(spec: V1DeploymentSpec | undefined): FieldError[] {
  const errors = validateNonnegative(spec?.replicas, SPEC.child('replicas'));
  checkRequiredSelector(spec?.selector, 'deployment', SPEC.child('selector'), errors);
  const selector = parseSelector(spec?.selector);
  if (selector) checkReplicaTemplate(selector, spec?.template, TEMPLATE, errors);
  else errors.push(invalid(SPEC.child('selector'), spec?.selector, 'invalid label selector'));
  checkStrategy(spec?.strategy, SPEC.child('strategy'), errors);
  checkCounters(spec, ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'], SPEC, errors);
  const deadline = spec?.progressDeadlineSeconds;
  if (deadline !== undefined && deadline <= (spec?.minReadySeconds ?? 0)) {
    errors.push(invalid(SPEC.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'));
  }
  return errors;
}

function validateStatusUpdate(object: V1Deployment, old: V1Deployment): FieldError[] {
  const errors: FieldError[] = [];
  const { status } = object;
  checkCounters(status, [
    'observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas', 'terminatingReplicas', 'collisionCount',
  ], STATUS, errors);
  checkParts(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], 'readyReplicas', STATUS, errors);
  checkCollisionCount(status?.collisionCount, old.status?.collisionCount, STATUS, errors);
  return errors;
}

export const deployment = defineKind<V1Deployment>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  defaults,
  prepareForCreate: (draft) => {
    draft.status = {};
    dropDisabledFields(draft.spec?.template?.spec);
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    dropDisabledFields(draft.spec?.template?.spec);
    // Annotations are handed down to replica sets, so that a change of them counts as one of the spec.
    if (!deepEqual(draft.metadata?.annotations, old.metadata?.annotations)) (draft.metadata ??= {}).generation = (old.metadata?.generation ?? 0) + 1;
  },
  validate: (object) => validateSpec(object.spec),
  validateUpdate: (object, old) => [...validateSpec(object.spec), ...validateImmutable(object.spec?.selector, old.spec?.selector, SPEC.child('selector'))],
  warnings: (object, old) => {
    if (old && object.metadata?.generation === old.metadata?.generation) return [];
    return [...(old ? [] : podNameWarnings(object.metadata)), ...podTemplateWarnings(object.spec?.template, TEMPLATE)];
  },
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => {
        restore(draft, old, 'spec');
        restore((draft.metadata ??= {}), old.metadata ?? {}, 'labels');
      },
      validateUpdate: validateStatusUpdate,
    },
  },
  scale: { specReplicas: 'spec.replicas', statusReplicas: 'status.replicas', selector: (object) => scaleSelectorText(object.spec?.selector) },
  columns: [
    NAME,
    text('Ready', (object) => `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`),
    text('Up-to-date', (object) => object.status?.updatedReplicas ?? 0),
    text('Available', (object) => object.status?.availableReplicas ?? 0),
    AGE,
    ...containerColumns<V1Deployment>((object) => object.spec?.template?.spec),
    text('Selector', (object) => parseSelector(object.spec?.selector)?.toString() ?? '<invalid>', 1),
  ],
});
