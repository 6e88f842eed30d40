import type { V1OwnerReference, V1PersistentVolumeClaim, V1Pod, V1StatefulSet } from '../../api/generated/types.js';
import { controllerReference } from '../../api/helpers/owner-references.js';
import type { KubeObject } from '../../api/meta/object.js';
import { isInRange } from './identity.js';

/**
 * Who should own a claim under the set's retention policy. The garbage collector does the rest: a claim owned by the set goes with the set
 * (`whenDeleted: Delete`), one owned by its pod goes with the pod that is scaled away (`whenScaled: Delete`).
 */
function wantedOwner(set: V1StatefulSet, pod: V1Pod): KubeObject | undefined {
  const policy = set.spec?.persistentVolumeClaimRetentionPolicy;
  const scaledAway = !isInRange(pod, set);
  if (policy?.whenScaled === 'Delete' && scaledAway) return pod;
  return policy?.whenDeleted === 'Delete' ? set : undefined;
}

/** Another controller than the set and the pod owns the claim, or an earlier one of the same name; the policy is then not applied. */
export function hasForeignController(claim: V1PersistentVolumeClaim, set: V1StatefulSet, pod: V1Pod): boolean {
  const policy = set.spec?.persistentVolumeClaimRetentionPolicy;
  if (policy?.whenScaled !== 'Delete' && policy?.whenDeleted !== 'Delete') return false;
  return references(claim).some((reference) => {
    const owner = namedBy(reference, set) ? set : namedBy(reference, pod) ? pod : undefined;
    return owner ? reference.uid !== owner.metadata?.uid : reference.controller === true;
  });
}

/** The claim belongs to an earlier pod of the same name, with which it will go. */
export function isStale(claim: V1PersistentVolumeClaim, owner: KubeObject): boolean {
  return references(claim).some((reference) => namedBy(reference, owner) && reference.uid !== owner.metadata?.uid);
}

/** The references that the claim should have; undefined when it has them. */
export function correctedOwners(claim: V1PersistentVolumeClaim, set: V1StatefulSet, pod: V1Pod): readonly V1OwnerReference[] | undefined {
  if (isStale(claim, set) || isStale(claim, pod)) return undefined;
  const present = references(claim);
  const ours = present.filter((reference) => reference.uid === set.metadata?.uid || reference.uid === pod.metadata?.uid);
  const others = present.filter((reference) => !ours.includes(reference));
  if (hasForeignController(claim, set, pod)) return ours.length > 0 ? others : undefined;
  const owner = wantedOwner(set, pod);
  const right = owner ? ours.length === 1 && ours[0]!.uid === owner.metadata?.uid && ours[0]!.controller === true : ours.length === 0;
  if (right) return undefined;
  return owner ? [...others, controllerReference(owner)] : others;
}

function references(claim: V1PersistentVolumeClaim): readonly V1OwnerReference[] {
  return claim.metadata?.ownerReferences ?? [];
}

function namedBy(reference: V1OwnerReference, owner: KubeObject): boolean {
  return reference.apiVersion === owner.apiVersion && reference.kind === owner.kind && reference.name === owner.metadata?.name;
}
