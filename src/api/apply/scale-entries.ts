import type { V1ManagedFieldsEntry } from '../generated/types.js';
import { difference, hasPath, isEmpty, treeOfPath } from './field-tree.js';
import { readManaged, withFields, writeManaged, type ManagedEntry, type ManagedSet } from './managed-set.js';
import { fieldElement, type PathElement } from './path-element.js';

const SCALE_VERSION = 'autoscaling/v1';
const SCALE_REPLICAS = ['f:spec', 'f:replicas'];
const SCALE_FIELDS = treeOfPath(SCALE_REPLICAS);

type Entries = readonly V1ManagedFieldsEntry[];

/** The owners of an object's replicas as owners of its scale, and back. `path` is where the replicas are in objects of `apiVersion`. */
export class ScaleEntries {
  private readonly path: readonly PathElement[];

  constructor(
    private readonly apiVersion: string,
    /** Dotted: `.spec.replicas`. */
    path: string,
  ) {
    this.path = path.split('.').filter((name) => name !== '').map(fieldElement);
  }

  /** The managed fields of the scale. */
  ofScale(parent: Entries | undefined): Entries | undefined {
    const managed: ManagedSet = new Map();
    for (const [id, entry] of readManaged(parent) ?? []) {
      if (entry.apiVersion === this.apiVersion && hasPath(entry.fields, this.path)) managed.set(id, moved(entry, SCALE_VERSION, SCALE_FIELDS));
    }
    return writeManaged(managed);
  }

  /** The managed fields of the object after its scale was written. */
  ofParent(parent: Entries | undefined, scale: Entries | undefined): Entries | undefined {
    const before = readManaged(parent) ?? new Map<string, ManagedEntry>();
    const owners = readManaged(scale) ?? new Map<string, ManagedEntry>();
    const result: ManagedSet = new Map();
    for (const [id, entry] of before) {
      if (entry.apiVersion !== this.apiVersion) continue;
      if (!hasPath(entry.fields, this.path)) {
        result.set(id, entry);
      } else if (owners.delete(id)) {
        result.set(id, entry);
      } else {
        // Whoever has scaled owns the replicas now.
        const fields = difference(entry.fields, treeOfPath(this.path));
        if (!isEmpty(fields)) result.set(id, withFields(entry, fields));
      }
    }
    for (const [id, entry] of owners) {
      if (hasPath(entry.fields, SCALE_REPLICAS)) result.set(id, { ...moved(entry, this.apiVersion, treeOfPath(this.path)), time: before.get(id)?.time });
    }
    return writeManaged(result);
  }
}

function moved({ manager, operation, subresource, time }: ManagedEntry, apiVersion: string, fields: ManagedEntry['fields']): ManagedEntry {
  return { manager, operation, subresource, time, apiVersion, fields };
}
