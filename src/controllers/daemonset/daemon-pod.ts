import type { V1Affinity, V1DaemonSet, V1NodeSelector, V1Pod, V1PodSpec, V1PodTemplateSpec, V1Toleration } from '../../api/generated/types.js';

/** Labels that say which revision of the set a pod has. */
export const REVISION_LABEL = 'controller-revision-hash';
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';

/** The template of a set's pods with what the controller adds: labels of the revision, and tolerations with which daemons outlive trouble of their node. */
export function daemonTemplate(set: V1DaemonSet, hash: string): V1PodTemplateSpec {
  const template = set.spec?.template;
  const generation = templateGeneration(set);
  return {
    ...template,
    metadata: {
      ...template?.metadata,
      labels: { ...template?.metadata?.labels, ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }), [REVISION_LABEL]: hash },
    },
    spec: { ...template!.spec!, tolerations: daemonTolerations(template!.spec!) },
  };
}

/** The template pinned to one node; the scheduler binds it there like any other pod. */
export function pinned(template: V1PodTemplateSpec, nodeName: string): V1PodTemplateSpec {
  return { ...template, spec: { ...template.spec!, affinity: pinnedAffinity(template.spec?.affinity, nodeName) } };
}

/** The set's own tolerations and those of all daemons. */
export function daemonTolerations(spec: V1PodSpec): readonly V1Toleration[] {
  const added: V1Toleration[] = [
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
    { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
    ...(spec.hostNetwork ? [{ key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' }] : []),
  ];
  const isAdded = (toleration: V1Toleration): boolean =>
    added.some((other) => other.key === toleration.key && other.effect === toleration.effect && other.operator === toleration.operator && (toleration.value ?? '') === '');
  return [...(spec.tolerations ?? []).filter((toleration) => !isAdded(toleration)), ...added];
}

/** The node that a pod runs on, or is pinned to. */
export function targetNode(pod: V1Pod): string | undefined {
  if (pod.spec?.nodeName) return pod.spec.nodeName;
  for (const term of pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []) {
    for (const { key, operator, values = [] } of term.matchFields ?? []) {
      if (key === 'metadata.name' && operator === 'In') return values.length === 1 ? values[0] : undefined;
    }
  }
  return undefined;
}

/** The pod is of one of these revisions, or of the set's template generation. */
export function isUpdated(pod: V1Pod, set: V1DaemonSet, hashes: ReadonlySet<string>): boolean {
  const generation = templateGeneration(set);
  const labels = pod.metadata?.labels ?? {};
  return hashes.has(labels[REVISION_LABEL] ?? '') || (generation !== undefined && labels[GENERATION_LABEL] === generation);
}

/** Pods with a node first, then the oldest, then by name: the one to keep when there are too many. */
export function byAge(a: V1Pod, b: V1Pod): number {
  const assignedA = Boolean(a.spec?.nodeName);
  if (assignedA !== Boolean(b.spec?.nodeName)) return assignedA ? -1 : 1;
  const timeA = a.metadata?.creationTimestamp ?? '';
  const timeB = b.metadata?.creationTimestamp ?? '';
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}

function templateGeneration(set: V1DaemonSet): string | undefined {
  const text = set.metadata?.annotations?.[GENERATION_ANNOTATION];
  return text !== undefined && /^-?\d+$/.test(text) ? text : undefined;
}

function pinnedAffinity(affinity: V1Affinity | undefined, nodeName: string): V1Affinity {
  const required: V1NodeSelector = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }] };
  return { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required } };
}
