import { core } from './core.js';
import { meta } from './meta.js';
import { admissionregistration } from './admissionregistration.js';
import { apiextensions } from './apiextensions.js';
import { apiregistration } from './apiregistration.js';
import { apps } from './apps.js';
import { authentication } from './authentication.js';
import { authorization } from './authorization.js';
import { autoscaling } from './autoscaling.js';
import { autoscalingV2 } from './autoscaling-v2.js';
import { batch } from './batch.js';
import { certificates } from './certificates.js';
import { coordination } from './coordination.js';
import { discovery } from './discovery.js';
import { events } from './events.js';
import { flowcontrol } from './flowcontrol.js';
import { networking } from './networking.js';
import { node } from './node.js';
import { policy } from './policy.js';
import { rbac } from './rbac.js';
import { resource } from './resource.js';
import { scheduling } from './scheduling.js';
import { storage } from './storage.js';
import { version } from './version.js';
import type { PackageFacts } from './grammar.js';

/** Every package whose types are published or decoded. Read by `scripts/generate-api.mjs`. */
export const PACKAGES: readonly PackageFacts[] = [
  core,
  meta,
  admissionregistration,
  apiextensions,
  apiregistration,
  apps,
  authentication,
  authorization,
  autoscaling,
  autoscalingV2,
  batch,
  certificates,
  coordination,
  discovery,
  events,
  flowcontrol,
  networking,
  node,
  policy,
  rbac,
  resource,
  scheduling,
  storage,
  version,
];
