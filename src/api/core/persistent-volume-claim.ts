import type { Draft } from '../draft.js';
import type { V1PersistentVolumeClaim, V1PersistentVolumeClaimSpec } from '../generated/types.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { validateClaimSpec, validateClaimStatusUpdate, validateClaimUpdate } from './persistent-volume-claim-validation.js';
import { accessModesText } from './validation/access-modes.js';
import { canonicalizeResourceList, quantityOf } from './validation/quantities.js';
import { FieldPath } from '../meta/field-path.js';

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export const persistentVolumeClaim = defineKind<V1PersistentVolumeClaim>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  tracksGeneration: false,
  defaults: (draft) => {
    draft.spec ??= {};
    defaultClaimSpec(draft.spec);
    draft.status ??= {};
    draft.status.phase ||= 'Pending';
    canonicalizeResourceList(draft.status.capacity);
    canonicalizeResourceList(draft.status.allocatedResources);
  },
  prepareForCreate: (draft) => {
    draft.status = { phase: 'Pending' };
    if (draft.spec !== undefined) prepareDataSources(draft.spec, undefined);
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    if (draft.spec !== undefined) prepareDataSources(draft.spec, old.spec);
  },
  validate: (object) => validateClaimSpec(object.spec ?? {}, FieldPath.of('spec')),
  validateUpdate: validateClaimUpdate,
  warnings: (object) => [
    ...(object.metadata?.annotations?.[CLASS_ANNOTATION] === undefined
      ? []
      : [`metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`]),
    ...claimSpecWarnings(object.spec ?? {}, FieldPath.of('spec')),
  ],
  subresources: {
    status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateClaimStatusUpdate },
  },
  columns: [
    NAME,
    text('Status', (object) => (object.metadata?.deletionTimestamp ? 'Terminating' : (object.status?.phase ?? ''))),
    text('Volume', (object) => object.spec?.volumeName ?? ''),
    text('Capacity', (object) => (object.spec?.volumeName ? (object.status?.capacity?.['storage'] ?? '0') : '')),
    text('Access Modes', (object) => (object.spec?.volumeName ? accessModesText(object.status?.accessModes) : '')),
    text('StorageClass', (object) => object.metadata?.annotations?.[CLASS_ANNOTATION] ?? object.spec?.storageClassName ?? ''),
    text('VolumeAttributesClass', (object) => object.spec?.volumeAttributesClassName ?? '<unset>'),
    AGE,
    text('VolumeMode', (object) => object.spec?.volumeMode ?? '<unset>', 1),
  ],
});

/** Defaults of a claim's spec, in templates (stateful sets, ephemeral volumes) too. */
export function defaultClaimSpec(spec: Draft<V1PersistentVolumeClaimSpec>): void {
  spec.volumeMode ??= 'Filesystem';
  spec.resources ??= {};
  canonicalizeResourceList(spec.resources.requests);
  canonicalizeResourceList(spec.resources.limits);
}

/** Warnings for fractions of bytes. */
export function claimSpecWarnings(spec: V1PersistentVolumeClaimSpec, path: FieldPath): string[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const amount = quantityOf(spec.resources?.[list]?.['storage']);
    if (amount.milliValue() % 1000 === 0) return [];
    return [`${path.child('resources', list).key('storage')}: fractional byte value "${amount}" is invalid, must be an integer`];
  });
}

/** `dataSource` and `dataSourceRef` say the same; sources that only the newer field may name are dropped from the older one. */
function prepareDataSources(spec: Draft<V1PersistentVolumeClaimSpec>, before: V1PersistentVolumeClaimSpec | undefined): void {
  // Sources in other namespaces are behind a gate that is off.
  if (spec.dataSourceRef?.namespace && before?.dataSourceRef === undefined) delete spec.dataSourceRef;
  const { dataSource, dataSourceRef } = spec;
  const inUse = before?.dataSource !== undefined || before?.dataSourceRef !== undefined;
  if (dataSource !== undefined && dataSourceRef === undefined && !inUse) {
    const { kind, apiGroup } = dataSource;
    const isClaim = kind === 'PersistentVolumeClaim' && !apiGroup;
    const isSnapshot = kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io';
    if (!isClaim && !isSnapshot) delete spec.dataSource;
  }
  if (spec.dataSource !== undefined && spec.dataSourceRef === undefined) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec.dataSource === undefined && spec.dataSourceRef !== undefined && !spec.dataSourceRef.namespace) {
    const { apiGroup, kind, name } = spec.dataSourceRef;
    spec.dataSource = { kind, name, ...(apiGroup === undefined ? {} : { apiGroup }) };
  }
}
