import { atOnce, type Steps } from '../../base/steps.js';
import type { V1ManagedFieldsEntry } from '../generated/types.js';
import { ConversionPending } from '../scheme/late-conversion.js';
import { capManagers, MAX_UPDATE_MANAGERS } from './cap-managers.js';
import { ApplyConflict } from './conflict.js';
import { differenceSteps, sameTreeSteps, unionSteps } from './field-tree-steps.js';
import { hasPath, isEmpty, LEAF, type FieldTree } from './field-tree.js';
import { lastAppliedFields, syncLastApplied } from './last-applied.js';
import { managerId, readManaged, readSentManaged, writeManaged, type ManagedEntry, type ManagedSet } from './managed-set.js';
import { sameValueSteps } from './same-value-steps.js';
import { shapeOf } from './shape.js';
import { Updater, type FieldFilter, type Writer } from './updater.js';
import { checkTypedSteps } from './validate.js';
import type { ApplyVersions } from './versions.js';

/** Fields that nobody owns. */
const STRIPPED: FieldTree = {
  'f:apiVersion': LEAF,
  'f:kind': LEAF,
  'f:metadata': {
    '.': LEAF,
    'f:name': LEAF, 'f:namespace': LEAF, 'f:creationTimestamp': LEAF, 'f:selfLink': LEAF, 'f:uid': LEAF, 'f:clusterName': LEAF, 'f:generation': LEAF, 'f:managedFields': LEAF,
    'f:resourceVersion': LEAF,
  },
};

/** Owns what was there when an object without managed fields is applied to for the first time. */
const BEFORE_FIRST_APPLY = 'before-first-apply';
/** Applies of this manager take over from its client-side applies. */
const KUBECTL = 'kubectl';

/** This many shapes of new objects are remembered for a kind, of at most this many characters. */
const MAX_SHAPES = 64;
const MAX_SHAPE_LENGTH = 8192;

type Entries = readonly V1ManagedFieldsEntry[];

/** Objects as far as ownership looks at them. */
interface Owned {
  readonly metadata?: { readonly managedFields?: Entries; readonly annotations?: Readonly<Record<string, string>> };
}

/** What a field manager must know about the kind, the asked version and the way of writing. */
export interface FieldManagerOptions {
  readonly versions: ApplyVersions;
  /** The version that is asked with. */
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** An object of that version without anything set, as new objects are compared with. */
  readonly empty: object;
  /** Leaves out the fields that this way of writing cannot change. */
  readonly filter?: FieldFilter;
}

/** What an apply comes to. */
export interface Applied {
  /** In the asked version, without defaults; undefined: as it was, but for {@link managedFields}. */
  readonly object: object | undefined;
  readonly managedFields: Entries | undefined;
}

/**
 * Keeps `metadata.managedFields` through one way of writing objects (a version and a subresource). Pure; times are given.
 * Source: KEP-555 and upstream's `managedfields`.
 */
export class FieldManager {
  private readonly updater: Updater;
  /** What new objects of a shape own, for those that were created last. */
  private readonly shapes = new Map<string, FieldTree>();

  constructor(private readonly options: FieldManagerOptions) {
    this.updater = new Updater(options.versions, options.apiVersion, options.filter);
  }

  /**
   * The managed fields after a create (`live` undefined), an update or a patch. Both objects are of the asked version; `next` as the client wants it,
   * with its own managed fields. `now` is RFC 3339 in whole seconds. Undefined: none. A list that does not fit its type is owned by nobody.
   */
  update(live: Owned | undefined, next: Owned, manager: string, now: string): Entries | undefined {
    return atOnce(this.updateSteps(live, next, manager, now));
  }

  /** {@link update} with pauses, for objects with very many fields. */
  *updateSteps(live: Owned | undefined, next: Owned, manager: string, now: string): Steps<Entries | undefined> {
    const managed = yield* this.startingPoint(live, next);
    yield;
    // Objects whose managed fields were taken away stay without.
    if (managed.size === 0 && live !== undefined) return undefined;
    try {
      if (live === undefined && managed.size === 0) return yield* this.create(next, manager, now);
      const version = this.options.versions(this.options.apiVersion)!;
      if (!version.checked) {
        yield* checkTypedSteps(version.type, next, true);
      }
      yield* this.updateBy(live ?? this.options.empty, next, managed, manager, now);
    } catch (error) {
      if (error instanceof ConversionPending) throw error;
      return undefined;
    }
    return writeManaged(managed);
  }

  /**
   * An apply. `live` undefined: the object is created. `config` is what the client sent. Throws {@link ApplyConflict}, and a `TypedError` when the
   * configuration does not fit the type.
   */
  apply(live: Owned | undefined, config: object, manager: string, force: boolean, now: string): Applied {
    return atOnce(this.applySteps(live, config, manager, force, now));
  }

  /** {@link apply} with pauses, for objects with very many fields. */
  *applySteps(live: Owned | undefined, config: object, manager: string, force: boolean, now: string): Steps<Applied> {
    yield* checkTypedSteps(this.options.versions(this.options.apiVersion)!.type, config);
    yield;
    try {
      return yield* this.applyOnce(live, config, manager, force, now);
    } catch (error) {
      if (!(error instanceof ApplyConflict) || manager !== KUBECTL || live === undefined) throw error;
      const allowed = lastAppliedFields(this.options.versions(this.options.apiVersion)!.type, this.options.apiVersion, live);
      if (allowed === undefined) throw error;
      const rest = error.conflicts.filter(({ path }) => !hasPath(allowed, path));
      if (rest.length > 0) throw new ApplyConflict(rest);
      return yield* this.applyOnce(live, config, manager, true, now);
    }
  }

