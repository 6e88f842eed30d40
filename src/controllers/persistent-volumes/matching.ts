import type { V1PersistentVolume, V1PersistentVolumeClaim } from '../../api/generated/types.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';
import { capacityOf, className, hasAccessModes, isBoundTo, requestOf, sameAttributesClass, sameVolumeMode } from './facts.js';

/**
 * The volume for a claim among `candidates`: one that is set apart for it (its class does not matter then), or the smallest
 * available one of its class that is large enough and suits its selector. Volumes with fewer access modes go first, so that those that can do more
 * stay for claims that want more. With `delayed` (`WaitForFirstConsumer`) only the first kind: the rest is the scheduler's choice.
 */
export function findVolume(claim: V1PersistentVolumeClaim, candidates: readonly V1PersistentVolume[], delayed: boolean): V1PersistentVolume | undefined {
  const request = requestOf(claim);
  const selector = claim.spec?.selector ? LabelSelector.fromObject(claim.spec.selector) : undefined;
  const possible = candidates.filter((volume) => {
    if (volume.spec?.claimRef && !isBoundTo(volume, claim)) return false;
    return hasAccessModes(volume, claim) && capacityOf(volume).compare(request) >= 0 && sameVolumeMode(volume, claim) && sameAttributesClass(volume, claim) && !volume.metadata?.deletionTimestamp;
  });
  let best: V1PersistentVolume | undefined;
  for (const volume of possible) {
    const own = isBoundTo(volume, claim);
    const fits = own || (!delayed && volume.status?.phase === 'Available' && className(volume) === className(claim) && (selector?.matches(volume.metadata?.labels) ?? true));
    if (fits && (!best || isBetter(volume, best, claim))) best = volume;
  }
  return best;
}

function isBetter(volume: V1PersistentVolume, than: V1PersistentVolume, claim: V1PersistentVolumeClaim): boolean {
  const modes = (one: V1PersistentVolume): number => one.spec?.accessModes?.length ?? 0;
  if (modes(volume) !== modes(than)) return modes(volume) < modes(than);
  const own = [isBoundTo(volume, claim), isBoundTo(than, claim)];
  if (own[0] !== own[1]) return own[0]!;
  return capacityOf(volume).compare(capacityOf(than)) < 0;
}
