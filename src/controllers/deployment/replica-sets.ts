import type { V1Deployment, V1PodTemplateSpec, V1ReplicaSet } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { revisionOf } from './annotations.js';

/** Label that tells the pods of one template from those of another. */
export const TEMPLATE_HASH = 'pod-template-hash';

/** True when two templates are the same but for the hash label. */
export function sameTemplate(a: V1PodTemplateSpec | undefined, b: V1PodTemplateSpec | undefined): boolean {
  return deepEqual(a?.spec, b?.spec) && deepEqual({ ...a?.metadata, labels: withoutHash(a) }, { ...b?.metadata, labels: withoutHash(b) });
}

function withoutHash(template: V1PodTemplateSpec | undefined): Record<string, string> {
  const labels: Record<string, string> = { ...template?.metadata?.labels };
  delete labels[TEMPLATE_HASH];
  return labels;
}

/** The replica set of the deployment's template: the oldest one, should there be several. */
export function findCurrent(deployment: V1Deployment, replicaSets: readonly V1ReplicaSet[]): V1ReplicaSet | undefined {
  return [...replicaSets].sort(byAge).find((replicaSet) => sameTemplate(replicaSet.spec?.template, deployment.spec?.template));
}

/** Those that want pods. */
export function activeOnes(replicaSets: readonly V1ReplicaSet[]): V1ReplicaSet[] {
  return replicaSets.filter((replicaSet) => (replicaSet.spec?.replicas ?? 0) > 0);
}

/** The only replica set with pods, or the latest when there is none with pods; undefined in the middle of a rollout. */
export function activeOrLatest(current: V1ReplicaSet | undefined, old: readonly V1ReplicaSet[]): V1ReplicaSet | undefined {
  const active = activeOnes(current ? [...old, current] : old);
  if (active.length === 0) return current ?? [...old].sort(byAge).at(-1);
  return active.length === 1 ? active[0] : undefined;
}

/** The oldest first, then by name. */
export function byAge(a: V1ReplicaSet, b: V1ReplicaSet): number {
  const timeA = a.metadata?.creationTimestamp ?? '';
  const timeB = b.metadata?.creationTimestamp ?? '';
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}

/** The largest first; among equal ones the newer (when growing) or the older (when shrinking). */
export function bySize(newerFirst: boolean): (a: V1ReplicaSet, b: V1ReplicaSet) => number {
  return (a, b) => (b.spec?.replicas ?? 0) - (a.spec?.replicas ?? 0) || (newerFirst ? byAge(b, a) : byAge(a, b));
}

/** The lowest revision first; by age when one has none that can be read. */
export function byRevision(a: V1ReplicaSet, b: V1ReplicaSet): number {
  const left = revisionOf(a);
  const right = revisionOf(b);
  return left === undefined || right === undefined || left === right ? byAge(a, b) : left < right ? -1 : 1;
}

/** The highest revision. */
export function maxRevision(replicaSets: readonly V1ReplicaSet[]): bigint {
  return replicaSets.map((replicaSet) => revisionOf(replicaSet) ?? 0n).reduce((most, revision) => (revision > most ? revision : most), 0n);
}

/** The second highest revision; 0 when there is none. */
export function lastRevision(replicaSets: readonly V1ReplicaSet[]): bigint {
  const revisions = replicaSets.map((replicaSet) => revisionOf(replicaSet)).filter((revision) => revision !== undefined).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  return revisions[1] ?? 0n;
}
