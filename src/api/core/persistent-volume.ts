import type { V1PersistentVolume } from '../generated/types.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { validatePersistentVolume, validatePersistentVolumeUpdate } from './persistent-volume-validation.js';
import { persistentVolumeWarnings } from './persistent-volume-warnings.js';
import { accessModesText } from './validation/access-modes.js';
import { canonicalizeResourceList } from './validation/quantities.js';
import { timestamp } from '../meta/timestamp.js';

export const persistentVolume = defineKind<V1PersistentVolume>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  tracksGeneration: false,
  defaults: (draft) => {
    const spec = (draft.spec ??= {});
    draft.status ??= {};
    draft.status.phase ||= 'Pending';
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    canonicalizeResourceList(spec.capacity);
    if (spec.hostPath !== undefined) spec.hostPath.type ??= '';
    defaultSources(spec);
  },
  prepareForCreate: (draft, context) => {
    draft.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(context.now) };
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate: (object) => validatePersistentVolume(object, undefined),
  validateUpdate: validatePersistentVolumeUpdate,
  warnings: persistentVolumeWarnings,
  subresources: {
    status: {
      prepareForUpdate: (draft, old, context) => {
        restore(draft, old, 'spec');
        const status = (draft.status ??= {});
        const before = old.status?.lastPhaseTransitionTime;
        if (status.phase === old.status?.phase) {
          if (status.lastPhaseTransitionTime === undefined && before !== undefined) status.lastPhaseTransitionTime = before;
        } else if (status.lastPhaseTransitionTime === undefined || status.lastPhaseTransitionTime === before) {
          status.lastPhaseTransitionTime = timestamp(context.now);
        }
      },
      validateUpdate: () => [],
    },
  },
  columns: [
    NAME,
    text('Capacity', (object) => object.spec?.capacity?.['storage'] ?? '0'),
    text('Access Modes', (object) => accessModesText(object.spec?.accessModes)),
    text('Reclaim Policy', (object) => object.spec?.persistentVolumeReclaimPolicy ?? ''),
    text('Status', (object) => (object.metadata?.deletionTimestamp ? 'Terminating' : (object.status?.phase ?? ''))),
    text('Claim', (object) => (object.spec?.claimRef ? `${object.spec.claimRef.namespace ?? ''}/${object.spec.claimRef.name ?? ''}` : '')),
    text('StorageClass', (object) => object.metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? object.spec?.storageClassName ?? ''),
    text('VolumeAttributesClass', (object) => object.spec?.volumeAttributesClassName ?? '<unset>'),
    text('Reason', (object) => object.status?.reason ?? ''),
    AGE,
    text('VolumeMode', (object) => object.spec?.volumeMode ?? '<unset>', 1),
  ],
});

/** Defaults inside the kinds of volumes that have some. */
function defaultSources(spec: { [K in 'iscsi' | 'rbd' | 'scaleIO' | 'azureDisk']?: object }): void {
  const fill = (source: object | undefined, values: Readonly<Record<string, unknown>>): void => {
    if (source === undefined) return;
    const target = source as Record<string, unknown>;
    for (const [field, value] of Object.entries(values)) target[field] ??= value;
  };
  fill(spec.iscsi, { iscsiInterface: 'default' });
  fill(spec.rbd, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' });
  fill(spec.scaleIO, { storageMode: 'ThinProvisioned', fsType: 'xfs' });
  fill(spec.azureDisk, { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false });
}
