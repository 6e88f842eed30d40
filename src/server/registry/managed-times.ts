import type { V1ManagedFieldsEntry } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { jsonEqual } from './equal.js';

/** The object with the times that its managed fields had before, when nothing but such times has changed: writes that change nothing store nothing. */
export function withOldTimes(next: KubeObject, old: KubeObject): KubeObject {
  const after = next.metadata?.managedFields;
  const before = old.metadata?.managedFields;
  if (after === undefined || before === undefined || after.length !== before.length || after.every((entry, i) => entry.time === before[i]!.time)) return next;
  if (!after.every((entry, i) => sameButTime(entry, before[i]!))) return next;
  const { resourceVersion: _version, ...metadata } = old.metadata!;
  const { resourceVersion: _next, ...rest } = next.metadata!;
  const reverted = { ...rest, managedFields: before };
  if (!jsonEqual({ ...next, metadata: reverted }, { ...old, metadata })) return next;
  return { ...next, metadata: { ...next.metadata, managedFields: before } };
}

function sameButTime({ time: _a, ...a }: V1ManagedFieldsEntry, { time: _b, ...b }: V1ManagedFieldsEntry): boolean {
  return jsonEqual(a, b);
}
