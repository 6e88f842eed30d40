import type { Draft } from '../draft.js';
import type { V1ReplicationController } from '../generated/types.js';
import { containerColumns, labelsText } from '../apps/workload-columns.js';
import { checkAlwaysRunning, checkCounters, checkParts, checkTemplateLabels, podNameWarnings } from '../apps/workload-rules.js';
import { required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { nameIsLongName } from '../meta/validation/names.js';
import { validateNonnegative } from '../meta/validation/numbers.js';
import { AGE, integer, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { LabelSelector } from '../selectors/label-selector.js';
import { podTemplateDefaults } from './pod/defaults.js';
import { dropDisabledFields } from './pod/disabled-fields.js';
import { checkPodTemplate } from './pod/template.js';
import { podTemplateWarnings } from './pod/warnings.js';

const SPEC = FieldPath.of('spec');
const TEMPLATE = SPEC.child('template');
const STATUS = FieldPath.of('status');

/** Selector and labels come from the template's labels where they are left out. */
function defaults(draft: Draft<V1ReplicationController>): void {
  const spec = (draft.spec ??= {});
  const labels = spec.template?.metadata?.labels;
  if (labels !== undefined) {
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (Object.keys(draft.metadata?.labels ?? {}).length === 0) (draft.metadata ??= {}).labels = { ...labels };
  }
  spec.replicas ??= 1;
  if (spec.template) podTemplateDefaults(spec.template);
  draft.status ??= { replicas: 0 };
}

function validateSpec({ spec }: V1ReplicationController): FieldError[] {
  const errors = validateNonnegative(spec?.minReadySeconds, SPEC.child('minReadySeconds'));
  const selector = LabelSelector.fromMap(spec?.selector ?? {});
  if (selector.isEverything) errors.push(required(SPEC.child('selector')));
  if (spec?.replicas === undefined) errors.push(required(SPEC.child('replicas')));
  else errors.push(...validateNonnegative(spec.replicas, SPEC.child('replicas')));
  const template = spec?.template;
  if (!template) errors.push(required(TEMPLATE));
  else {
    if (!selector.isEverything) checkTemplateLabels(selector, template, TEMPLATE, errors);
    checkPodTemplate(template, TEMPLATE, errors);
    checkAlwaysRunning(template, 'ReplicationController', TEMPLATE, errors);
  }
  return errors;
}

function validateStatusUpdate({ status }: V1ReplicationController): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(status, ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'], STATUS, errors);
  checkParts(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], 'readyReplicas', STATUS, errors);
  return errors;
}

export const replicationController = defineKind<V1ReplicationController>({
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  validateName: nameIsLongName,
  orphanDependentsByDefault: true,
  defaults,
  prepareForCreate: (draft) => {
    draft.status = { replicas: 0 };
    dropDisabledFields(draft.spec?.template?.spec);
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    dropDisabledFields(draft.spec?.template?.spec);
  },
  validate: validateSpec,
  validateUpdate: validateSpec,
  warnings: (object, old) => {
    if (old && object.metadata?.generation === old.metadata?.generation) return [];
    return [...(old ? [] : podNameWarnings(object.metadata)), ...podTemplateWarnings(object.spec?.template, TEMPLATE)];
  },
  subresources: { status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateStatusUpdate } },
  scale: {
    specReplicas: 'spec.replicas',
    statusReplicas: 'status.replicas',
    selector: (object) => LabelSelector.fromMap(object.spec?.selector ?? {}).toString(),
  },
  selectableFields: { 'status.replicas': (object) => String(object.status?.replicas ?? 0) },
  columns: [
    NAME,
    integer('Desired', (object) => object.spec?.replicas ?? 0),
    integer('Current', (object) => object.status?.replicas ?? 0),
    integer('Ready', (object) => object.status?.readyReplicas ?? 0),
    AGE,
    ...containerColumns<V1ReplicationController>((object) => object.spec?.template?.spec),
    text('Selector', (object) => labelsText(object.spec?.selector), 1),
  ],
});
