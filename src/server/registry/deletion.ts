import { toDraftSteps } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import { conflictError, optimisticLockMessage } from '../../api/status-error.js';
import { pause, run } from '../../base/steps.js';
import { CacheEntry } from './cache-entry.js';
import { finalizersAtDeletion, hasFinalizers, markDeleting, propagationFinalizers } from './finalization.js';
import type { ObjectRegistry } from './object-registry.js';
import { writeOptimistically } from './optimistic-write.js';
import { LARGE_BYTES } from './large.js';
import { objectKey } from './resource-key.js';
import { parseTimestamp, timestamp } from '../../api/meta/timestamp.js';
import type { DeleteRequest } from './write-request.js';

/** A deletion that loses against updates this often is given up. */
const ATTEMPTS = 100;

export interface DeletionResult {
  /** The last state. */
  readonly entry: CacheEntry;
  /** False: it waits for a grace period or finalizers. */
  readonly deleted: boolean;
  /** Of the object, which the entry may have forgotten by now. */
  readonly uid: string | undefined;
}

/** Whether and how an object is deleted with grace. */
type Grace =
  | { readonly type: 'none' }
  /** Nothing to do: deletion is under way and was not asked to be quicker. */
  | { readonly type: 'pending' }
  | { readonly type: 'graceful'; readonly next: KubeObject; readonly seconds: number };

/**
 * Deletes an object as its kind, its finalizers and the options say: at once, or by marking it and leaving
 * the rest to whoever finishes it.
 */
export async function deleteObject(registry: ObjectRegistry, request: DeleteRequest): Promise<DeletionResult> {
  const key = objectKey(request.namespace, request.name);
  const { cacher } = registry.environment;
  if (request.dryRun) await cacher.fresh();
  const result = await writeOptimistically(cacher, ATTEMPTS, () => registry.cache.get(key), async () => {
    const old = await registry.current(key);
    if (!old) throw registry.notFound(request.name);
    const done = await deleteOnce(registry, request, old);
    return done && { result: done, committed: done.deleted || done.entry !== old };
  });
  if (result) return result;
  throw conflictError(registry.names, request.name, optimisticLockMessage);
}

/** Undefined when somebody else changed the object meanwhile. */
async function deleteOnce(registry: ObjectRegistry, request: DeleteRequest, old: CacheEntry): Promise<DeletionResult | undefined> {
  const { definition } = registry.resource;
  const large = old.bytesLength >= LARGE_BYTES;
  await pause(large);
  const object = large ? await run(old.objectSteps()) : old.object;
  await pause(large);
  checkPreconditions(registry, request, object);
  const uid = object.metadata?.uid;
  const now = registry.environment.clock.now();
  const grace = gracePeriod(registry, request, object, now);
  if (grace.type === 'pending') return { entry: old, deleted: false, uid };

  const base = grace.type === 'graceful' ? grace.next : object;
  const finalizers = base.metadata?.finalizers ?? [];
  const own = finalizersAtDeletion(definition, object);
  // Definitions go their own way: what is asked about dependents means nothing to them at first.
  const wanted = own.length > 0 ? [...new Set([...finalizers, ...own])] : propagationFinalizers(definition, finalizers, request.options);
  const present = new Set(finalizers);
  const changed = wanted.length !== finalizers.length || wanted.some((name) => !present.has(name));
  const next = changed ? withFinalizers(base, wanted) : base;
  const waits = hasFinalizers(definition, next);
  await request.validate(object);

  if (grace.type === 'graceful' && (waits || grace.seconds > 0)) return marked(registry, request, old, next);
  await pause(large);
  if (waits) {
    const draft = await run(toDraftSteps(next));
    await pause(large);
    markDeleting(definition, draft, now);
    return marked(registry, request, old, draft);
  }
  if (!(await registry.remove(request, old))) return undefined;
  return { entry: next === object ? old : CacheEntry.detached(registry.form, old.key, next), deleted: true, uid };
}

async function marked(registry: ObjectRegistry, request: DeleteRequest, old: CacheEntry, next: KubeObject): Promise<DeletionResult | undefined> {
  const same = registry.form.encode(next).equals(old.stored);
  await pause(old.bytesLength >= LARGE_BYTES);
  const uid = next.metadata?.uid;
  if (same) return { entry: old, deleted: false, uid };
  const entry = await registry.replace(request, old, next);
  return entry && { entry, deleted: false, uid };
}

function checkPreconditions(registry: ObjectRegistry, request: DeleteRequest, object: KubeObject): void {
  const { uid, resourceVersion } = request.options.preconditions ?? {};
  const metadata = object.metadata ?? {};
  if (DELETED_BY_OWN_CODE.has(registry.names.resource)) return checkOwnPreconditions(registry, request, object);
  // Upstream names the kind where the resource is meant.
  const names = { group: registry.resource.hub.group, resource: registry.resource.hub.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflictError(names, metadata.name ?? '', `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflictError(names, metadata.name ?? '', `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`);
  }
}

/** These upstream deletes by code of their own, with words of its own. */
const DELETED_BY_OWN_CODE: ReadonlySet<string> = new Set(['namespaces', 'customresourcedefinitions']);

function checkOwnPreconditions(registry: ObjectRegistry, request: DeleteRequest, object: KubeObject): void {
  const { uid, resourceVersion } = request.options.preconditions ?? {};
  const metadata = object.metadata ?? {};
  const refuse = (what: string, wanted: string, actual: string | undefined): never => {
    throw conflictError(registry.names, metadata.name ?? '', `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${actual}`);
  };
  if (uid !== undefined && uid !== metadata.uid) refuse('UID', uid, metadata.uid);
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) refuse('ResourceVersion', resourceVersion, metadata.resourceVersion);
}

function gracePeriod(registry: ObjectRegistry, request: DeleteRequest, object: KubeObject, now: number): Grace {
  const rule = registry.resource.definition.gracefulDeletion;
  if (!rule) return { type: 'none' };
  const metadata = object.metadata ?? {};
  const asked = request.options.gracePeriodSeconds;
  const requested = asked !== undefined && asked < 0 ? 1 : asked;
  if (metadata.deletionTimestamp) {
    const stored = metadata.deletionGracePeriodSeconds ?? 0;
    const present = stored < 0 ? 1 : stored;
    if (present === 0) return { type: 'none' };
    if (requested === undefined || requested >= present) return { type: 'pending' };
    return shortened(object, present, requested, now);
  }
  const seconds = rule.gracePeriodSeconds(object, requested);
  if (seconds === undefined) return { type: 'none' };
  const generation = (metadata.generation ?? 0) > 0 ? { generation: metadata.generation! + 1 } : {};
  return {
    type: 'graceful',
    seconds,
    next: { ...object, metadata: { ...metadata, ...generation, deletionTimestamp: timestamp(now + seconds * 1000), deletionGracePeriodSeconds: seconds } },
  };
}

/** A deletion under way may only be made quicker, and not end in the past. */
function shortened(object: KubeObject, present: number, requested: number, now: number): Grace {
  const began = (parseTimestamp(object.metadata?.deletionTimestamp) ?? now) - present * 1000;
  const late = began + requested * 1000 < now;
  const seconds = late && requested !== 0 ? 1 : requested;
  const at = late ? now : began + requested * 1000;
  return {
    type: 'graceful',
    seconds,
    next: { ...object, metadata: { ...object.metadata, deletionTimestamp: timestamp(at), deletionGracePeriodSeconds: seconds } },
  };
}

function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  const { finalizers: _finalizers, ...metadata } = object.metadata ?? {};
  return { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers: [...finalizers] } };
}
