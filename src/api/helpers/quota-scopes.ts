import type { V1PersistentVolumeClaim, V1Pod, V1PodAffinityTerm, V1ScopedResourceSelectorRequirement } from '../generated/types.js';
import { computeQosClass } from './pod-qos.js';

type Requirement = V1ScopedResourceSelectorRequirement;

/** Whether a pod is in a scope of a quota. */
export function podMatchesScope(requirement: Requirement, pod: V1Pod): boolean {
  switch (requirement.scopeName) {
    case 'Terminating':
      return isTerminating(pod);
    case 'NotTerminating':
      return !isTerminating(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass': {
      const name = pod.spec?.priorityClassName;
      return valueMatches(requirement, name ? [name] : []);
    }
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(pod);
    default:
      return false;
  }
}

/** Whether a claim is in a scope of a quota. */
export function volumeClaimMatchesScope(requirement: Requirement, claim: V1PersistentVolumeClaim): boolean {
  if (requirement.scopeName !== 'VolumeAttributesClass') return false;
  const names = [claim.spec?.volumeAttributesClassName, claim.status?.currentVolumeAttributesClassName, claim.status?.modifyVolumeStatus?.targetVolumeAttributesClassName];
  return valueMatches(requirement, names.filter((name): name is string => name !== undefined && name !== ''));
}

/** A pod with a deadline ends by itself. */
export function isTerminating(pod: V1Pod): boolean {
  return (pod.spec?.activeDeadlineSeconds ?? -1) >= 0;
}

function isBestEffort(pod: V1Pod): boolean {
  return (pod.status?.qosClass ?? computeQosClass(pod.spec)) === 'BestEffort';
}

/** One of the object's names satisfies the requirement (having none is a case of its own). */
function valueMatches({ operator, values }: Requirement, names: readonly string[]): boolean {
  const wanted = values ?? [];
  switch (operator) {
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    case 'In':
      return names.some((name) => wanted.includes(name));
    case 'NotIn':
      return names.length === 0 || names.some((name) => !wanted.includes(name));
    default:
      return false;
  }
}

function crossesNamespaces(pod: V1Pod): boolean {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) => {
    const preferred = (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => term.podAffinityTerm);
    return [...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []), ...preferred].some(namesOthers);
  });
}

function namesOthers(term: V1PodAffinityTerm): boolean {
  return (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined;
}
