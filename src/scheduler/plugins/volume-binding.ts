import type { V1CSIDriver, V1CSINode, V1CSIStorageCapacity, V1PersistentVolumeClaim, V1Pod, V1StorageClass } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { quantityValue } from '../../api/quantity.js';
import type { Lister } from '../../client/index.js';
import type { NodeInfo } from '../cache/node-info.js';
import { Action } from '../framework/cluster-event.js';
import type { EventInterest, FilterPlugin, NodeFilter, PreBindPlugin, ReservePlugin } from '../framework/plugin.js';
import type { PodCycle } from '../framework/pod-cycle.js';
import { unresolvable, type Rejection } from '../framework/rejection.js';
import { claimVolumes, notForPod, usesClaim } from './pod-claims.js';
import type { NodeVolumes, PodVolumeClaims, VolumeBinder } from './volume-binder.js';

const NAME = 'VolumeBinding';
const UNBOUND_IMMEDIATE = unresolvable(NAME, 'pod has unbound immediate PersistentVolumeClaims');

/** Keeps pods on nodes that can reach their volumes, and has claims with delayed binding bound for the chosen node. */
export function volumeBindingPlugin(binder: VolumeBinder, claims: Lister<V1PersistentVolumeClaim>): FilterPlugin & ReservePlugin & PreBindPlugin {
  return {
    name: NAME,
    interests: volumeInterests,
    prepareFilter: ({ pod }) => {
      const volumes = claimVolumes(pod);
      if (volumes.length === 0) return undefined;
      const problem = claimProblem(pod, claims);
      if (problem !== undefined) return unresolvable(NAME, problem);
      const sorted = binder.claimsOf(pod);
      return sorted.immediate.length > 0 ? UNBOUND_IMMEDIATE : new VolumeFilter(binder, sorted);
    },
    reserve: (cycle, nodeName) => {
      const filter = volumeFilterOf(cycle);
      const found = filter?.found.get(nodeName);
      if (filter && found) filter.assumed = binder.assume(cycle.pod.pod, nodeName, found);
      return undefined;
    },
    unreserve: (cycle) => {
      const filter = volumeFilterOf(cycle);
      if (!filter?.assumed) return;
      binder.revert(filter.assumed);
      filter.assumed = undefined;
    },
    needsPreBind: (cycle) => volumeFilterOf(cycle)?.assumed !== undefined,
    preBind: async (cycle, nodeName, signal) => {
      const assumed = volumeFilterOf(cycle)?.assumed;
      if (assumed) await binder.bind(cycle.pod.pod, nodeName, assumed, signal);
    },
  };
}

class VolumeFilter implements NodeFilter {
  /** What was found on the nodes that fit. */
  readonly found = new Map<string, NodeVolumes>();
  /** The choice, once a node is chosen and while not everything is bound. */
  assumed: NodeVolumes | undefined;
  private readonly rejections = new Map<string, Rejection>();

  constructor(
    private readonly binder: VolumeBinder,
    private readonly claims: PodVolumeClaims,
  ) {}

  filter(node: NodeInfo): Rejection | undefined {
    const result = this.binder.find(this.claims, node.node);
    if ('bindings' in result) {
      this.found.set(node.name, result);
      return undefined;
    }
    const key = result.join('|');
    let rejection = this.rejections.get(key);
    if (!rejection) this.rejections.set(key, (rejection = unresolvable(NAME, ...result)));
    return rejection;
  }
}

function volumeFilterOf(cycle: PodCycle): VolumeFilter | undefined {
  const filter = cycle.filters.get(NAME);
  return filter instanceof VolumeFilter ? filter : undefined;
}

function claimProblem(pod: V1Pod, claims: Lister<V1PersistentVolumeClaim>): string | undefined {
  for (const { claimName, ephemeral } of claimVolumes(pod)) {
    const claim = claims.get(pod.metadata?.namespace ?? '', claimName);
    if (!claim) {
      return ephemeral ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claimName}"` : `persistentvolumeclaim "${claimName}" not found`;
    }
    if (claim.status?.phase === 'Lost') return `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`;
    if (claim.metadata?.deletionTimestamp !== undefined) return `persistentvolumeclaim "${claimName}" is being deleted`;
    const foreign = ephemeral ? notForPod(pod, claim) : undefined;
    if (foreign !== undefined) return foreign;
  }
  return undefined;
}

const MIGRATED_PLUGINS = 'storage.alpha.kubernetes.io/migrated-plugins';

const volumeInterests: readonly EventInterest[] = [
  {
    resource: 'storage.k8s.io/StorageClass',
    actions: Action.Add | Action.Update,
    hint: (_pod, before, after) => !before || !deepEqual((before as V1StorageClass).allowedTopologies, (after as V1StorageClass | undefined)?.allowedTopologies),
  },
  { resource: 'PersistentVolumeClaim', actions: Action.Add | Action.Update, hint: (pod, _before, after) => usesClaim(pod, after) },
  { resource: 'PersistentVolume', actions: Action.Add | Action.Update },
  { resource: 'Node', actions: Action.Add | Action.UpdateNodeLabel },
  {
    resource: 'storage.k8s.io/CSINode',
    actions: Action.Add | Action.Update,
    hint: (_pod, before, after) => !before || migrated(before as V1CSINode) !== migrated(after as V1CSINode | undefined),
  },
  { resource: 'storage.k8s.io/CSIDriver', actions: Action.Update, hint: (pod, before, after) => capacityCheckEnded(pod, before as V1CSIDriver | undefined, after as V1CSIDriver | undefined) },
  {
    resource: 'storage.k8s.io/CSIStorageCapacity',
    actions: Action.Add | Action.Update,
    hint: (_pod, before, after) => !before || volumeLimit(after) > volumeLimit(before),
  },
];

function migrated(csiNode: V1CSINode | undefined): string | undefined {
  return csiNode?.metadata?.annotations?.[MIGRATED_PLUGINS];
}

function capacityCheckEnded(pod: V1Pod, before: V1CSIDriver | undefined, after: V1CSIDriver | undefined): boolean {
  const uses = pod.spec?.volumes?.some((one) => one.csi?.driver === after?.metadata?.name) ?? false;
  return uses && before?.spec?.storageCapacity === true && after?.spec?.storageCapacity !== true;
}

function volumeLimit(capacity: Partial<V1CSIStorageCapacity> | undefined): number {
  const limit = capacity?.maximumVolumeSize ?? capacity?.capacity;
  return limit === undefined ? -1 : quantityValue(limit);
}
