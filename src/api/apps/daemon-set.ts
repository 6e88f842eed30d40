import type { Draft } from '../draft.js';
import type { V1DaemonSet, V1DaemonSetSpec, V1DaemonSetStatus, V1DaemonSetUpdateStrategy } from '../generated/types.js';
import { podTemplateDefaults } from '../core/pod/defaults.js';
import { dropDisabledFields } from '../core/pod/disabled-fields.js';
import { checkPodTemplate } from '../core/pod/template.js';
import { podTemplateWarnings } from '../core/pod/warnings.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { intOrPercentValue, validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../meta/validation/int-or-string.js';
import { validateLabelSelector } from '../meta/validation/label-selector.js';
import { AGE, integer, NAME, selectorText, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { containerColumns, labelsText } from './workload-columns.js';
import { checkAlwaysRunning, checkCollisionCount, checkCounters, checkTemplateLabels, isEmptySelector, parseSelector } from './workload-rules.js';

/** Where this version keeps the generation of the template, a field of versions before it. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const SPEC = FieldPath.of('spec');
const TEMPLATE = SPEC.child('template');
const STATUS = FieldPath.of('status');
const noStatus = (): Draft<V1DaemonSetStatus> => ({ currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 });

function defaults(draft: Draft<V1DaemonSet>): void {
  const spec = (draft.spec ??= {} as Draft<V1DaemonSetSpec>);
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= 1;
    rollingUpdate.maxSurge ??= 0;
  } else if (strategy.rollingUpdate) {
    // Upstream's own form has them as values, which are written back.
    strategy.rollingUpdate.maxUnavailable ??= 0;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  podTemplateDefaults((spec.template ??= {} as Draft<V1DaemonSetSpec['template']>));
  draft.status ??= noStatus();
  // Upstream's conversion from its own form always writes it, so that whoever creates the object owns it.
  if (draft.metadata?.annotations?.[TEMPLATE_GENERATION] === undefined) setTemplateGeneration(draft, 0);
}

function templateGeneration(object: V1DaemonSet): number {
  return Number.parseInt(object.metadata?.annotations?.[TEMPLATE_GENERATION] ?? '0', 10) || 0;
}

function setTemplateGeneration(draft: Draft<V1DaemonSet>, generation: number): void {
  ((draft.metadata ??= {}).annotations ??= {})[TEMPLATE_GENERATION] = String(generation);
}

function checkStrategy(strategy: V1DaemonSetUpdateStrategy | undefined, path: FieldPath, errors: FieldError[]): void {
  const rollingUpdate = strategy?.rollingUpdate;
  if (strategy?.type === 'OnDelete') return;
  if (strategy?.type !== 'RollingUpdate') {
    return void errors.push(notSupportedInOrder(path, { Type: strategy?.type ?? '', RollingUpdate: rollingUpdate ?? null }, ['RollingUpdate', 'OnDelete']));
  }
  const at = path.child('rollingUpdate');
  if (!rollingUpdate) return void errors.push(required(at));
  for (const rule of [validatePositiveIntOrPercent, validateNotMoreThan100Percent]) {
    for (const field of ['maxUnavailable', 'maxSurge'] as const) errors.push(...rule(rollingUpdate[field], at.child(field)));
  }
  const unavailable = intOrPercentValue(rollingUpdate.maxUnavailable) !== 0;
  const surge = intOrPercentValue(rollingUpdate.maxSurge) !== 0;
  if (unavailable && surge) errors.push(invalid(at.child('maxSurge'), rollingUpdate.maxSurge, 'may not be set when maxUnavailable is non-zero'));
  if (!unavailable && !surge) errors.push(required(at.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
}

function validateSpec({ spec }: V1DaemonSet): FieldError[] {
  const errors = validateLabelSelector(spec?.selector, SPEC.child('selector'));
  const selector = parseSelector(spec?.selector);
  if (selector) checkTemplateLabels(selector, spec?.template, TEMPLATE, errors);
  if (spec?.selector && isEmptySelector(spec.selector)) errors.push(invalid(SPEC.child('selector'), spec.selector, 'empty selector is invalid for daemonset'));
  checkPodTemplate(spec?.template, TEMPLATE, errors);
  checkAlwaysRunning(spec?.template, 'DaemonSet', TEMPLATE, errors);
  checkCounters(spec, ['minReadySeconds'], SPEC, errors);
  checkStrategy(spec?.updateStrategy, SPEC.child('updateStrategy'), errors);
  checkCounters(spec, ['revisionHistoryLimit'], SPEC, errors);
  return errors;
}

function validateStatusUpdate(object: V1DaemonSet, old: V1DaemonSet): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(object.status, [
    'currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady', 'observedGeneration', 'updatedNumberScheduled', 'numberAvailable',
    'numberUnavailable', 'collisionCount',
  ], STATUS, errors);
  checkCollisionCount(object.status?.collisionCount, old.status?.collisionCount, STATUS, errors);
  return errors;
}

export const daemonSet = defineKind<V1DaemonSet>({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  defaults,
  prepareForCreate: (draft) => {
    draft.status = noStatus();
    setTemplateGeneration(draft, Math.max(1, templateGeneration(draft)));
    dropDisabledFields(draft.spec?.template?.spec);
  },
  prepareForUpdate: (draft, old) => {
    dropDisabledFields(draft.spec?.template?.spec);
    restore(draft, old, 'status');
    const changed = !deepEqual(draft.spec?.template, old.spec?.template);
    setTemplateGeneration(draft, templateGeneration(old) + (changed ? 1 : 0));
  },
  validate: validateSpec,
  validateUpdate: (object, old) => [...validateImmutable(object.spec?.selector, old.spec?.selector, SPEC.child('selector')), ...validateSpec(object)],
  warnings: (object, old) => (old && templateGeneration(object) === templateGeneration(old) ? [] : podTemplateWarnings(object.spec?.template, TEMPLATE)),
  subresources: { status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateStatusUpdate } },
  columns: [
    NAME,
    integer('Desired', (object) => object.status?.desiredNumberScheduled ?? 0),
    integer('Current', (object) => object.status?.currentNumberScheduled ?? 0),
    integer('Ready', (object) => object.status?.numberReady ?? 0),
    integer('Up-to-date', (object) => object.status?.updatedNumberScheduled ?? 0),
    integer('Available', (object) => object.status?.numberAvailable ?? 0),
    text('Node Selector', (object) => labelsText(object.spec?.template?.spec?.nodeSelector)),
    AGE,
    ...containerColumns<V1DaemonSet>((object) => object.spec?.template?.spec),
    text('Selector', (object) => selectorText(object.spec?.selector), 1),
  ],
});
