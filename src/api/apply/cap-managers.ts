import { union } from './field-tree.js';
import { managerId, withFields, type ManagedEntry, type ManagedSet } from './managed-set.js';

/** More entries of updates than this are merged into one per version, the oldest first. */
export const MAX_UPDATE_MANAGERS = 10;
const OLD_UPDATES = 'ancient-changes';

/** Keeps the number of entries in bounds. Changes its argument. */
export function capManagers(managed: ManagedSet): void {
  const updaters = [...managed].filter(([, entry]) => entry.operation === 'Update');
  let left = updaters.length;
  if (left <= MAX_UPDATE_MANAGERS) return;
  updaters.sort(([a, x], [b, y]) => (x.time ?? '') < (y.time ?? '') ? -1 : (x.time ?? '') > (y.time ?? '') ? 1 : a < b ? -1 : 1);
  const first = new Map<string, string>();
  for (const [id, entry] of updaters) {
    if (left <= MAX_UPDATE_MANAGERS) return;
    const { apiVersion } = entry;
    const earliest = first.get(apiVersion);
    if (earliest === undefined) {
      first.set(apiVersion, id);
      continue;
    }
    const bucket = managerId(OLD_UPDATES, 'Update', apiVersion, '');
    let base = managed.get(bucket);
    if (base === undefined) {
      base = managed.get(earliest)!;
      managed.delete(earliest);
    }
    managed.delete(id);
    managed.set(bucket, merged(base, entry));
    left--;
  }
}

function merged(base: ManagedEntry, entry: ManagedEntry): ManagedEntry {
  return { ...withFields({ ...base, time: undefined }, union(entry.fields, base.fields)), manager: OLD_UPDATES, operation: 'Update', apiVersion: base.apiVersion, subresource: '', time: entry.time };
}
