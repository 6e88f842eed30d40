import type { V1ReplicaSet } from '../../api/generated/types.js';
import { REPLICA_SETS } from '../../api/resource-refs.js';
import type { ControllerDescriptor } from '../controller.js';
import type { ReplicaKind } from './replica-kind.js';
import { startReplicaController } from './replica-reconciler.js';

const replicaSets: ReplicaKind<V1ReplicaSet> = {
  controller: 'replicaset',
  ref: REPLICA_SETS,
  selectorOf: (owner, cache) => cache.of(owner.spec?.selector),
  countsTerminating: true,
  hasSiblings: true,
};

/** Keeps as many pods of a replica set as it wants. */
export const replicaSetController: ControllerDescriptor = {
  name: 'replicaset-controller',
  serviceAccount: 'replicaset-controller',
  enabledByDefault: true,
  start: (context) => startReplicaController({ ...context, recorder: context.recorder.withComponent('replicaset-controller') }, replicaSets),
};
