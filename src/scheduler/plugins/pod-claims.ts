import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from '../../api/generated/types.js';

/** A volume of a pod that stands for a claim. */
export interface ClaimVolume {
  readonly claimName: string;
  /** The claim is made for the pod by a controller. */
  readonly ephemeral: boolean;
}

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** The volumes of a pod that stand for claims, generic ephemeral ones included. */
export function claimVolumes(pod: V1Pod): readonly ClaimVolume[] {
  const found: ClaimVolume[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.persistentVolumeClaim) found.push({ claimName: volume.persistentVolumeClaim.claimName, ephemeral: false });
    else if (volume.ephemeral) found.push({ claimName: `${pod.metadata?.name ?? ''}-${volume.name}`, ephemeral: true });
  }
  return found;
}

/** What is wrong when a claim with the name of an ephemeral volume was not made for the pod. */
export function notForPod(pod: V1Pod, claim: V1PersistentVolumeClaim): string | undefined {
  const owned = claim.metadata?.namespace === pod.metadata?.namespace && claim.metadata?.ownerReferences?.some((one) => one.controller && one.uid === pod.metadata?.uid);
  if (owned) return undefined;
  return `PVC ${claim.metadata?.namespace}/${claim.metadata?.name} was not created for pod ${pod.metadata?.namespace}/${pod.metadata?.name} (pod is not owner)`;
}

/** Name of the claim's storage class; empty when it has none. */
export function classOfClaim(claim: V1PersistentVolumeClaim): string {
  return claim.metadata?.annotations?.[BETA_CLASS] ?? claim.spec?.storageClassName ?? '';
}

/** Name of the volume's storage class; empty when it has none. */
export function classOfVolume(volume: V1PersistentVolume): string {
  return volume.metadata?.annotations?.[BETA_CLASS] ?? volume.spec?.storageClassName ?? '';
}

/** Whether a pod names this claim. */
export function usesClaim(pod: V1Pod, claim: V1PersistentVolumeClaim | undefined): boolean {
  return claim?.metadata?.namespace === pod.metadata?.namespace && claimVolumes(pod).some((one) => one.claimName === claim?.metadata?.name);
}

/** The text of a lookup that failed. */
export function missing(resource: string, name: string): string {
  return `${resource} "${name}" not found`;
}
