import type { V1PodTemplateSpec, V1ReplicaSetCondition } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import type { LabelSelector } from '../../api/selectors/label-selector.js';
import type { SelectorCache } from '../shared/selector-cache.js';

/** The status that both kinds share; replication controllers have no `terminatingReplicas`. */
export interface ReplicaStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly V1ReplicaSetCondition[];
}

/** An object that keeps a number of equal pods. */
export interface ReplicaOwner extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: V1PodTemplateSpec;
  };
  readonly status?: ReplicaStatus;
}

/** What differs between replica sets and replication controllers. */
export interface ReplicaKind<T extends ReplicaOwner> {
  /** Name of the controller in logs and metrics. */
  readonly controller: string;
  readonly ref: ResourceRef<T>;
  selectorOf(owner: T, cache: SelectorCache): LabelSelector;
  /** The status counts pods on their way out. */
  readonly countsTerminating: boolean;
  /** Pods of an owner's siblings (the other replica sets of its deployment) count when pods to delete are ranked. */
  readonly hasSiblings: boolean;
}
