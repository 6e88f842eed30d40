import type { Draft } from '../draft.js';
import type { V1ReplicaSet, V1ReplicaSetSpec } from '../generated/types.js';
import { podTemplateDefaults } from '../core/pod/defaults.js';
import { dropDisabledFields } from '../core/pod/disabled-fields.js';
import { podTemplateWarnings } from '../core/pod/warnings.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { AGE, integer, NAME, selectorText, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { containerColumns } from './workload-columns.js';
import { checkCounters, checkParts, checkReplicaTemplate, checkRequiredSelector, parseSelector, podNameWarnings, scaleSelectorText } from './workload-rules.js';

const SPEC = FieldPath.of('spec');
const TEMPLATE = SPEC.child('template');
const STATUS = FieldPath.of('status');

function defaults(draft: Draft<V1ReplicaSet>): void {
  const spec = (draft.spec ??= {} as Draft<V1ReplicaSetSpec>);
  spec.replicas ??= 1;
  podTemplateDefaults((spec.template ??= {}));
  draft.status ??= { replicas: 0 };
}

function validateSpec(spec: V1ReplicaSetSpec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(spec, ['replicas', 'minReadySeconds'], SPEC, errors);
  // Upstream calls it a deployment here too.
  checkRequiredSelector(spec?.selector, 'deployment', SPEC.child('selector'), errors);
  const selector = parseSelector(spec?.selector);
  if (selector) checkReplicaTemplate(selector, spec?.template, TEMPLATE, errors);
  else errors.push(invalid(SPEC.child('selector'), spec?.selector, 'invalid label selector'));
  return errors;
}

function validateStatusUpdate({ status }: V1ReplicaSet): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(status, ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration', 'terminatingReplicas'], STATUS, errors);
  checkParts(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], 'readyReplicas', STATUS, errors);
  return errors;
}

export const replicaSet = defineKind<V1ReplicaSet>({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  defaults,
  prepareForCreate: (draft) => {
    draft.status = { replicas: 0 };
    dropDisabledFields(draft.spec?.template?.spec);
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    dropDisabledFields(draft.spec?.template?.spec);
  },
  validate: (object) => validateSpec(object.spec),
  validateUpdate: (object, old) => [...validateSpec(object.spec), ...validateImmutable(object.spec?.selector, old.spec?.selector, SPEC.child('selector'))],
  warnings: (object, old) => {
    if (old && object.metadata?.generation === old.metadata?.generation) return [];
    return [...(old ? [] : podNameWarnings(object.metadata)), ...podTemplateWarnings(object.spec?.template, TEMPLATE)];
  },
  subresources: { status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateStatusUpdate } },
  scale: { specReplicas: 'spec.replicas', statusReplicas: 'status.replicas', selector: (object) => scaleSelectorText(object.spec?.selector) },
  columns: [
    NAME,
    integer('Desired', (object) => object.spec?.replicas ?? 0),
    integer('Current', (object) => object.status?.replicas ?? 0),
    integer('Ready', (object) => object.status?.readyReplicas ?? 0),
    AGE,
    ...containerColumns<V1ReplicaSet>((object) => object.spec?.template?.spec),
    text('Selector', (object) => selectorText(object.spec?.selector), 1),
  ],
});
