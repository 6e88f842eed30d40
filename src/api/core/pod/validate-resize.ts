import type { V1Container, V1Pod, V1PodSpec, V1ResourceRequirements } from '../../generated/types.js';
import { deepEqual } from '../../helpers/deep-equal.js';
import { isSidecar } from '../../helpers/pod-containers.js';
import { computeQosClass, podQosClass } from '../../helpers/pod-qos.js';
import { forbidden, invalid, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import { validateBuiltInMeta } from '../../meta/validation/object-meta.js';
import { MIRROR_ANNOTATION } from './annotations.js';
import { checkPod, SPEC } from './validate.js';

type Resources = V1ResourceRequirements | undefined;
const EMPTY: V1PodSpec = { containers: [] };

/** Rules of the `resize` subresource: cpu and memory may change, the QoS class may not. */
export function validatePodResize(pod: V1Pod, old: V1Pod): FieldError[] {
  const errors = validateBuiltInMeta(pod.metadata, { namespaced: true });
  checkPod(pod, errors);
  const spec = pod.spec ?? EMPTY;
  const oldSpec = old.spec ?? EMPTY;
  if (old.metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined) return [forbidden(FieldPath.of(''), 'static pods cannot be resized')];
  if (oldSpec.os?.name === 'windows') return [forbidden(FieldPath.of(''), 'windows pods cannot be resized')];
  if (podQosClass(old) !== computeQosClass(spec)) errors.push(invalid(SPEC, pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  const running = old.status?.containerStatuses?.find((status) => status.state?.running);
  if (running && !running.resources) errors.push(forbidden(SPEC, 'Pod running on node without support for resize'));
  let resources: Resources = spec.resources;
  if (hasResources(oldSpec.resources) || hasResources(spec.resources)) resources = checkPodLevel(spec.resources, oldSpec.resources, errors);
  if (old.status?.nodeAllocatableResourceClaimStatuses?.length) errors.push(forbidden(SPEC, 'pods with node allocatable resource claims cannot be resized'));
  const before = errors.length;
  for (const list of ['containers', 'initContainers'] as const) checkOrder(spec[list] ?? [], oldSpec[list] ?? [], list, errors);
  if (errors.length > before) return errors;
  for (const list of ['initContainers', 'containers'] as const) {
    (oldSpec[list] ?? []).forEach((container, i) => {
      checkNothingRemoved(spec[list]![i]!.resources, container.resources, 'resource', SPEC.child(list).index(i).child('resources'), errors);
    });
  }
  const containers = spec.containers.map((container, i) => {
    const rest = withoutResize(container, oldSpec.containers[i]!);
    if (!deepEqual(rest, oldSpec.containers[i])) errors.push(forbidden(SPEC, 'only cpu and memory resources are mutable'));
    return rest;
  });
  const initContainers = spec.initContainers?.map((container, i) => checkInitContainer(container, oldSpec.initContainers![i]!, SPEC.child('initContainers').index(i), errors));
  if (errors.length > 0) return errors;
  if (!deepEqual({ ...spec, resources, containers, initContainers }, oldSpec)) errors.push(forbidden(SPEC, 'only cpu and memory resources are mutable'));
  return errors;
}

function checkInitContainer(container: V1Container, old: V1Container, path: FieldPath, errors: FieldError[]): V1Container {
  const rest = withoutResize(container, old);
  if (!deepEqual(rest, old)) errors.push(forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable'));
  if (!isSidecar(container) && !deepEqual(container, old)) {
    for (const policy of container.resizePolicy ?? []) {
      if (policy.restartPolicy === 'RestartContainer') errors.push(forbidden(path, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'));
    }
  }
  return rest;
}

function checkOrder(containers: readonly V1Container[], old: readonly V1Container[], list: string, errors: FieldError[]): void {
  if (containers.length !== old.length) return void errors.push(forbidden(SPEC.child(list), `${list} may not be added or removed on resize`));
  old.forEach((container, i) => {
    if (containers[i]!.name !== container.name) errors.push(forbidden(SPEC.child(list).index(i).child('name'), `${list} may not be renamed or reordered on resize`));
  });
}

function checkPodLevel(resources: Resources, old: Resources, errors: FieldError[]): Resources {
  const path = SPEC.child('resources');
  if (old && !resources) {
    errors.push(forbidden(path, 'pod-level resources cannot be removed'));
    return resources;
  }
  if (old) checkNothingRemoved(resources, old, 'pod-level resource', path, errors);
  const rest = resources && keepOldComputes(resources, old);
  const kept = !old && rest && !hasResources(rest) && !rest.claims?.length ? undefined : rest;
  if (!deepEqual(kept, old)) errors.push(forbidden(SPEC, 'only cpu and memory resources are mutable at pod-level'));
  return kept;
}

function checkNothingRemoved(resources: Resources, old: Resources, what: string, path: FieldPath, errors: FieldError[]): void {
  for (const field of ['requests', 'limits'] as const) {
    if (Object.keys(old?.[field] ?? {}).some((name) => resources?.[field]?.[name] === undefined)) {
      errors.push(forbidden(path.child(field), `${what} ${field} cannot be removed`));
    }
  }
}

/** The container with its old cpu and memory; claims are dropped, as upstream does. */
function withoutResize(container: V1Container, old: V1Container): V1Container {
  const { limits, requests } = keepOldComputes(container.resources ?? {}, old.resources);
  return { ...container, resources: { ...(old.resources?.claims ? { claims: old.resources.claims } : {}), limits, requests } };
}

function keepOldComputes(resources: V1ResourceRequirements, old: Resources): V1ResourceRequirements {
  const keep = (amounts: Readonly<Record<string, string>> | undefined, oldAmounts: Readonly<Record<string, string>> | undefined): Record<string, string> => {
    const rest: Record<string, string> = { ...amounts };
    delete rest['cpu'];
    delete rest['memory'];
    for (const name of ['cpu', 'memory']) if (oldAmounts?.[name] !== undefined) rest[name] = oldAmounts[name];
    return rest;
  };
  return { ...resources, limits: keep(resources.limits, old?.limits), requests: keep(resources.requests, old?.requests) };
}

function hasResources(resources: Resources): boolean {
  return Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;
}