  private *applyOnce(live: Owned | undefined, config: object, manager: string, force: boolean, now: string): Steps<Applied> {
    const { empty } = this.options;
    const present = live ?? empty;
    const managed = readManaged(live?.metadata?.managedFields) ?? new Map<string, ManagedEntry>();
    if (managed.size === 0 && live !== undefined) yield* this.updateBy(empty, live, managed, BEFORE_FIRST_APPLY, now);
    const writer = this.writer(manager, 'Apply');
    const merged = (yield* this.updater.apply(present, config, managed, writer, force)) as (object & Owned) | undefined;
    yield;
    const own = managed.get(writer.id);
    if (own) {
      const fields = yield* differenceSteps(own.fields, STRIPPED);
      if (isEmpty(fields)) managed.delete(writer.id);
      else managed.set(writer.id, yield* this.applied(own, live, fields, merged === undefined ? own.time : now));
    }
    const object = manager === KUBECTL ? syncLastApplied(merged ?? (live as object | undefined), merged, config) : merged;
    return { object, managedFields: writeManaged(managed) };
  }

  /** Reuses the stored entry when it stays the same. */
  private *applied(own: ManagedEntry, live: Owned | undefined, fields: FieldTree, time: string | undefined): Steps<ManagedEntry> {
    const { manager, operation, apiVersion, subresource } = own;
    const source = live?.metadata?.managedFields?.find((entry) => entry.operation === operation && (entry.manager ?? '') === manager && (entry.subresource ?? '') === subresource);
    if (!source?.fieldsV1 || !(yield* sameTreeSteps(source.fieldsV1 as FieldTree, fields))) return { manager, operation, apiVersion, subresource, time, fields };
    // The stored set, whose text is known.
    const known = { manager, operation, apiVersion, subresource, time, fields: source.fieldsV1 as FieldTree };
    return source.apiVersion === apiVersion && source.time === time ? { ...known, source } : known;
  }

  /** A new object: its creator owns everything. Many are of one shape, which is found faster than the fields are listed. */
  private *create(next: Owned, manager: string, now: string): Steps<Entries | undefined> {
    const { versions, apiVersion, empty } = this.options;
    const shape = shapeOf(versions(apiVersion)!.type, next, MAX_SHAPE_LENGTH);
    yield;
    let fields = shape === undefined ? undefined : this.shapes.get(shape);
    const { id, entry } = this.writer(manager, 'Update');
    if (fields === undefined) {
      const added = yield* this.updater.update(empty, next, new Map(), id);
      yield;
      fields = yield* differenceSteps(added, STRIPPED);
      if (this.shapes.size >= MAX_SHAPES) this.shapes.clear();
      if (shape !== undefined) this.shapes.set(shape, fields);
    }
    return isEmpty(fields) ? undefined : writeManaged(new Map([[id, { ...entry, fields, time: now }]]));
  }

  private *updateBy(live: object, next: object, managed: ManagedSet, manager: string, now: string): Steps<void> {
    const { id, entry } = this.writer(manager, 'Update');
    const all = yield* this.updater.update(live, next, managed, id);
    yield;
    const changed = yield* differenceSteps(all, STRIPPED);
    if (!isEmpty(changed)) managed.set(id, { ...entry, fields: yield* unionSteps(managed.get(id)?.fields, changed), time: now });
    if (managed.size > MAX_UPDATE_MANAGERS) capManagers(managed);
  }

  /** The entries that the client sent, where they are any; otherwise the stored ones. */
  private *startingPoint(live: Owned | undefined, next: Owned): Steps<ManagedSet> {
    const stored = live?.metadata?.managedFields;
    const sent = next.metadata?.managedFields;
    const known = (): ManagedSet => readManaged(stored) ?? new Map<string, ManagedEntry>();
    if (this.options.subresource !== '' || sent === undefined || sent === stored) return known();
    if (isReset(sent)) return new Map();
    if (stored !== undefined && (yield* sameEntries(sent, stored))) return known();
    const managed = yield* readSentManaged(sent);
    return managed === undefined || managed.size === 0 ? known() : managed;
  }

  private writer(name: string, operation: 'Apply' | 'Update'): Writer {
    const { apiVersion, subresource } = this.options;
    const manager = name === '' ? 'unknown' : name;
    return { id: managerId(manager, operation, apiVersion, subresource), entry: { manager, operation, apiVersion, subresource, time: undefined, fields: LEAF } };
  }
}

/** `[]`, or one entry without anything: take all managed fields away. */
function isReset(sent: Entries): boolean {
  if (sent.length === 0) return true;
  return sent.length === 1 && Object.values(sent[0]!).every((value) => value === undefined || value === '');
}

function* sameEntries(a: Entries, b: Entries): Steps<boolean> {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!(yield* sameValueSteps(a[i], b[i]))) return false;
  return true;
}
