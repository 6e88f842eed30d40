import type { V1Container, V1ContainerStatus, V1Pod, V1PodSpec } from '../../generated/types.js';
import { duplicate, forbidden, internal, invalid, notSupported, required, tooLong, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import { validateImmutable } from '../../meta/validation/immutable.js';
import { parseIp, validateLegacyIp } from '../../meta/validation/ip.js';
import { qualifiedName } from '../../meta/validation/labels.js';
import { byteLength } from '../../meta/validation/messages.js';
import { dns1123Label, dns1123Subdomain } from '../../meta/validation/names.js';
import { groupId, userId } from '../../meta/validation/numbers.js';
import { checkPodAnnotationsUpdate } from './annotations.js';
import { containerShouldRestart, podCouldRestartAllContainers } from '../../helpers/restart-rules.js';
import { METADATA } from './validate.js';

const STATUS = FieldPath.of('status');
const SYSTEM_CONDITIONS = new Set(['PodScheduled', 'Ready', 'Initialized']);
const HEALTHS = ['Healthy', 'Unhealthy', 'Unknown'];

/** Rules of a status update. */
export function validatePodStatusUpdate(pod: V1Pod, old: V1Pod): FieldError[] {
  const errors: FieldError[] = [];
  const status = pod.status ?? {};
  const spec = pod.spec ?? { containers: [] };
  checkPodAnnotationsUpdate(pod.metadata?.annotations, old.metadata?.annotations, spec, METADATA.child('annotations'), errors);
  checkConditions(pod, errors);
  if ((pod.spec?.nodeName ?? '') !== (old.spec?.nodeName ?? '')) errors.push(forbidden(STATUS.child('nodeName'), 'may not be changed directly'));
  checkNomination(pod, old, errors);
  if ((status.observedGeneration ?? 0) < 0) errors.push(invalid(STATUS.child('observedGeneration'), status.observedGeneration, 'must be a non-negative integer'));
  errors.push(...validateImmutable(status.qosClass, old.status?.qosClass, STATUS.child('qosClass')));
  const oldSpec = old.spec ?? spec;
  checkTransitions(status.containerStatuses, old.status?.containerStatuses, oldSpec, oldSpec.containers, STATUS.child('containerStatuses'), errors);
  checkTransitions(status.initContainerStatuses, old.status?.initContainerStatuses, oldSpec, oldSpec.initContainers ?? [], STATUS.child('initContainerStatuses'), errors);
  checkTransitions(status.ephemeralContainerStatuses, old.status?.ephemeralContainerStatuses, undefined, [], STATUS.child('ephemeralContainerStatuses'), errors);
  checkClaimStatuses(pod, errors);
  checkExtendedClaim(pod, errors);
  checkIps(pod, old, errors);
  for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const) checkUsers(status[list], spec, STATUS.child(list), errors);
  checkAllocated(status.containerStatuses, spec.containers, STATUS.child('containerStatuses'), errors);
  checkAllocated(status.initContainerStatuses, spec.initContainers ?? [], STATUS.child('initContainerStatuses'), errors);
  status.ephemeralContainerStatuses?.forEach((container, i) => {
    if (container.allocatedResourcesStatus?.length) {
      errors.push(forbidden(STATUS.child('ephemeralContainerStatuses').index(i).child('allocatedResourcesStatus'), 'must not be specified in container status'));
    }
  });
  return errors;
}

function checkConditions(pod: V1Pod, errors: FieldError[]): void {
  pod.status?.conditions?.forEach((condition, i) => {
    const at = STATUS.child('conditions').index(i);
    if ((condition.observedGeneration ?? 0) < 0) errors.push(invalid(at.child('observedGeneration'), condition.observedGeneration, 'must be a non-negative integer'));
    if (SYSTEM_CONDITIONS.has(condition.type)) return;
    for (const message of qualifiedName(condition.type ?? '')) errors.push(invalid(at.child('Type'), condition.type ?? '', message));
  });
}

function checkNomination(pod: V1Pod, old: V1Pod, errors: FieldError[]): void {
  const name = pod.status?.nominatedNodeName ?? '';
  if (name === '' || name === (old.status?.nominatedNodeName ?? '')) return;
  const path = STATUS.child('nominatedNodeName');
  for (const message of dns1123Subdomain(name)) errors.push(invalid(path, name, message));
  if (old.spec?.nodeName) errors.push(forbidden(path, 'may not be set on pods that are already bound to a node'));
}

/** A terminated container stays so, unless its pod or its own policy restarts it. `spec` is absent for ephemeral containers, which never restart. */
function checkTransitions(
  statuses: readonly V1ContainerStatus[] | undefined,
  old: readonly V1ContainerStatus[] | undefined,
  spec: V1PodSpec | undefined,
  containers: readonly V1Container[],
  path: FieldPath,
  errors: FieldError[],
): void {
  if (spec && podCouldRestartAllContainers(spec)) return;
  old?.forEach((before, i) => {
    const exit = before.state?.terminated;
    if (!exit) return;
    const now = statuses?.find((status) => status.name === before.name);
    if (!now || now.state?.terminated) return;
    const container = containers.find((candidate) => candidate.name === before.name);
    if (spec && container && containerShouldRestart(container, spec, exit.exitCode ?? 0)) return;
    errors.push(forbidden(path.index(i).child('state'), 'may not be transitioned to non-terminated state'));
  });
}

