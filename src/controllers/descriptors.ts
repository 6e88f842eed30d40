import type { ControllerDescriptor } from './controller.js';
import { daemonSetController } from './daemonset/descriptor.js';
import { deploymentController } from './deployment/descriptor.js';
import { namespaceController } from './namespace/descriptor.js';
import { replicaSetController } from './replicaset/descriptor.js';
import { replicationControllerController } from './replicationcontroller/descriptor.js';
import { serviceAccountController } from './serviceaccount/default-account.js';
import { rootCaPublisher } from './serviceaccount/root-ca-publisher.js';
import { serviceAccountTokenController } from './serviceaccount/token-secrets.js';
import { statefulSetController } from './statefulset/descriptor.js';
import { garbageCollector } from './garbage-collector/descriptor.js';

/** Every controller there is. Those on which others wait come first. */
export const CONTROLLERS: readonly ControllerDescriptor[] = [
  serviceAccountController,
  rootCaPublisher,
  serviceAccountTokenController,
  namespaceController,
  replicaSetController,
  replicationControllerController,
  deploymentController,
  statefulSetController,
  daemonSetController,
  garbageCollector,
];
