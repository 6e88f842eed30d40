import type { V1PersistentVolumeClaim, V1Pod, V1Volume } from '../../api/generated/types.js';
import type { Lister } from '../../client/index.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { Action } from '../framework/cluster-event.js';
import type { FilterPlugin, ForkedFilter } from '../framework/plugin.js';
import { unresolvable, unschedulable, type Rejection } from '../framework/rejection.js';
import { missing, usesClaim } from './pod-claims.js';

const NAME = 'VolumeRestrictions';
const DISK_CONFLICT = unschedulable(NAME, 'node(s) had no available disk');
const CLAIM_IN_USE = unschedulable(NAME, 'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod');

/** Keeps two pods from one disk where the disk forbids it, and from one claim with access mode `ReadWriteOncePod`. */
export function volumeRestrictionsPlugin(claims: Lister<V1PersistentVolumeClaim>): FilterPlugin {
  return {
    name: NAME,
    interests: [
      { resource: 'Pod', actions: Action.Delete, hint: (pod, before) => freesVolume(pod, before) },
      { resource: 'Node', actions: Action.Add },
      {
        resource: 'PersistentVolumeClaim',
        actions: Action.Add,
        hint: (pod, _before, after) => usesClaim(pod, after),
      },
    ],
    prepareFilter: ({ pod, namespace, claimKeys }, snapshot) => {
      const disks = (pod.spec?.volumes ?? []).filter(isExclusiveKind);
      const exclusive = new Set<string>();
      for (const key of claimKeys) {
        const name = key.slice(namespace.length + 1);
        const claim = claims.get(namespace, name);
        if (!claim) return unresolvable(NAME, missing('persistentvolumeclaim', name));
        if (claim.spec?.accessModes?.includes('ReadWriteOncePod')) exclusive.add(key);
      }
      let users = 0;
      for (const key of exclusive) if (snapshot.nodes.some((node) => node.claimUsers(key) > 0)) users++;
      return disks.length === 0 && users === 0 ? undefined : new RestrictionFilter(disks, exclusive, users);
    },
  };
}

class RestrictionFilter implements ForkedFilter {
  constructor(
    private readonly disks: readonly V1Volume[],
    private readonly exclusive: ReadonlySet<string>,
    private users: number,
  ) {}

  filter(node: NodeInfo): Rejection | undefined {
    for (const disk of this.disks) if (node.pods.some((other) => conflicts(disk, other.pod))) return DISK_CONFLICT;
    return this.users > 0 ? CLAIM_IN_USE : undefined;
  }

  fork(): ForkedFilter {
    return new RestrictionFilter(this.disks, this.exclusive, this.users);
  }

  change(other: PodInfo, _node: NodeInfo, _position: number, sign: 1 | -1): void {
    for (const key of other.claimKeys) if (this.exclusive.has(key)) this.users += sign;
  }
}

function isExclusiveKind(volume: V1Volume): boolean {
  return Boolean(volume.gcePersistentDisk ?? volume.awsElasticBlockStore ?? volume.rbd ?? volume.iscsi);
}

function conflicts(volume: V1Volume, pod: V1Pod): boolean {
  return (pod.spec?.volumes ?? []).some((other) => sameDisk(volume, other));
}

function sameDisk(a: V1Volume, b: V1Volume): boolean {
  if (a.gcePersistentDisk && b.gcePersistentDisk) {
    if (a.gcePersistentDisk.pdName === b.gcePersistentDisk.pdName && !(a.gcePersistentDisk.readOnly && b.gcePersistentDisk.readOnly)) return true;
  }
  if (a.awsElasticBlockStore && b.awsElasticBlockStore && a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID) return true;
  if (a.iscsi && b.iscsi && a.iscsi.iqn === b.iscsi.iqn && !(a.iscsi.readOnly && b.iscsi.readOnly)) return true;
  if (!a.rbd || !b.rbd || (a.rbd.readOnly && b.rbd.readOnly)) return false;
  const monitors = new Set(a.rbd.monitors);
  return a.rbd.pool === b.rbd.pool && a.rbd.image === b.rbd.image && b.rbd.monitors.some((one) => monitors.has(one));
}

function freesVolume(pod: V1Pod, deleted: V1Pod | undefined): boolean {
  if (!deleted || deleted.metadata?.namespace !== pod.metadata?.namespace) return (pod.spec?.volumes ?? []).some((one) => isExclusiveKind(one) && deleted !== undefined && conflicts(one, deleted));
  const names = new Set(deleted.spec?.volumes?.flatMap((one) => (one.persistentVolumeClaim ? [one.persistentVolumeClaim.claimName] : [])));
  return (pod.spec?.volumes ?? []).some((one) => (one.persistentVolumeClaim && names.has(one.persistentVolumeClaim.claimName)) || (isExclusiveKind(one) && conflicts(one, deleted)));
}
