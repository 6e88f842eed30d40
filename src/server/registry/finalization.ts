import type { Draft } from '../../api/draft.js';
import type { V1CustomResourceDefinition, V1Namespace } from '../../api/generated/types.js';
import type { GroupResource, KubeObject } from '../../api/meta/object.js';
import type { KindDefinition } from '../../api/scheme/kind.js';
import { parseTimestamp, timestamp } from '../../api/meta/timestamp.js';

export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
/** Definitions of custom resources are there until their objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** Resources whose deletion is answered with the object rather than a Status. */
const RETURN_DELETED: ReadonlySet<string> = new Set([
  '/namespaces', '/persistentvolumes', '/persistentvolumeclaims', '/pods', '/podtemplates', '/resourcequotas', '/services', '/serviceaccounts',
  'resource.k8s.io/deviceclasses', 'resource.k8s.io/resourceclaims', 'resource.k8s.io/resourceclaimtemplates', 'resource.k8s.io/resourceslices',
  'storage.k8s.io/csidrivers', 'storage.k8s.io/csinodes', 'storage.k8s.io/storageclasses', 'storage.k8s.io/volumeattachments', 'storage.k8s.io/volumeattributesclasses',
]);

export function returnsDeletedObject(resource: GroupResource): boolean {
  return RETURN_DELETED.has(`${resource.group}/${resource.resource}`);
}

/** True while something has yet to finish before the object may go: its finalizers, and those in a namespace's spec. */
export function hasFinalizers(definition: KindDefinition, object: KubeObject): boolean {
  if ((object.metadata?.finalizers?.length ?? 0) > 0) return true;
  return isNamespace(definition) && ((object as V1Namespace).spec?.finalizers?.length ?? 0) > 0;
}

/** An update that takes the last finalizer off an object that is being deleted deletes it. */
export function isDeletedByUpdate(definition: KindDefinition, next: KubeObject, old: KubeObject): boolean {
  if (hasFinalizers(definition, next) || !old.metadata?.deletionTimestamp) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** Marks an object that cannot go yet: deleted now, no grace. */
export function markDeleting(definition: KindDefinition, draft: Draft<KubeObject>, now: number): void {
  const metadata = (draft.metadata ??= {});
  if (isNamespace(definition)) {
    metadata.deletionTimestamp ??= timestamp(now);
    const namespace = draft as Draft<V1Namespace>;
    namespace.status = { ...namespace.status, phase: 'Terminating' };
    return;
  }
  if (isDefinition(definition)) {
    metadata.deletionTimestamp ??= timestamp(now);
    const { status } = draft as Draft<V1CustomResourceDefinition>;
    const pending = {
      type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      lastTransitionTime: timestamp(now),
    };
    const others = (status?.conditions ?? []).filter(({ type }) => type !== 'Terminating');
    (draft as Draft<V1CustomResourceDefinition>).status = { ...status, conditions: [...others, pending] } as Draft<NonNullable<V1CustomResourceDefinition['status']>>;
    return;
  }
  if (!metadata.deletionTimestamp && (metadata.generation ?? 0) > 0) metadata.generation = metadata.generation! + 1;
  const at = parseTimestamp(metadata.deletionTimestamp);
  if (at === undefined || at > now) metadata.deletionTimestamp = timestamp(now);
  metadata.deletionGracePeriodSeconds = 0;
}

/** What a client asked for about dependents. */
export interface PropagationOptions {
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
}

/** The finalizers that an object has after the garbage collector's ones were set as the options, the object and its kind say. */
export function propagationFinalizers(definition: KindDefinition, finalizers: readonly string[], options: PropagationOptions): string[] {
  // Events have no dependents.
  if (definition.kind === 'Event') return finalizers.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER);
  const rest = finalizers.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER);
  const asked = askedFinalizer(definition, finalizers, options);
  return asked === undefined ? rest : [...rest, asked];
}

function askedFinalizer(definition: KindDefinition, finalizers: readonly string[], options: PropagationOptions): string | undefined {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? ORPHAN_FINALIZER : undefined;
  switch (options.propagationPolicy) {
    case 'Orphan':
      return ORPHAN_FINALIZER;
    case 'Foreground':
      return FOREGROUND_FINALIZER;
    case 'Background':
      return undefined;
  }
  const present = finalizers.find((name) => name === ORPHAN_FINALIZER || name === FOREGROUND_FINALIZER);
  return present ?? (definition.orphanDependentsByDefault ? ORPHAN_FINALIZER : undefined);
}

/** Finalizers that deletion itself puts on objects of a kind: their objects must go before a definition does. */
export function finalizersAtDeletion(definition: KindDefinition, object: KubeObject): readonly string[] {
  return isDefinition(definition) && !object.metadata?.deletionTimestamp ? [CLEANUP_FINALIZER] : [];
}

function isDefinition(definition: KindDefinition): boolean {
  return definition.kind === 'CustomResourceDefinition' && definition.group === 'apiextensions.k8s.io';
}

function isNamespace(definition: KindDefinition): boolean {
  return definition.kind === 'Namespace' && definition.group === '';
}
