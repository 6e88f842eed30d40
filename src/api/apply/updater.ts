import type { Steps } from '../../base/steps.js';
import type { ApplyType } from './apply-type.js';
import type { Comparison } from './compare.js';
import { compareSteps } from './compare-steps.js';
import { ApplyConflict, conflictsWith, type Conflict } from './conflict.js';
import { fieldSetSteps } from './field-set.js';
import { differenceSteps, intersectionSteps, isWithinSteps, unionSteps } from './field-tree-steps.js';
import { isEmpty, LEAF, type FieldTree } from './field-tree.js';
import { dropEmpty, withFields, type ManagedEntry, type ManagedSet } from './managed-set.js';
import { mergeSteps } from './merge.js';
import { reconcileSteps, withNamedSteps } from './reconcile.js';
import { removeSteps } from './remove.js';
import { sameValueSteps } from './same-value-steps.js';
import { convertObject, type ApplyVersion, type ApplyVersions } from './versions.js';

/** Leaves out of a set what a way of writing cannot change. */
export type FieldFilter = (fields: FieldTree) => FieldTree;

/** Who writes, as what, in which version. */
export interface Writer {
  readonly id: string;
  /** Without fields and time. */
  readonly entry: ManagedEntry;
}

/** Ownership through updates and applies of objects of one kind, asked with one version. Source: KEP-555, and the behaviour of upstream's library. */
export class Updater {
  constructor(
    private readonly versions: ApplyVersions,
    private readonly apiVersion: string,
    private readonly filter: FieldFilter | undefined,
  ) {}

  /**
   * What a change by anything but an apply does to ownership: everything that changed is the writer's alone. Changes `managed`; returns what the
   * writer has changed, to be added to what it owns (the entry with the id `writer`). `live` and `next` are of the asked version.
   */
  *update(live: unknown, next: unknown, managed: ManagedSet, writer: string): Steps<FieldTree> {
    yield* this.reconcile(managed, false);
    const { type, checked } = this.version(this.apiVersion);
    const change = yield* compareSteps(type, live, next, checked);
    if (change === undefined) {
      dropUnknown(managed, this.versions);
      return LEAF;
    }
    yield;
    const filtered = this.filtered(change);
    yield;
    yield* this.settle(live, next, managed, filtered, writer, undefined, checked);
    yield;
    return yield* unionSteps(filtered.modified, filtered.added);
  }

  /**
   * Lays a configuration over an object. Changes `managed`, in which the writer owns what it has configured; what it owned before, has left out now and
   * nobody else owns is removed. `config` must have been checked against the type. Throws an {@link ApplyConflict} unless `force`. Returns undefined
   * when the object stays as it is.
   */
  *apply(live: unknown, config: unknown, managed: ManagedSet, writer: Writer, force: boolean): Steps<unknown> {
    yield* this.reconcile(managed, true);
    const { type } = this.version(this.apiVersion);
    let next = yield* mergeSteps(type, live, config);
    yield;
    const last = managed.get(writer.id);
    const set = yield* fieldSetSteps(type, config);
    yield;
    const fields = this.filter ? this.filter(set) : set;
    managed.set(writer.id, { ...writer.entry, time: last?.time, fields });
    next = yield* this.prune(next, managed, last, fields);
    yield;
    // Without others there is nobody to be in conflict with.
    if (managed.size > 1) {
      const change = yield* compareSteps(type, live, next, false);
      yield;
      yield* this.settle(live, next, managed, change && this.filtered(change), writer.id, force, false);
    }
    dropEmpty(managed);
    yield;
    return (yield* sameValueSteps(live, next)) ? undefined : next;
  }

