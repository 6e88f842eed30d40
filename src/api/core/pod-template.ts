import type { V1PodTemplate } from '../generated/types.js';
import { containerColumns, labelsText } from '../apps/workload-columns.js';
import { FieldPath } from '../meta/field-path.js';
import { NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { podTemplateDefaults } from './pod/defaults.js';
import { dropDisabledFields } from './pod/disabled-fields.js';
import { validatePodTemplate } from './pod/template.js';
import { podTemplateWarnings } from './pod/warnings.js';

const TEMPLATE = FieldPath.of('template');

export const podTemplate = defineKind<V1PodTemplate>({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  tracksGeneration: true,
  defaults: (draft) => podTemplateDefaults((draft.template ??= {})),
  prepareForCreate: (draft) => dropDisabledFields(draft.template?.spec),
  prepareForUpdate: (draft) => dropDisabledFields(draft.template?.spec),
  validate: (object) => validatePodTemplate(object.template, TEMPLATE),
  validateUpdate: (object) => validatePodTemplate(object.template, TEMPLATE),
  warnings: (object, old) => (old && object.metadata?.generation === old.metadata?.generation ? [] : podTemplateWarnings(object.template, TEMPLATE)),
  columns: [NAME, ...containerColumns<V1PodTemplate>((object) => object.template?.spec, 0), text('Pod Labels', (object) => labelsText(object.template?.metadata?.labels))],
});
