/** What happened to an object; a bit set, so that a plugin can ask for several at once. */
export const Action = {
  Add: 1 << 0,
  Delete: 1 << 1,
  UpdateNodeAllocatable: 1 << 2,
  UpdateNodeLabel: 1 << 3,
  /** Taints, or `spec.unschedulable` going away. */
  UpdateNodeTaint: 1 << 4,
  UpdateNodeCondition: 1 << 5,
  UpdateNodeAnnotation: 1 << 6,
  UpdateNodeDeclaredFeature: 1 << 7,
  UpdatePodLabel: 1 << 8,
  /** Some resource request became smaller. */
  UpdatePodScaleDown: 1 << 9,
  UpdatePodToleration: 1 << 10,
  UpdatePodSchedulingGatesEliminated: 1 << 11,
  UpdatePodGeneratedResourceClaim: 1 << 12,
  /** Any update, also one that none of the narrower bits names. */
  Update: (1 << 13) - 4,
  All: (1 << 13) - 1,
} as const;

export type EventResource =
  | 'Pod' | 'AssignedPod' | 'UnschedulablePod' | 'Node' | 'PersistentVolume' | 'PersistentVolumeClaim'
  | 'storage.k8s.io/CSINode' | 'storage.k8s.io/CSIDriver' | 'storage.k8s.io/VolumeAttachment' | 'storage.k8s.io/CSIStorageCapacity'
  | 'storage.k8s.io/StorageClass' | 'resource.k8s.io/ResourceClaim' | '*';

/** A change in the cluster that may make a pending pod schedulable. */
export interface ClusterEvent {
  readonly resource: EventResource;
  /** Bits of {@link Action}. */
  readonly action: number;
  /** As in upstream's metrics: resource and action, e.g. `NodeUpdateNodeTaint`. */
  readonly label: string;
}

const ACTION_NAMES = new Map<number, string>(Object.entries(Action).map(([name, bits]) => [bits, name]));

export function clusterEvent(resource: EventResource, action: number, label?: string): ClusterEvent {
  return { resource, action, label: label ?? `${resource}${ACTION_NAMES.get(action) ?? ''}` };
}

export const ASSIGNED_POD_ADD = clusterEvent('AssignedPod', Action.Add);
export const ASSIGNED_POD_DELETE = clusterEvent('AssignedPod', Action.Delete);
export const UNSCHEDULED_POD_ADD = clusterEvent('UnschedulablePod', Action.Add);
export const UNSCHEDULED_POD_UPDATE = clusterEvent('UnschedulablePod', Action.Update);
/** Moves every pod that waited too long. */
export const UNSCHEDULABLE_TIMEOUT = clusterEvent('*', Action.All, 'UnschedulableTimeout');
/** Moves one named pod. */
export const FORCE_ACTIVATE = clusterEvent('*', Action.All, 'ForceActivate');

/** True for events that move pods whatever plugin rejected them. */
export function isWildcard(event: ClusterEvent): boolean {
  return event.resource === '*' && event.action === Action.All;
}

/** True when `event` is one of those that (`resource`, `actions`) asks for. A general update does not match an interest in narrower ones. */
export function matchesInterest(resource: EventResource, actions: number, event: ClusterEvent): boolean {
  const sameResource = resource === '*' || resource === event.resource || (resource === 'Pod' && (event.resource === 'AssignedPod' || event.resource === 'UnschedulablePod'));
  return sameResource && (actions & event.action) === event.action;
}
