import type { V1OwnerReference } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { apiVersionOf, type KubeList, type KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';
import { alreadyExistsError, conflictError, notFoundError, optimisticLockMessage } from '../../api/status-error.js';
import type { Clock } from '../../base/clock.js';
import type { Random } from '../../base/random.js';
import type { DeleteOptions, ListOptions } from '../../client/index.js';
import { timestamp } from '../../api/meta/timestamp.js';

/** A JSON object under construction. */
export type Fields = Record<string, unknown>;

/** A change of a collection. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
}

/** What all collections of a fake API share. */
export interface CollectionContext {
  readonly clock: Clock;
  readonly random: Random;
  /** The next resource version. */
  nextVersion(): string;
  /** Called after each change, at once. */
  changed(ref: ResourceRef, change: Change): void;
  /** Pods on a node get a deletion timestamp first, as if their node agent had to stop them. */
  readonly gracefulPods: boolean;
}

/** One resource of the fake API: the rules of the generic registry that controllers depend on. */
export class MemoryCollection {
  readonly objects = new Map<string, KubeObject>();

  constructor(
    readonly ref: ResourceRef,
    private readonly context: CollectionContext,
  ) {}

  get(namespace: string, name: string): KubeObject {
    const object = this.objects.get(keyIn(namespace, name));
    if (!object) throw notFoundError(this.ref, name);
    return object;
  }

  list(namespace: string, options: ListOptions = {}): KubeList {
    const selector = options.labelSelector ? LabelSelector.parse(options.labelSelector) : LabelSelector.everything;
    const fields = (options.fieldSelector ?? '').split(',').filter((term) => term !== '');
    const items = [...this.objects.values()].filter((object) =>
      (namespace === '' || object.metadata?.namespace === namespace) && selector.matches(object.metadata?.labels) && fields.every((term) => matchesField(object, term)));
    return { metadata: { resourceVersion: '0' }, items };
  }

  create(object: KubeObject): KubeObject {
    const { random, clock } = this.context;
    const name = object.metadata?.name ?? `${object.metadata?.generateName ?? ''}${random.suffix(5)}`;
    const namespace = this.ref.namespaced ? (object.metadata?.namespace ?? '') : '';
    if (this.objects.has(keyIn(namespace, name))) throw alreadyExistsError(this.ref, name);
    const created: KubeObject = {
      ...object,
      apiVersion: apiVersionOf(this.ref),
      kind: this.ref.kind,
      metadata: {
        ...object.metadata,
        name,
        ...(namespace ? { namespace } : {}),
        uid: object.metadata?.uid ?? random.uuid(),
        creationTimestamp: object.metadata?.creationTimestamp ?? timestamp(clock.now()),
        generation: 1,
      },
    };
    return this.store(created, undefined);
  }

  /** `subresource` is `status` (only the status is taken) or empty (everything but the status is). */
  update(object: KubeObject, subresource: string): KubeObject {
    const old = this.get(object.metadata?.namespace ?? '', object.metadata?.name ?? '');
    const version = object.metadata?.resourceVersion;
    if (version !== undefined && version !== '' && version !== old.metadata?.resourceVersion) throw conflictError(this.ref, old.metadata?.name ?? '', optimisticLockMessage);
    if (object.metadata?.uid !== undefined && object.metadata.uid !== old.metadata?.uid) throw conflictError(this.ref, old.metadata?.name ?? '', 'Precondition failed: UID in object meta');
    if (subresource === 'status') return this.store({ ...old, ...pick(object, 'status'), metadata: { ...old.metadata, ...pickMetadata(object) } }, old);
    const rest: Fields = { ...object };
    delete rest['status'];
    const next = { ...rest, ...pick(old, 'status') } as KubeObject;
    const specChanged = !deepEqual(pick(next, 'spec'), pick(old, 'spec'));
    return this.store(
      {
        ...next,
        apiVersion: apiVersionOf(this.ref),
        kind: this.ref.kind,
        metadata: {
          ...next.metadata,
          ...identity(old),
          generation: (old.metadata?.generation ?? 1) + (specChanged ? 1 : 0),
        },
      },
      old,
    );
  }

  delete(namespace: string, name: string, options: DeleteOptions): void {
    const old = this.get(namespace, name);
    const { uid, resourceVersion } = options.preconditions ?? {};
    if (uid !== undefined && uid !== old.metadata?.uid) throw conflictError(this.ref, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata?.uid ?? ''}`);
    if (resourceVersion !== undefined && resourceVersion !== old.metadata?.resourceVersion) throw conflictError(this.ref, name, 'Precondition failed: resourceVersion');
    const finalizers = new Set(old.metadata?.finalizers ?? []);
    if (options.propagationPolicy) {
      finalizers.delete('orphan');
      finalizers.delete('foregroundDeletion');
      if (options.propagationPolicy === 'Orphan') finalizers.add('orphan');
      if (options.propagationPolicy === 'Foreground') finalizers.add('foregroundDeletion');
    }
    const graceful = this.context.gracefulPods && this.ref.resource === 'pods' && options.gracePeriodSeconds !== 0;
    const holdsContent = this.ref.resource === 'namespaces' && ((old as { spec?: { finalizers?: readonly string[] } }).spec?.finalizers ?? []).length > 0;
    if (finalizers.size === 0 && !graceful && !holdsContent) return this.remove(old);
    if (old.metadata?.deletionTimestamp && deepEqual([...finalizers], old.metadata.finalizers)) return;
    this.store({
      ...old,
      metadata: {
        ...old.metadata,
        ...(finalizers.size > 0 ? { finalizers: [...finalizers] } : {}),
        deletionTimestamp: old.metadata?.deletionTimestamp ?? timestamp(this.context.clock.now()),
        deletionGracePeriodSeconds: graceful ? 30 : 0,
        generation: (old.metadata?.generation ?? 1) + 1,
      },
    }, old);
  }

  /** Puts an object as it is, for a test's own purposes. */
  store(object: KubeObject, old: KubeObject | undefined): KubeObject {
    if (old && deepEqual(object, old)) return old;
    const stored = deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: this.context.nextVersion() } });
    const key = keyIn(stored.metadata.namespace ?? '', stored.metadata.name ?? '');
    this.objects.set(key, stored);
    this.context.changed(this.ref, { type: old ? 'MODIFIED' : 'ADDED', object: stored, previous: old });
    // The last finalizer of a deleted object went away.
    if (stored.metadata.deletionTimestamp && (stored.metadata.finalizers ?? []).length === 0 && (stored.metadata.deletionGracePeriodSeconds ?? 0) === 0 && this.ref.resource !== 'namespaces') this.remove(stored);
    return stored;
  }

  remove(object: KubeObject): void {
    this.objects.delete(keyIn(object.metadata?.namespace ?? '', object.metadata?.name ?? ''));
    const last = deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: this.context.nextVersion() } });
    this.context.changed(this.ref, { type: 'DELETED', object: last, previous: object });
  }
}

function identity(old: KubeObject): Fields {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = old.metadata ?? {};
  return { uid, creationTimestamp, ...(deletionTimestamp ? { deletionTimestamp, deletionGracePeriodSeconds } : {}) };
}

function pick(object: KubeObject, field: string): Fields {
  const value = (object as Fields)[field];
  return value === undefined ? {} : { [field]: value };
}

function matchesField(object: KubeObject, term: string): boolean {
  const [, path = '', operator, value] = /^([^=!]+)(!=|==?)(.*)$/.exec(term) ?? [];
  let current: unknown = object;
  for (const part of path.split('.')) current = (current as Fields | undefined)?.[part];
  const equal = String(current ?? '') === value;
  return operator === '!=' ? !equal : equal;
}

function keyIn(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}

/** Merge keys of lists that a strategic patch merges; other lists are replaced. */
const MERGE_KEYS: Readonly<Record<string, string>> = { ownerReferences: 'uid', conditions: 'type', taints: 'key', containers: 'name' };

/** Applies a merge or strategic merge patch. */
export function applyPatch(target: unknown, patch: unknown, strategic: boolean, field = ''): unknown {
  if (Array.isArray(patch) && strategic && MERGE_KEYS[field] !== undefined) return mergeList(Array.isArray(target) ? (target as Fields[]) : [], patch as Fields[], MERGE_KEYS[field], strategic);
  if (strategic && Array.isArray(patch) && field === 'finalizers') return [...new Set([...(Array.isArray(target) ? (target as unknown[]) : []), ...(patch as unknown[])])];
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Fields = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...(target as Fields) } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$deleteFromPrimitiveList/')) {
      const list = key.slice('$deleteFromPrimitiveList/'.length);
      result[list] = ((result[list] as unknown[] | undefined) ?? []).filter((item) => !(value as unknown[]).includes(item));
    } else if (value === null) delete result[key];
    else if (value !== undefined) result[key] = applyPatch(result[key], value, strategic, key);
  }
  return result;
}

function mergeList(target: readonly Fields[], patch: readonly Fields[], key: string, strategic: boolean): Fields[] {
  let result = [...target];
  for (const item of patch) {
    const index = result.findIndex((other) => other[key] === item[key]);
    if (item['$patch'] === 'delete') result = result.filter((_, i) => i !== index);
    else if (index < 0) result.push(item);
    else result[index] = applyPatch(result[index], item, strategic) as Fields;
  }
  return result;
}

/** For tests that build objects: a controller reference. */
export function ownerReferenceTo(owner: KubeObject, controller = true): V1OwnerReference {
  return { apiVersion: owner.apiVersion ?? '', kind: owner.kind ?? '', name: owner.metadata?.name ?? '', uid: owner.metadata?.uid ?? '', controller, blockOwnerDeletion: true };
}

/** Workloads' controllers write annotations together with the status. */
/** What of the metadata a write of the status changes. */
function pickMetadata({ metadata }: KubeObject): Fields {
  return { ...(metadata?.annotations ? { annotations: metadata.annotations } : {}), ...(metadata?.finalizers ? { finalizers: metadata.finalizers } : {}) };
}