  /** Takes what changed from everybody but `writer`. `force` undefined: an update, by which the writer loses what it has removed. */
  private *settle(live: unknown, next: unknown, managed: ManagedSet, own: Comparison | undefined, writer: string, force: boolean | undefined, checked: boolean): Steps<void> {
    const changes = new Map<string, Change | undefined>([[this.apiVersion, own && (yield* changeOf(own))]]);
    const conflicts: (readonly [id: string, found: Conflict[]])[] = [];
    const after: ManagedSet = new Map();
    for (const [id, entry] of managed) {
      if (id === writer && force !== undefined) continue;
      if (!this.versions(entry.apiVersion)) {
        managed.delete(id);
        continue;
      }
      yield;
      if (!changes.has(entry.apiVersion)) changes.set(entry.apiVersion, yield* this.changeIn(entry.apiVersion, live, next, checked));
      const change = changes.get(entry.apiVersion);
      if (change === undefined) continue;
      if (id === writer) {
        // It gets back at once what it would lose.
        managed.set(id, withFields(entry, yield* differenceSteps(entry.fields, change.removed)));
        continue;
      }
      const taken = yield* intersectionSteps(entry.fields, change.taken);
      if (force === false && !isEmpty(taken)) conflicts.push([managerText(entry), yield* conflictsWith(entry, taken)]);
      const left = yield* differenceSteps(entry.fields, taken);
      after.set(id, withFields(entry, yield* differenceSteps(left, change.removed)));
    }
    if (conflicts.length > 0) throw new ApplyConflict(conflicts.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, found]) => found));
    for (const [id, entry] of after) managed.set(id, entry);
    dropEmpty(managed);
  }

  private *changeIn(apiVersion: string, live: unknown, next: unknown, checked: boolean): Steps<Change | undefined> {
    const { type } = this.version(apiVersion);
    const change = yield* compareSteps(type, this.to(live, apiVersion), this.to(next, apiVersion), checked);
    return change && (yield* changeOf(this.filtered(change)));
  }

  private filtered(change: Comparison): Comparison {
    const { filter } = this;
    return filter ? { added: filter(change.added), modified: filter(change.modified), removed: filter(change.removed) } : change;
  }

  private *prune(merged: unknown, managed: ManagedSet, last: ManagedEntry | undefined, configured: FieldTree): Steps<unknown> {
    if (last === undefined || isEmpty(last.fields)) return merged;
    const version = this.versions(last.apiVersion);
    if (version === undefined) return merged;
    // Nothing has been given up.
    if (last.apiVersion === this.apiVersion && (yield* isWithinSteps(last.fields, configured))) return merged;
    const object = this.to(merged, last.apiVersion);
    const named = yield* withNamedSteps(version.type, last.fields);
    let pruned: unknown = (yield* removeSteps(version.type, object, named)) ?? {};
    yield;
    pruned = yield* this.addBackOwned(object, pruned, last.apiVersion, managed);
    // What the writer did not own before is not its to remove.
    const left = yield* namedFieldsOf(version.type, pruned);
    const all = yield* namedFieldsOf(version.type, object);
    const gone = yield* differenceSteps(all, left);
    const removable = yield* intersectionSteps(gone, named);
    pruned = (yield* removeSteps(version.type, object, removable)) ?? {};
    return convertObject(this.versions, pruned, last.apiVersion, this.apiVersion);
  }

  /** Puts back what others own, or the writer still does. */
  private *addBackOwned(merged: unknown, pruned: unknown, apiVersion: string, managed: ManagedSet): Steps<unknown> {
    const owned = new Map<string, FieldTree>([[apiVersion, LEAF]]);
    for (const entry of managed.values()) {
      owned.set(entry.apiVersion, yield* unionSteps(owned.get(entry.apiVersion), entry.fields));
    }
    let result = pruned;
    for (const [name, fields] of owned) {
      const version = this.versions(name);
      if (version === undefined) continue;
      yield;
      const back = yield* addBack(version, convertObject(this.versions, merged, apiVersion, name), convertObject(this.versions, result, apiVersion, name), fields);
      result = convertObject(this.versions, back, name, apiVersion);
    }
    return result;
  }

  private *reconcile(managed: ManagedSet, always: boolean): Steps<void> {
    for (const [id, entry] of managed) {
      const version = this.versions(entry.apiVersion);
      if (version === undefined || !(always || version.changes || entry.source === undefined)) continue;
      const fields = yield* reconcileSteps(version.type, entry.fields);
      if (fields !== entry.fields) managed.set(id, withFields(entry, fields));
    }
  }

  private to(object: unknown, apiVersion: string): unknown {
    return convertObject(this.versions, object, this.apiVersion, apiVersion);
  }

  private version(apiVersion: string): ApplyVersion {
    return this.versions(apiVersion)!;
  }
}

/** A {@link Comparison} as others see it. */
interface Change {
  /** What has changed hands. */
  readonly taken: FieldTree;
  readonly removed: FieldTree;
}

function* changeOf({ added, modified, removed }: Comparison): Steps<Change> {
  return { taken: yield* unionSteps(modified, added), removed };
}

/** Conflicts are told in the order of this text. */
function managerText({ manager, operation, apiVersion, subresource }: ManagedEntry): string {
  return JSON.stringify({ manager, operation, ...(operation === 'Apply' ? {} : { apiVersion }), ...(subresource === '' ? {} : { subresource }) });
}

function* addBack({ type }: ApplyVersion, merged: unknown, pruned: unknown, owned: FieldTree): Steps<unknown> {
  const all = yield* namedFieldsOf(type, merged);
  const left = yield* namedFieldsOf(type, pruned);
  const kept = yield* unionSteps(left, yield* withNamedSteps(type, owned));
  const gone = yield* differenceSteps(all, kept);
  return (yield* removeSteps(type, merged, gone)) ?? {};
}

function* namedFieldsOf(type: ApplyType, object: unknown): Steps<FieldTree> {
  return yield* withNamedSteps(type, yield* fieldSetSteps(type, object));
}

function dropUnknown(managed: ManagedSet, versions: ApplyVersions): void {
  for (const [id, entry] of managed) if (!versions(entry.apiVersion)) managed.delete(id);
}
