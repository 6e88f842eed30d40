import { admissionregistration } from './admissionregistration.js';
import { apps } from './apps.js';
import { authentication } from './authentication.js';
import { authorization } from './authorization.js';
import { autoscaling } from './autoscaling.js';
import { autoscalingV2 } from './autoscaling-v2.js';
import { batch } from './batch.js';
import { certificates } from './certificates.js';
import { coordination } from './coordination.js';
import { core } from './core.js';
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
import { apiextensions } from './apiextensions.js';
import { meta } from './meta.js';
import { apiregistration } from './apiregistration.js';

/**
 * Numbers of the fields of each type in upstream's protobuf encoding, by package and type. Fields stand in the order of their numbers,
 * which begin with 1 and go up by one; `:n` after a field is its number where that is not so. `^Embedded(…)` is a message of its own in protobuf
 * whose fields are the type's in JSON.
 */
export const FIELD_NUMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'io.k8s.api.admissionregistration.v1': admissionregistration,
  'io.k8s.api.apps.v1': apps,
  'io.k8s.api.authentication.v1': authentication,
  'io.k8s.api.authorization.v1': authorization,
  'io.k8s.api.autoscaling.v1': autoscaling,
  'io.k8s.api.autoscaling.v2': autoscalingV2,
  'io.k8s.api.batch.v1': batch,
  'io.k8s.api.certificates.v1': certificates,
  'io.k8s.api.coordination.v1': coordination,
  'io.k8s.api.core.v1': core,
  'io.k8s.api.discovery.v1': discovery,
  'io.k8s.api.events.v1': events,
  'io.k8s.api.flowcontrol.v1': flowcontrol,
  'io.k8s.api.networking.v1': networking,
  'io.k8s.api.node.v1': node,
  'io.k8s.api.policy.v1': policy,
  'io.k8s.api.rbac.v1': rbac,
  'io.k8s.api.resource.v1': resource,
  'io.k8s.api.scheduling.v1': scheduling,
  'io.k8s.api.storage.v1': storage,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1': apiextensions,
  'io.k8s.apimachinery.pkg.apis.meta.v1': meta,
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1': apiregistration,
};
