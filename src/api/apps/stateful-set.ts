import type { Draft } from '../draft.js';
import type { V1StatefulSet, V1StatefulSetSpec } from '../generated/types.js';
import { claimSpecWarnings, defaultClaimSpec } from '../core/persistent-volume-claim.js';
import { podTemplateDefaults } from '../core/pod/defaults.js';
import { dropDisabledFields } from '../core/pod/disabled-fields.js';
import { podTemplateWarnings } from '../core/pod/warnings.js';
import { FieldPath } from '../meta/field-path.js';
import { nameIsDnsLabel } from '../meta/validation/names.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { validateStatefulSet, validateStatefulSetStatusUpdate, validateStatefulSetUpdate } from './stateful-set-validation.js';
import { containerColumns } from './workload-columns.js';
import { scaleSelectorText } from './workload-rules.js';

const SPEC = FieldPath.of('spec');

function defaults(draft: Draft<V1StatefulSet>): void {
  const spec = (draft.spec ??= {} as Draft<V1StatefulSetSpec>);
  spec.podManagementPolicy ||= 'OrderedReady';
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= 'Retain';
  retention.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  podTemplateDefaults((spec.template ??= {}));
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    claim.metadata ??= {};
    defaultClaimSpec((claim.spec ??= {}));
    claim.status ??= {};
    claim.status.phase ||= 'Pending';
  }
  draft.status ??= { replicas: 0, availableReplicas: 0 };
}

/** What is dropped because its feature is off by default. */
function dropDisabled(draft: Draft<V1StatefulSet>): void {
  if (draft.spec?.updateStrategy?.rollingUpdate) delete draft.spec.updateStrategy.rollingUpdate.maxUnavailable;
  dropDisabledFields(draft.spec?.template?.spec);
}

export const statefulSet = defineKind<V1StatefulSet>({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  validateName: nameIsDnsLabel,
  defaults,
  prepareForCreate: (draft) => {
    draft.status = { replicas: 0, availableReplicas: 0 };
    dropDisabled(draft);
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    dropDisabled(draft);
  },
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  warnings: (object, old) => {
    const changed = !old || object.metadata?.generation !== old.metadata?.generation;
    const warnings = changed ? podTemplateWarnings(object.spec?.template, SPEC.child('template')) : [];
    object.spec?.volumeClaimTemplates?.forEach((claim, i) => {
      const at = SPEC.child('volumeClaimTemplates').index(i);
      warnings.push(...claimSpecWarnings(claim.spec ?? {}, old ? at.child('Spec') : at));
    });
    if ((object.spec?.revisionHistoryLimit ?? 0) < 0) {
      warnings.push('spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended');
    }
    return warnings;
  },
  subresources: { status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateStatefulSetStatusUpdate } },
  scale: { specReplicas: 'spec.replicas', statusReplicas: 'status.replicas', selector: (object) => scaleSelectorText(object.spec?.selector) },
  columns: [
    NAME,
    text('Ready', (object) => `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`),
    AGE,
    ...containerColumns<V1StatefulSet>((object) => object.spec?.template?.spec),
  ],
});
