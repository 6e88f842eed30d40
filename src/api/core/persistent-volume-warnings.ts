import type { V1PersistentVolume, V1PersistentVolumeSpec } from '../generated/types.js';
import { FieldPath } from '../meta/field-path.js';
import { nodeSelectorTermWarnings } from './validation/deprecated-node-labels.js';

const ANNOTATIONS = [
  ['volume.beta.kubernetes.io/storage-class', 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ['volume.beta.kubernetes.io/mount-options', 'deprecated since v1.31; use "mountOptions" attribute instead'],
] as const;

/** Kinds of volumes that no longer work, by field. */
const GONE: readonly (readonly [keyof V1PersistentVolumeSpec, string, string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

export function persistentVolumeWarnings(object: V1PersistentVolume): string[] {
  const spec = object.spec ?? {};
  const annotations = object.metadata?.annotations ?? {};
  const terms = FieldPath.of('spec', 'nodeAffinity', 'required', 'nodeSelectorTerms');
  return [
    ...ANNOTATIONS.filter(([key]) => annotations[key] !== undefined).map(([key, message]) => `metadata.annotations[${key}]: ${message}`),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? ['spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.']
      : []),
    ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, i) => nodeSelectorTermWarnings(term, terms.index(i))),
    ...GONE.filter(([field]) => spec[field] !== undefined).map(([, name, message]) => `spec.${name}: ${message}`),
  ];
}
