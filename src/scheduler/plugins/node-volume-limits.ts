import type { V1CSINode, V1PersistentVolume, V1PersistentVolumeClaim, V1Pod, V1StorageClass, V1VolumeAttachment } from '../../api/generated/types.js';
import type { Lister } from '../../client/index.js';
import { Action } from '../framework/cluster-event.js';
import type { FilterPlugin } from '../framework/plugin.js';
import { unresolvable, unschedulable, type Rejection } from '../framework/rejection.js';
import { claimVolumes, classOfClaim, missing, notForPod, usesClaim } from './pod-claims.js';

const NAME = 'NodeVolumeLimits';
const EXCEEDED = unschedulable(NAME, 'node(s) exceed max volume count');

/** Index of volume attachments by node name. */
export const ATTACHMENTS_BY_NODE = 'scheduler/nodeName';

export interface VolumeLimitListers {
  readonly claims: Lister<V1PersistentVolumeClaim>;
  readonly volumes: Lister<V1PersistentVolume>;
  readonly classes: Lister<V1StorageClass>;
  readonly csiNodes: Lister<V1CSINode>;
  /** Has the index {@link ATTACHMENTS_BY_NODE}. */
  readonly attachments: Lister<V1VolumeAttachment>;
}

/** Drivers by volume; volumes that two pods share count once. */
type Volumes = Map<string, string>;

/** Keeps the number of CSI volumes on a node within what its drivers allow (`CSINode` `spec.drivers[].allocatable.count`). */
export function nodeVolumeLimitsPlugin(listers: VolumeLimitListers): FilterPlugin {
  return {
    name: NAME,
    interests: [
      { resource: 'storage.k8s.io/CSINode', actions: Action.Add },
      { resource: 'storage.k8s.io/CSINode', actions: Action.Update, hint: (_pod, before, after) => limitRaised(before as V1CSINode | undefined, after as V1CSINode | undefined) },
      { resource: 'Pod', actions: Action.Delete, hint: (_pod, before) => releasesClaims(before) },
      { resource: 'PersistentVolumeClaim', actions: Action.Add, hint: (pod, _before, after) => usesClaim(pod, after) },
      {
        resource: 'storage.k8s.io/VolumeAttachment',
        actions: Action.Delete,
        hint: (pod) => pod.spec?.volumes?.some((one) => one.persistentVolumeClaim) ?? false,
      },
    ],
    prepareFilter: ({ pod }) => {
      if (claimVolumes(pod).length === 0) return undefined;
      const wanted: Volumes = new Map();
      const rejection = collect(pod, wanted, listers, true);
      // Others say it better, if they look before nodes are tried.
      if (rejection) return { filter: () => rejection };
      if (wanted.size === 0) return undefined;
      return {
        filter: (node) => {
          const limits = limitsOf(listers.csiNodes.get('', node.name));
          if (limits.size === 0) return undefined;
          const present: Volumes = new Map();
          for (const other of node.pods) collect(other.pod, present, listers, false);
          const isNew = [...wanted].filter(([volume]) => !present.has(volume));
          for (const [volume, driver] of attached(node.name, listers)) present.set(volume, driver);
          const count = (driver: string, entries: Iterable<readonly [string, string]>): number => [...entries].filter((one) => one[1] === driver).length;
          for (const driver of new Set(isNew.map((one) => one[1]))) {
            const limit = limits.get(driver);
            if (limit !== undefined && count(driver, present) + count(driver, isNew) > limit) return EXCEEDED;
          }
          return undefined;
        },
      };
    },
  };
}

function collect(pod: V1Pod, into: Volumes, listers: VolumeLimitListers, strict: boolean): Rejection | undefined {
  const namespace = pod.metadata?.namespace ?? '';
  for (const { claimName, ephemeral } of claimVolumes(pod)) {
    const claim = listers.claims.get(namespace, claimName);
    if (!claim) {
      if (strict) return unresolvable(NAME, `looking up PVC ${namespace}/${claimName}: ${missing('persistentvolumeclaim', claimName)}`);
      continue;
    }
    if (ephemeral) {
      const problem = notForPod(pod, claim);
      if (problem !== undefined && strict) return unresolvable(NAME, problem);
      if (problem !== undefined) continue;
    }
    const source = driverOf(claim, listers);
    if (source) into.set(`${source.driver}/${source.handle}`, source.driver);
  }
  return undefined;
}

function driverOf(claim: V1PersistentVolumeClaim, { volumes, classes }: VolumeLimitListers): { readonly driver: string; readonly handle: string } | undefined {
  const volume = claim.spec?.volumeName ? volumes.get('', claim.spec.volumeName) : undefined;
  if (volume) {
    const csi = volume.spec?.csi;
    return csi ? { driver: csi.driver, handle: csi.volumeHandle } : undefined;
  }
  // Not provisioned yet: the claim stands for the volume that it will get.
  const driver = classes.get('', classOfClaim(claim))?.provisioner;
  return driver ? { driver, handle: `claim:${claim.metadata?.namespace}/${claim.metadata?.name}` } : undefined;
}

function attached(nodeName: string, { attachments, volumes }: VolumeLimitListers): Volumes {
  const found: Volumes = new Map();
  for (const { spec } of attachments.byIndex(ATTACHMENTS_BY_NODE, nodeName)) {
    const volumeName = spec?.source.persistentVolumeName;
    const handle = volumeName ? volumes.get('', volumeName)?.spec?.csi?.volumeHandle : undefined;
    if (spec?.attacher && handle !== undefined) found.set(`${spec.attacher}/${handle}`, spec.attacher);
  }
  return found;
}

function limitsOf(csiNode: V1CSINode | undefined): Map<string, number> {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of csiNode?.spec?.drivers ?? []) if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  return limits;
}

function limitRaised(before: V1CSINode | undefined, after: V1CSINode | undefined): boolean {
  const was = limitsOf(before);
  return [...limitsOf(after)].some(([driver, limit]) => limit > (was.get(driver) ?? 0));
}

function releasesClaims(deleted: V1Pod | undefined): boolean {
  if (!deleted?.spec?.nodeName && !deleted?.status?.nominatedNodeName) return false;
  return claimVolumes(deleted).length > 0;
}
