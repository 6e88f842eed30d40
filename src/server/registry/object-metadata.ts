import type { Draft } from '../../api/draft.js';
import type { V1ObjectMeta, V1OwnerReference } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { badRequestError } from '../../api/status-error.js';
import { jsonEqual } from './equal.js';

/** Names are cut so that the random suffix still fits into 63 characters. */
const LONGEST_BASE = 58;

/** `metadata` of a draft, made when it is missing. */
export function metadataOf(draft: Draft<KubeObject>): Draft<V1ObjectMeta> {
  return (draft.metadata ??= {});
}

/** Clears what only the server sets. */
export function wipeSystemFields(metadata: Draft<V1ObjectMeta>): void {
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Puts the request's namespace in, or refuses another one. `namespace` is empty for cluster-scoped resources. */
export function ensureNamespace(metadata: Draft<V1ObjectMeta>, namespace: string): void {
  const own = metadata.namespace ?? '';
  if (own === namespace) return;
  if (own === '') metadata.namespace = namespace;
  else if (namespace === '') delete metadata.namespace;
  else throw badRequestError('the namespace of the provided object does not match the namespace sent on the request');
}

/** A name from a `generateName`. */
export function generatedName(base: string, suffix: string): string {
  return (base.length > LONGEST_BASE ? base.slice(0, LONGEST_BASE) : base) + suffix;
}

/** Removes repeated owner references; returns the UIDs of those removed. */
export function dedupOwnerReferences(metadata: Draft<V1ObjectMeta>): string[] {
  const references = metadata.ownerReferences;
  if (!references || references.length < 2) return [];
  const kept: Draft<V1OwnerReference>[] = [];
  const duplicates: string[] = [];
  // Equal ones have equal UIDs, and few have the same: thousands need not be compared with each other.
  const byUid = new Map<unknown, Draft<V1OwnerReference>[]>();
  for (const reference of references) {
    const alike = byUid.get(reference.uid);
    if (alike?.some((other) => jsonEqual(other, reference))) {
      duplicates.push(reference.uid);
      continue;
    }
    if (alike) alike.push(reference);
    else byUid.set(reference.uid, [reference]);
    kept.push(reference);
  }
  if (duplicates.length > 0) metadata.ownerReferences = kept;
  return duplicates;
}

/** The warning about repeated owner references. */
export function ownerReferenceWarning(duplicates: readonly string[], afterAdmission: boolean): string {
  const when = afterAdmission ? ' after mutating admission happens' : '';
  return `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`;
}
