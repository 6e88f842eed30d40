/** Metadata that a status update of some kinds may not change, besides the fields that nobody may. */
const STATUS_METADATA = ['deletionTimestamp', 'generation', 'selfLink', 'labels', 'annotations', 'finalizers', 'ownerReferences'];

/** Puts the named fields of the draft back to what they are in the stored object, absent ones included. */
export function restore(draft: object, old: object, ...fields: readonly string[]): void {
  const target = draft as Record<string, unknown>;
  const source = old as Readonly<Record<string, unknown>>;
  for (const field of fields) {
    if (source[field] === undefined) delete target[field];
    else target[field] = source[field];
  }
}

/** Puts back the metadata that status updates of the stricter kinds leave alone (labels, annotations, finalizers, owners). In place. */
export function restoreMetadata(draft: { metadata?: object }, old: { readonly metadata?: object }): void {
  draft.metadata ??= {};
  restore(draft.metadata, old.metadata ?? {}, ...STATUS_METADATA);
}

/** Puts back all metadata but what is written anew with every update (resource version, managed fields). In place. */
export function restoreAllMetadata(draft: { metadata?: object }, old: { readonly metadata?: object }): void {
  draft.metadata ??= {};
  const fields = new Set([...Object.keys(draft.metadata), ...Object.keys(old.metadata ?? {})]);
  for (const field of ['resourceVersion', 'managedFields']) fields.delete(field);
  restore(draft.metadata, old.metadata ?? {}, ...fields);
}
