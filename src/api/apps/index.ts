import type { KindDefinition } from '../scheme/kind.js';
import { controllerRevision } from './controller-revision.js';
import { daemonSet } from './daemon-set.js';
import { deployment } from './deployment.js';
import { replicaSet } from './replica-set.js';
import { statefulSet } from './stateful-set.js';

/** Every kind of the apps group. */
export const kinds = [
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
] as unknown as readonly KindDefinition[];
