import type { Draft } from '../../draft.js';
import type { V1Container, V1HTTPGetAction, V1Pod, V1PodSpec, V1PodStatus, V1PodTemplateSpec, V1Probe } from '../../generated/types.js';
import { podLimitQuantities, podRequestQuantities } from '../../helpers/pod-resources.js';
import { isHugePages, isOvercommitAllowed, isPodLevelResource } from '../../helpers/resource-names.js';
import { canonicalizeResourceList } from '../validation/quantities.js';
import { imageTag } from './image-name.js';
import { resourceRefDefaults, volumeDefaults } from './volume-defaults.js';

/** Defaults of a pod: those of its spec, and some that templates do not get (requests from limits, service links, host ports). */
export function podDefaults(pod: Draft<V1Pod>): void {
  const spec = (pod.spec ??= { containers: [] });
  pod.status ??= {};
  for (const container of spec.containers ?? []) requestsFromLimits(container);
  for (const container of spec.initContainers ?? []) requestsFromLimits(container);
  if (spec.resources) podLevelDefaults(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) {
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
      for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
    }
  }
  // A negative grace period was once accepted, and has meant one second since.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  podSpecDefaults(spec);
  const { status } = pod;
  statusDefaults(status);
  if (status.podIP && status.podIPs?.[0]?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
  else if (!status.podIP && status.podIPs?.[0]?.ip) status.podIP = status.podIPs[0].ip;
}

function statusDefaults(status: Draft<V1PodStatus>): void {
  const all = [status, ...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? []), ...(status.ephemeralContainerStatuses ?? [])];
  for (const { allocatedResources, resources } of all) for (const list of [allocatedResources, resources?.limits, resources?.requests]) canonicalizeResourceList(list);
}

/** Defaults of a pod template. */
export function podTemplateDefaults(template: Draft<V1PodTemplateSpec>): void {
  template.metadata ??= {};
  template.spec ??= { containers: [] };
  podSpecDefaults(template.spec);
}

/** What pods and templates have in common. */
function podSpecDefaults(spec: Draft<V1PodSpec>): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  // The two names of one field are always answered together.
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) spec.serviceAccountName = spec.serviceAccount = account;
  spec.volumes?.forEach(volumeDefaults);
  spec.initContainers?.forEach(containerDefaults);
  spec.containers?.forEach(containerDefaults);
  spec.ephemeralContainers?.forEach(containerDefaults);
  canonicalizeResourceList(spec.overhead);
  canonicalizeResourceList(spec.resources?.limits);
  canonicalizeResourceList(spec.resources?.requests);
}

function containerDefaults(container: Draft<V1Container>): void {
  container.imagePullPolicy ||= imageTag(container.image ?? '') === 'latest' ? 'Always' : 'IfNotPresent';
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const variable of container.env ?? []) {
    const source = variable.valueFrom;
    if (source?.fieldRef) source.fieldRef.apiVersion ||= 'v1';
    if (source?.resourceFieldRef) resourceRefDefaults(source.resourceFieldRef);
    if (source?.fileKeyRef) source.fileKeyRef.optional ??= false;
  }
  container.resources ??= {};
  canonicalizeResourceList(container.resources.limits);
  canonicalizeResourceList(container.resources.requests);
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = container[kind];
    if (probe) probeDefaults(probe);
  }
  httpDefaults(container.lifecycle?.postStart?.httpGet);
  httpDefaults(container.lifecycle?.preStop?.httpGet);
}

function probeDefaults(probe: Draft<V1Probe>): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  httpDefaults(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}

function httpDefaults(action: Draft<V1HTTPGetAction> | undefined): void {
  if (!action) return;
  action.path ||= '/';
  action.scheme ||= 'HTTP';
}

function requestsFromLimits(container: Draft<V1Container>): void {
  const { resources } = container;
  if (!resources?.limits) return;
  for (const name in resources.limits) {
    resources.requests ??= {};
    resources.requests[name] ??= resources.limits[name]!;
  }
}

/** Pod-level huge page limits from the containers', then pod-level requests from the containers' and the pod's own limits. */
function podLevelDefaults(spec: Draft<V1PodSpec>): void {
  const resources = spec.resources!;
  const containersOnly = { spec: { ...spec, resources: undefined, overhead: undefined } };
  try {
    if (hasAny(resources.limits) || hasAny(resources.requests)) {
      for (const [name, amount] of podLimitQuantities(containersOnly)) {
        if (isHugePages(name) && resources.requests?.[name] === undefined) (resources.limits ??= {})[name] ??= amount.toString();
      }
    }
    if (!hasAny(resources.limits)) return;
    const requests = (resources.requests ??= {});
    for (const [name, amount] of podRequestQuantities(containersOnly)) {
      if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] ??= amount.toString();
    }
    for (const name in resources.limits) if (isPodLevelResource(name)) requests[name] ??= resources.limits[name]!;
    if (!hasAny(requests)) delete resources.requests;
  } catch {
    // Text that is no quantity: the decoder is the one that refuses it.
  }
}

function hasAny(amounts: Readonly<Record<string, string>> | undefined): boolean {
  for (const _ in amounts) return true;
  return false;
}
