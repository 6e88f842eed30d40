import type { KindDefinition } from '../scheme/kind.js';
import { binding } from './binding.js';
import { componentStatus } from './component-status.js';
import { configMap } from './config-map.js';
import { endpoints } from './endpoints.js';
import { event } from './event.js';
import { limitRange } from './limit-range.js';
import { namespace } from './namespace.js';
import { node } from './node.js';
import { persistentVolumeClaim } from './persistent-volume-claim.js';
import { persistentVolume } from './persistent-volume.js';
import { pod } from './pod.js';
import { podTemplate } from './pod-template.js';
import { replicationController } from './replication-controller.js';
import { resourceQuota } from './resource-quota.js';
import { secret } from './secret.js';
import { serviceAccount } from './service-account.js';
import { service } from './service.js';

/** Every kind of the core group. */
export const kinds = [
  binding,
  componentStatus,
  configMap,
  endpoints,
  event,
  limitRange,
  namespace,
  node,
  persistentVolumeClaim,
  persistentVolume,
  pod,
  podTemplate,
  replicationController,
  resourceQuota,
  secret,
  serviceAccount,
  service,
] as unknown as readonly KindDefinition[];
