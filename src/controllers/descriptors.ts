import type { ControllerDescriptor } from './controller.js';
import { csrApprovingController } from './certificates/approving.js';
import { csrCleanerController } from './certificates/cleaner.js';
import { csrSigningController } from './certificates/signing.js';
import { disruptionController } from './disruption/descriptor.js';
import { serviceLbController } from './service-lb/descriptor.js';
import { endpointsController } from './endpoints/descriptor.js';
import { endpointSliceController } from './endpointslice/descriptor.js';
import { endpointSliceMirroringController } from './endpointslice-mirroring/descriptor.js';
import { nodeIpamController } from './node-ipam/descriptor.js';
import { nodeLifecycleController } from './node-lifecycle/descriptor.js';
import { ephemeralVolumeController } from './ephemeral-volume/descriptor.js';
import { persistentVolumeBinderController } from './persistent-volumes/descriptor.js';
import { localPathProvisioner } from './persistent-volumes/local-path/descriptor.js';
import { podGcController } from './pod-gc/descriptor.js';
import { resourceQuotaController } from './resourcequota/descriptor.js';
import { taintEvictionController } from './taint-eviction/descriptor.js';
import { ttlAfterFinishedController } from './ttl-after-finished/descriptor.js';
import { pvcProtectionController, pvProtectionController, vacProtectionController } from './protection/descriptor.js';
import { daemonSetController } from './daemonset/descriptor.js';
import { deploymentController } from './deployment/descriptor.js';
import { jobController } from './job/descriptor.js';
import { cronJobController } from './cronjob/descriptor.js';
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
  jobController,
  cronJobController,
  garbageCollector,
  csrApprovingController,
  csrCleanerController,
  csrSigningController,
  disruptionController,
  serviceLbController,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  nodeIpamController,
  nodeLifecycleController,
  podGcController,
  resourceQuotaController,
  taintEvictionController,
  ttlAfterFinishedController,
  pvcProtectionController,
  pvProtectionController,
  vacProtectionController,
  persistentVolumeBinderController,
  localPathProvisioner,
  ephemeralVolumeController,
];
