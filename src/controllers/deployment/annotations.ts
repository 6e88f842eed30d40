import type { V1Deployment, V1ReplicaSet } from '../../api/generated/types.js';
import { maxSurge } from './rolling-numbers.js';

/** On deployments and replica sets: which rollout this is. */
export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
/** Asks for a rollback; what `extensions/v1beta1` had as a field. */
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Annotations that belong to one object and are not copied between a deployment and its replica sets. */
const OWN = new Set([LAST_APPLIED, REVISION, REVISION_HISTORY, DESIRED_REPLICAS, MAX_REPLICAS, ROLLBACK_TO]);

const MAX_HISTORY_CHARACTERS = 2000;

type Annotations = Readonly<Record<string, string>>;

/** The revision of a replica set, a number of 64 bits; 0 when it has none, undefined when it is not a number. */
export function revisionOf(replicaSet: V1ReplicaSet): bigint | undefined {
  const text = replicaSet.metadata?.annotations?.[REVISION];
  if (text === undefined) return 0n;
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** The number of pods that the deployment wanted when it last scaled this replica set. */
export function desiredReplicasOf(replicaSet: V1ReplicaSet): number | undefined {
  return count(replicaSet.metadata?.annotations?.[DESIRED_REPLICAS]);
}

/** The most pods that the deployment allowed then. */
export function maxReplicasOf(replicaSet: V1ReplicaSet): number | undefined {
  return count(replicaSet.metadata?.annotations?.[MAX_REPLICAS]);
}

/** The two annotations that describe the deployment's present size. */
export function sizeAnnotations(deployment: V1Deployment): Annotations {
  const replicas = deployment.spec?.replicas ?? 0;
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + maxSurge(deployment)) };
}

/** True when a replica set says something else about the deployment's size. */
export function sizeAnnotationsDiffer(replicaSet: V1ReplicaSet, deployment: V1Deployment): boolean {
  return Object.entries(sizeAnnotations(deployment)).some(([key, value]) => replicaSet.metadata?.annotations?.[key] !== value);
}

/**
 * Annotations of the replica set of the current template: the deployment's own ones, and the revision, whose former values are kept as a history
 * when an old replica set becomes the current one again. Returns the given ones when nothing changes.
 */
export function currentAnnotations(deployment: V1Deployment, present: Annotations | undefined, revision: bigint): Annotations {
  const next: Record<string, string> = { ...present };
  for (const [key, value] of Object.entries(deployment.metadata?.annotations ?? {})) if (!OWN.has(key)) next[key] = value;
  const old = present?.[REVISION];
  if (old !== undefined && old !== '' && !/^-?\d+$/.test(old)) return same(present, next);
  if (BigInt(old || 0) < revision) {
    next[REVISION] = String(revision);
    if (old !== undefined) next[REVISION_HISTORY] = extendedHistory(present?.[REVISION_HISTORY] ?? '', old);
  }
  return same(present, next);
}

/** The deployment's annotations after a rollback: its own ones, and the copied ones of the replica set. */
export function rolledBackAnnotations(deployment: V1Deployment, replicaSet: V1ReplicaSet): Annotations {
  const next: Record<string, string> = {};
  for (const [key, value] of Object.entries(deployment.metadata?.annotations ?? {})) if (OWN.has(key)) next[key] = value;
  for (const [key, value] of Object.entries(replicaSet.metadata?.annotations ?? {})) if (!OWN.has(key)) next[key] = value;
  return next;
}

function extendedHistory(history: string, revision: string): string {
  const revisions = history === '' ? [] : history.split(',');
  while (revisions.length > 0 && [...revisions, revision].join(',').length > MAX_HISTORY_CHARACTERS) revisions.shift();
  return [...revisions, revision].join(',');
}

function same(present: Annotations | undefined, next: Annotations): Annotations {
  const keys = Object.keys(next);
  return present && keys.length === Object.keys(present).length && keys.every((key) => present[key] === next[key]) ? present : next;
}

function count(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 2 ** 31 - 1 ? value : undefined;
}
