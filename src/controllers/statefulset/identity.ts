import type { V1PersistentVolumeClaim, V1Pod, V1StatefulSet, V1Volume } from '../../api/generated/types.js';
import { controllerReference } from '../../api/helpers/owner-references.js';
import { podFromTemplate } from '../shared/pod-control.js';

/** Labels by which a pod says which member it is, and of which revision. */
const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
const POD_REVISION = 'controller-revision-hash';

/** The set's name and the ordinal in a pod's name; -1 when it has none. */
export function parsePodName(name: string): { readonly parent: string; readonly ordinal: number } {
  const match = /^(.*)-(\d+)$/.exec(name);
  const ordinal = match ? Number(match[2]) : -1;
  return match && ordinal <= 2 ** 31 - 1 ? { parent: match[1]!, ordinal } : { parent: match?.[1] ?? '', ordinal: -1 };
}

export function ordinalOf(pod: V1Pod): number {
  return parsePodName(pod.metadata?.name ?? '').ordinal;
}

export function startOrdinal(set: V1StatefulSet): number {
  return set.spec?.ordinals?.start ?? 0;
}

/** The pod is one of those that the set wants now. */
export function isInRange(pod: V1Pod, set: V1StatefulSet): boolean {
  const ordinal = ordinalOf(pod);
  return ordinal >= startOrdinal(set) && ordinal < startOrdinal(set) + (set.spec?.replicas ?? 0);
}

export function podRevision(pod: V1Pod): string {
  return pod.metadata?.labels?.[POD_REVISION] ?? '';
}

/** A pod that exists on the server, not one that is still to be created. */
export function isCreated(pod: V1Pod): boolean {
  return pod.metadata?.uid !== undefined;
}

/** `<template>-<set>-<ordinal>`. */
export function claimName(set: V1StatefulSet, template: V1PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata?.name ?? ''}-${set.metadata?.name ?? ''}-${ordinal}`;
}

/** The pod with its labels, host name and volumes; it has no UID yet. */
export function newPod(set: V1StatefulSet, ordinal: number, revision: string): V1Pod {
  const name = `${set.metadata?.name ?? ''}-${ordinal}`;
  const pod = podFromTemplate(set, set.spec?.template, controllerReference(set));
  return {
    ...pod,
    metadata: { ...pod.metadata, name, labels: { ...pod.metadata?.labels, ...identityLabels(name, ordinal), [POD_REVISION]: revision } },
    spec: {
      ...pod.spec!,
      hostname: name,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...volumesOf(set, pod, ordinal),
    },
  };
}

/** The labels of a member's identity. */
export function identityLabels(name: string, ordinal: number): Readonly<Record<string, string>> {
  return { [POD_NAME]: name, [POD_INDEX]: String(ordinal) };
}

export function identityMatches(set: V1StatefulSet, pod: V1Pod): boolean {
  const name = pod.metadata?.name ?? '';
  const { parent, ordinal } = parsePodName(name);
  return ordinal >= 0 && parent === set.metadata?.name && pod.metadata?.labels?.[POD_NAME] === name;
}

/** Each claim template has its volume in the pod. */
export function storageMatches(set: V1StatefulSet, pod: V1Pod): boolean {
  const ordinal = ordinalOf(pod);
  return (set.spec?.volumeClaimTemplates ?? []).every((template) =>
    pod.spec?.volumes?.find((volume) => volume.name === template.metadata?.name)?.persistentVolumeClaim?.claimName === claimName(set, template, ordinal));
}

/** The claims' volumes, and the pod's other ones. */
export function volumesOf(set: V1StatefulSet, pod: V1Pod, ordinal: number): { volumes?: readonly V1Volume[] } {
  const templates = set.spec?.volumeClaimTemplates ?? [];
  const own = templates.map((template): V1Volume => ({ name: template.metadata?.name ?? '', persistentVolumeClaim: { claimName: claimName(set, template, ordinal) } }));
  const others = (pod.spec?.volumes ?? []).filter((volume) => !own.some(({ name }) => name === volume.name));
  return own.length + others.length > 0 ? { volumes: [...own, ...others] } : {};
}
