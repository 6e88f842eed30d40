import type { V1PersistentVolume, V1PersistentVolumeClaim, V1StorageClass } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import type { Lister } from '../../client/index.js';
import { Action } from '../framework/cluster-event.js';
import type { FilterPlugin } from '../framework/plugin.js';
import { unresolvable, type Rejection } from '../framework/rejection.js';
import { classOfClaim, missing, usesClaim } from './pod-claims.js';

const NAME = 'VolumeZone';
const CONFLICT = unresolvable(NAME, 'node(s) had no available volume zone');

/** Label keys that tie a volume to places, old names first, each with the name that nodes have today. */
const TOPOLOGY_LABELS: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'topology.kubernetes.io/region',
};

interface Place {
  readonly key: string;
  readonly values: readonly string[];
}

export interface VolumeZoneListers {
  readonly claims: Lister<V1PersistentVolumeClaim>;
  readonly volumes: Lister<V1PersistentVolume>;
  readonly classes: Lister<V1StorageClass>;
}

/** Keeps pods in the zones and regions that the labels of their bound volumes name. */
export function volumeZonePlugin(listers: VolumeZoneListers): FilterPlugin {
  return {
    name: NAME,
    interests: [
      {
        resource: 'storage.k8s.io/StorageClass',
        actions: Action.Add,
        hint: (_pod, _before, after) => (after as V1StorageClass | undefined)?.volumeBindingMode === 'WaitForFirstConsumer',
      },
      { resource: 'Node', actions: Action.Add | Action.UpdateNodeLabel },
      { resource: 'PersistentVolumeClaim', actions: Action.Add | Action.Update, hint: (pod, _before, after) => usesClaim(pod, after) },
      {
        resource: 'PersistentVolume',
        actions: Action.Add | Action.Update,
        hint: (_pod, before, after) => !before || !deepEqual(placesOf(before), placesOf(after)),
      },
    ],
    prepareFilter: ({ claimKeys, namespace }) => {
      if (claimKeys.length === 0) return undefined;
      const places: Place[] = [];
      for (const key of claimKeys) {
        const found = placesOfClaim(namespace, key.slice(namespace.length + 1), listers);
        if ('code' in found) return found;
        places.push(...found);
      }
      if (places.length === 0) return undefined;
      return {
        filter: ({ labels }) => {
          if (!Object.keys(TOPOLOGY_LABELS).some((key) => labels[key] !== undefined)) return undefined;
          const fits = ({ key, values }: Place): boolean => {
            const value = labels[key] ?? labels[TOPOLOGY_LABELS[key]!];
            return value !== undefined && values.includes(value);
          };
          return places.every(fits) ? undefined : CONFLICT;
        },
      };
    },
  };
}

function placesOfClaim(namespace: string, name: string, { claims, volumes, classes }: VolumeZoneListers): readonly Place[] | Rejection {
  if (name === '') return unresolvable(NAME, 'PersistentVolumeClaim had no name');
  const claim = claims.get(namespace, name);
  if (!claim) return unresolvable(NAME, missing('persistentvolumeclaim', name));
  const volumeName = claim.spec?.volumeName ?? '';
  if (volumeName !== '') {
    const volume = volumes.get('', volumeName);
    return volume ? placesOf(volume) : unresolvable(NAME, missing('persistentvolume', volumeName));
  }
  const className = classOfClaim(claim);
  if (className === '') return unresolvable(NAME, 'PersistentVolumeClaim had no pv name and storageClass name');
  const storageClass = classes.get('', className);
  if (!storageClass) return unresolvable(NAME, missing('storageclass.storage.k8s.io', className));
  if (storageClass.volumeBindingMode === undefined) return unresolvable(NAME, `VolumeBindingMode not set for StorageClass "${className}"`);
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer' ? [] : unresolvable(NAME, 'PersistentVolume had no name');
}

function placesOf(volume: V1PersistentVolume | undefined): readonly Place[] {
  const labels = volume?.metadata?.labels ?? {};
  const places: Place[] = [];
  for (const key of Object.keys(TOPOLOGY_LABELS)) {
    const values = labels[key]?.split('__').map((one) => one.trim());
    if (values?.every((one) => one !== '')) places.push({ key, values });
  }
  return places;
}