function checkClaimStatuses(pod: V1Pod, errors: FieldError[]): void {
  const seen = new Set<string>();
  pod.status?.resourceClaimStatuses?.forEach((claim, i) => {
    const at = STATUS.child('resourceClaimStatuses').index(i);
    if (!pod.spec?.resourceClaims?.some((other) => other.name === claim.name)) errors.push(invalid(at.child('name'), claim.name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (seen.has(claim.name)) errors.push(duplicate(at.child('name'), claim.name));
    seen.add(claim.name);
    const name = claim.resourceClaimName;
    if (name !== undefined) for (const message of dns1123Subdomain(name)) errors.push(invalid(at.child('resourceClaimName'), name, message));
  });
}

function checkExtendedClaim(pod: V1Pod, errors: FieldError[]): void {
  const claim = pod.status?.extendedResourceClaimStatus;
  if (!claim) return;
  const path = STATUS.child('extendedResourceClaimStatus');
  const mappings = path.child('requestMappings');
  if (!claim.requestMappings?.length) errors.push(required(mappings, 'at least one request mapping is required'));
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const seen = new Set<string>();
  claim.requestMappings?.forEach((mapping, i) => {
    const at = mappings.index(i);
    const container = containers.find((candidate) => candidate.name === mapping.containerName);
    if (!container) {
      errors.push(invalid(at.child('containerName'), mapping.containerName, 'must match the name of an entry in spec.initContainers.name or spec.containers.name'));
    } else if (container.resources?.requests?.[mapping.resourceName] === undefined) {
      errors.push(invalid(at.child('resourceName'), mapping.resourceName,
        'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests'));
    }
    for (const message of dns1123Label(mapping.requestName)) errors.push(invalid(path.child('requestName'), mapping.requestName, message));
    const key = JSON.stringify([mapping.containerName, mapping.resourceName, mapping.requestName]);
    if (seen.has(key)) for (const field of ['containerName', 'resourceName', 'requestName'] as const) errors.push(duplicate(at.child(field), mapping[field]));
    seen.add(key);
  });
  if (!claim.resourceClaimName) errors.push(required(path.child('resourceClaimName')));
  else for (const message of dns1123Subdomain(claim.resourceClaimName)) errors.push(invalid(path.child('resourceClaimName'), claim.resourceClaimName, message));
}

function checkIps(pod: V1Pod, old: V1Pod, errors: FieldError[]): void {
  const { podIPs, hostIPs, hostIP } = pod.status ?? {};
  checkIpList(podIPs, old.status?.podIPs, STATUS.child('podIPs'), errors);
  if (!hostIPs?.length) return;
  const path = STATUS.child('hostIPs');
  if ((hostIP ?? '') !== hostIPs[0]!.ip) errors.push(invalid(path.index(0).child('ip'), hostIPs[0]!.ip, 'must be equal to `hostIP`'));
  checkIpList(hostIPs, old.status?.hostIPs, path, errors);
}

function checkIpList(list: readonly { readonly ip?: string }[] | undefined, old: readonly { readonly ip?: string }[] | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!list?.length) return;
  const validOld = (old ?? []).map((entry) => entry.ip ?? '');
  list.forEach((entry, i) => errors.push(...validateLegacyIp(entry.ip ?? '', path.index(i), true, validOld)));
  if (list.length < 2) return;
  const families = list.map((entry) => parseIp(entry.ip ?? '')?.family);
  const bad = families.indexOf(undefined);
  if (bad >= 0) errors.push(internal(path, `failed to check for dual stack with error:invalid IP[${bad}]: ${list[bad]!.ip ?? ''}`));
  if (list.length > 2 || bad >= 0 || new Set(families).size < 2) errors.push(invalid(path, list, 'may specify no more than one IP for each IP family'));
}

function checkUsers(statuses: readonly V1ContainerStatus[] | undefined, spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  statuses?.forEach((status, i) => {
    const user = status.user?.linux;
    if (!user) return;
    const at = path.index(i).child('user', 'linux');
    if (spec.os?.name === 'windows') return void errors.push(forbidden(at, 'cannot be set for a windows pod'));
    for (const message of userId(user.uid)) errors.push(invalid(at.child('uid'), user.uid, message));
    for (const message of groupId(user.gid)) errors.push(invalid(at.child('gid'), user.gid, message));
    user.supplementalGroups?.forEach((group, j) => {
      for (const message of groupId(group)) errors.push(invalid(at.child('supplementalGroups').index(j), group, message));
    });
  });
}

function checkAllocated(statuses: readonly V1ContainerStatus[] | undefined, containers: readonly V1Container[], path: FieldPath, errors: FieldError[]): void {
  statuses?.forEach((status, i) => {
    status.allocatedResourcesStatus?.forEach((allocated, j) => {
      const at = path.index(i).child('allocatedResourcesStatus').index(j);
      const container = containers.find((candidate) => candidate.name === status.name);
      const problem = container && allocatedNameProblem(container, allocated.name);
      if (problem !== undefined) errors.push(invalid(at.child('name'), allocated.name, problem));
      const seen = new Set<string>();
      allocated.resources?.forEach((resource, k) => {
        const where = at.child('resources').index(k);
        if (!HEALTHS.includes(resource.health ?? '')) errors.push(notSupported(where.child('health'), resource.health ?? '', HEALTHS));
        if (resource.message === '') errors.push(required(where.child('message'), 'must be non-empty if specified'));
        else if (byteLength(resource.message ?? '') > 1024) errors.push(tooLong(where.child('message'), 1024));
        if (seen.has(resource.resourceID)) errors.push(duplicate(where.child('resourceID'), resource.resourceID));
        seen.add(resource.resourceID);
      });
    });
  });
}

function allocatedNameProblem(container: V1Container, name: string): string | undefined {
  if (name.startsWith('claim:')) {
    const known = (container.resources?.claims ?? []).some((claim) => name === `claim:${claim.name}${claim.request ? `/${claim.request}` : ''}`);
    return known ? undefined : "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  }
  return container.resources?.requests?.[name] === undefined ? "must match one of the container's resource requests" : undefined;
}
