import { LEAF, union, type FieldTree } from './field-tree.js';
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
  const buckets = new Map<string, Bucket>();
  for (const [id, entry] of updaters) {
    if (left <= MAX_UPDATE_MANAGERS) break;
    const { apiVersion } = entry;
    const earliest = first.get(apiVersion);
    if (earliest === undefined) {
      first.set(apiVersion, id);
      continue;
    }
    const name = managerId(OLD_UPDATES, 'Update', apiVersion, '');
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      // An earlier one, or the first of this version becomes it.
      const base = managed.get(name) ?? managed.get(earliest)!;
      if (!managed.has(name)) managed.delete(earliest);
      buckets.set(name, (bucket = { base, last: base, fields: [base.fields] }));
    }
    managed.delete(id);
    bucket.last = entry;
    bucket.fields.push(entry.fields);
    left--;
  }
  for (const [name, bucket] of buckets) managed.set(name, merged(bucket));
}

/** Entries that become one. */
interface Bucket {
  readonly base: ManagedEntry;
  last: ManagedEntry;
  readonly fields: FieldTree[];
}

function merged({ base, last, fields }: Bucket): ManagedEntry {
  return { ...withFields({ ...base, time: undefined }, unionOfAll(fields)), manager: OLD_UPDATES, operation: 'Update', apiVersion: base.apiVersion, subresource: '', time: last.time };
}

/** Two by two: thousands of sets are not each copied for the next. */
function unionOfAll(sets: readonly FieldTree[]): FieldTree {
  let rest = sets;
  while (rest.length > 1) {
    const next: FieldTree[] = [];
    for (let i = 0; i < rest.length; i += 2) next.push(union(rest[i], rest[i + 1]));
    rest = next;
  }
  return rest[0] ?? LEAF;
}
