import type { V1ReplicationController } from '../../api/generated/types.js';
import { REPLICATION_CONTROLLERS } from '../../api/resource-refs.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';
import type { ControllerDescriptor } from '../controller.js';
import type { ReplicaKind } from '../replicaset/replica-kind.js';
import { startReplicaController } from '../replicaset/replica-reconciler.js';

const replicationControllers: ReplicaKind<V1ReplicationController> = {
  controller: 'replicationmanager',
  ref: REPLICATION_CONTROLLERS,
  // An empty map would match everything; the API does not allow one.
  selectorOf: (owner) => (Object.keys(owner.spec?.selector ?? {}).length === 0 ? LabelSelector.nothing : LabelSelector.fromMap(owner.spec?.selector)),
  countsTerminating: false,
  hasSiblings: false,
};

/** Keeps as many pods of a replication controller as it wants. */
export const replicationControllerController: ControllerDescriptor = {
  name: 'replicationcontroller-controller',
  serviceAccount: 'replication-controller',
  enabledByDefault: true,
  start: (context) => startReplicaController({ ...context, recorder: context.recorder.withComponent('replication-controller') }, replicationControllers),
};
