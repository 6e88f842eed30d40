import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod, V1StorageClass } from '../../api/generated/types.js';
import { Quantity } from '../../api/quantity.js';
import { BETA_CLASS } from './annotations.js';

/** Name of the storage class of a claim or volume; empty when it has none. */
export function className(object: V1PersistentVolumeClaim | V1PersistentVolume): string {
  return object.metadata?.annotations?.[BETA_CLASS] ?? object.spec?.storageClassName ?? '';
}

/** Whether the claim says something about its class, be it that it wants none. */
export function hasClass(claim: V1PersistentVolumeClaim): boolean {
  return claim.metadata?.annotations?.[BETA_CLASS] !== undefined || claim.spec?.storageClassName !== undefined;
}

/** Whether a volume is bound to, or set apart for, this very claim. */
export function isBoundTo(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): boolean {
  const ref = volume.spec?.claimRef;
  if (!ref || ref.name !== claim.metadata?.name || ref.namespace !== claim.metadata?.namespace) return false;
  return !ref.uid || ref.uid === claim.metadata?.uid;
}

/** `namespace/name` of the claim that a volume names; undefined when it names none. */
export function claimKeyOf(volume: V1PersistentVolume): string | undefined {
  const ref = volume.spec?.claimRef;
  return ref && `${ref.namespace ?? ''}/${ref.name ?? ''}`;
}

/** Capacity of a volume; zero when it says none. */
export function capacityOf(volume: V1PersistentVolume): Quantity {
  return Quantity.parse(volume.spec?.capacity?.['storage'] ?? '0');
}

/** What a claim asks for; zero when it says nothing. */
export function requestOf(claim: V1PersistentVolumeClaim): Quantity {
  return Quantity.parse(claim.spec?.resources?.requests?.['storage'] ?? '0');
}

/** File system or block device on both sides. */
export function sameVolumeMode(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): boolean {
  return (claim.spec?.volumeMode ?? 'Filesystem') === (volume.spec?.volumeMode ?? 'Filesystem');
}

/** The same class of attributes on both sides, or none. */
export function sameAttributesClass(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): boolean {
  return (claim.spec?.volumeAttributesClassName ?? '') === (volume.spec?.volumeAttributesClassName ?? '');
}

/** Whether a volume has every access mode that the claim wants. */
export function hasAccessModes(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): boolean {
  return (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));
}

/** Why a volume that a claim names cannot serve it, in upstream's words; undefined when it can. */
export function mismatch(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): string | undefined {
  if (volume.metadata?.deletionTimestamp) return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (capacityOf(volume).compare(requestOf(claim)) < 0) return 'requested PV is too small';
  if (className(volume) !== className(claim)) return 'storageClassName does not match';
  if (!sameAttributesClass(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!sameVolumeMode(volume, claim)) return 'incompatible volumeMode';
  return hasAccessModes(volume, claim) ? undefined : 'incompatible accessMode';
}

/** Keys of the claims that a pod's volumes use, those of its ephemeral volumes included. */
export function claimKeysOfPod(pod: V1Pod): string[] {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim) return [`${namespace}/${volume.persistentVolumeClaim.claimName}`];
    return volume.ephemeral ? [`${namespace}/${name}-${volume.name}`] : [];
  });
}

const DEFAULT_CLASS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Whether claims without a class get this one. */
export function isDefaultClass(storageClass: V1StorageClass): boolean {
  return DEFAULT_CLASS.some((annotation) => storageClass.metadata?.annotations?.[annotation] === 'true');
}

/** The newest of the default classes, by name among equally old ones. */
export function defaultClass(classes: readonly V1StorageClass[]): V1StorageClass | undefined {
  const created = (one: V1StorageClass): number => Date.parse(one.metadata?.creationTimestamp ?? '') || 0;
  return classes.filter(isDefaultClass).sort((a, b) => created(b) - created(a) || ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1))[0];
}
