import type { V1Node, V1PersistentVolume, V1PersistentVolumeClaim } from '../../api/generated/types.js';
import { nodeSelectorMatches } from '../../api/helpers/node-selection.js';
import { quantityValue } from '../../api/quantity.js';
import { PodSelector } from '../framework/pod-selector.js';
import { classOfClaim, classOfVolume } from './pod-claims.js';

/** Whether the volume's node affinity allows the node. */
export function volumeFitsNode(volume: V1PersistentVolume, node: V1Node): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  return !required || nodeSelectorMatches(required, node);
}

/** Whether a volume is bound to, or reserved for, this claim. */
export function isBoundTo(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): boolean {
  const ref = volume.spec?.claimRef;
  if (!ref || ref.name !== claim.metadata?.name || ref.namespace !== claim.metadata?.namespace) return false;
  return !ref.uid || ref.uid === claim.metadata?.uid;
}

/** Bytes of a storage request or capacity. */
export function storageBytes(amounts: Readonly<Record<string, string>> | undefined): number {
  const text = amounts?.['storage'];
  return text === undefined ? 0 : quantityValue(text);
}

/**
 * The smallest available volume that suits the claim on the node, or the one that is reserved for the claim already (undefined when that one does not fit the node).
 * `taken` are names of volumes chosen for other claims of the pod.
 */
export function findMatchingVolume(
  claim: V1PersistentVolumeClaim,
  volumes: readonly V1PersistentVolume[],
  node: V1Node,
  taken: ReadonlySet<string>,
): V1PersistentVolume | undefined {
  const wanted = storageBytes(claim.spec?.resources?.requests);
  const selector = claim.spec?.selector ? PodSelector.fromObject(claim.spec.selector) : undefined;
  let smallest: V1PersistentVolume | undefined;
  let smallestBytes = Infinity;
  for (const volume of volumes) {
    if (taken.has(volume.metadata?.name ?? '') || !couldServe(volume, claim, wanted)) continue;
    const bound = isBoundTo(volume, claim);
    if (bound) return volumeFitsNode(volume, node) ? volume : undefined;
    if (volume.status?.phase !== 'Available' || (selector && !selector.matches(volume.metadata?.labels))) continue;
    if (classOfVolume(volume) !== classOfClaim(claim) || !volumeFitsNode(volume, node) || !hasAccessModes(volume, claim)) continue;
    const bytes = storageBytes(volume.spec?.capacity);
    if (bytes < smallestBytes) {
      smallest = volume;
      smallestBytes = bytes;
    }
  }
  return smallest;
}

function couldServe(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim, wanted: number): boolean {
  if (volume.spec?.claimRef && !isBoundTo(volume, claim)) return false;
  if (storageBytes(volume.spec?.capacity) < wanted) return false;
  if ((claim.spec?.volumeMode ?? 'Filesystem') !== (volume.spec?.volumeMode ?? 'Filesystem')) return false;
  if ((claim.spec?.volumeAttributesClassName ?? '') !== (volume.spec?.volumeAttributesClassName ?? '')) return false;
  return volume.metadata?.deletionTimestamp === undefined;
}

function hasAccessModes(volume: V1PersistentVolume, claim: V1PersistentVolumeClaim): boolean {
  return (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));
}
