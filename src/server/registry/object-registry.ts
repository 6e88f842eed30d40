import type { Clock } from '../../base/clock.js';
import { nextTurn, pause, run } from '../../base/steps.js';
import { KubeError } from '../../base/errors.js';
import type { Random } from '../../base/random.js';
import { toDraftSteps, type Draft } from '../../api/draft.js';
import { invalid, quote } from '../../api/meta/field-error.js';
import { FieldPath } from '../../api/meta/field-path.js';
import type { GroupResource, KubeObject } from '../../api/meta/object.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import { alreadyExistsError, badRequestError, conflictError, invalidError, notFoundError, optimisticLockMessage, StatusError } from '../../api/status-error.js';
import type { StrategyContext } from '../../api/scheme/kind.js';
import type { Compare, Store, TransactionResult, WriteOperation } from '../../storage/index.js';
import { CacheEntry } from './cache-entry.js';
import type { Cacher } from './cacher.js';
import type { ConvertedEntries } from './converted-entries.js';
import { isDeletedByUpdate } from './finalization.js';
import type { CommitExtras, RegistryHook } from './hooks.js';
import { KeyLocks } from './key-locks.js';
import { LARGE_BYTES } from './large.js';
import { commonErrors, createErrors, updateErrors } from './metadata-rules.js';
import { dedupOwnerReferences, generatedName, metadataOf, ownerReferenceWarning } from './object-metadata.js';
import { writeOptimistically } from './optimistic-write.js';
import type { ResourceCache } from './resource-cache.js';
import { objectKey } from './resource-key.js';
import { fieldReader } from './selectable-fields.js';
import type { FieldReader } from './selection.js';
import type { StoredForm } from './stored-form.js';
import { isTooLarge, storeError } from './store-errors.js';
import { firstGeneration, prepareForCreate, specChanged, tracksGeneration, updateStrategy } from './strategies.js';
import { NAMESPACES } from '../../api/resource-refs.js';
import { TimestampMemo } from '../../api/meta/timestamp.js';
import { upstreamKey } from './upstream-keys.js';
import { withOldTimes } from './managed-times.js';
import type { CreateRequest, UpdateRequest, WriteRequest } from './write-request.js';

/** Random names are tried this often before a conflict is reported. */
const GENERATE_NAME_ATTEMPTS = 8;
/** An update that loses against others this often is given up. */
const UPDATE_ATTEMPTS = 100;
/** No request is longer than 3 MiB; defaults and webhooks may make of it what nobody can hold. etcd's own limit is usually 1.5 MiB. */
const MAX_STORED_BYTES = 8 << 20;
const NO_EXTRAS: CommitExtras = {};

/** What all registries share. */
export interface RegistryEnvironment {
  readonly store: Store;
  readonly cacher: Cacher;
  readonly clock: Clock;
  readonly random: Random;
  /** How long events live. */
  readonly eventTtlSeconds: number;
  /** Brings an object into the form in which it is stored and answered; returns it when it is in that form. */
  finish(object: KubeObject): KubeObject;
}

/** The result of an update. */
export interface UpdateResult {
  readonly entry: CacheEntry;
  readonly created: boolean;
  /** Nothing had to be written. */
  readonly unchanged?: true;
}

/** Writes of one resource: metadata, strategies, validation, hooks and the store's transaction. Reads come from the cache. */
export class ObjectRegistry {
  private readonly locks = new KeyLocks();
  private readonly timestamps = new TimestampMemo();
  /** How objects of this version are written. */
  readonly form: StoredForm;
  /** Reads the fields of objects of this version that can be selected by. */
  readonly readField: FieldReader;

  constructor(
    /** The hub version; where conversion takes time, the version that is asked with. */
    readonly resource: ServedResource,
    /** As clients call the resource, for messages. */
    private readonly groupResource: GroupResource,
    readonly cache: ResourceCache,
    readonly environment: RegistryEnvironment,
    private readonly hook: RegistryHook | undefined,
    /** The objects of the cache in the version of {@link resource}, where that takes a conversion that takes time. */
    readonly converted: ConvertedEntries | undefined = undefined,
  ) {
    this.form = converted?.form ?? cache.form;
    this.readField = converted ? fieldReader(resource.definition) : cache.readField;
  }

  /** The present state of an object. */
  current(key: string): CacheEntry | undefined | Promise<CacheEntry> {
    const stored = this.cache.get(key);
    return stored && this.converted ? this.converted.entry(stored) : stored;
  }

  /** Stores a new object. */
  async create(request: CreateRequest): Promise<CacheEntry> {
    const generate = request.draft.metadata?.generateName && !request.draft.metadata.name;
    // Preparation changes the draft; where there may be another attempt, it must begin from the same one.
    const keep = generate || this.hook?.beforeCreate !== undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        const entry = await this.createOnce(request, keep ? await run(toDraftSteps(request.draft)) : request.draft);
        if (entry) return entry;
        if (attempt >= UPDATE_ATTEMPTS) throw conflictError(this.groupResource, request.name, optimisticLockMessage);
      } catch (error) {
        if (!generate || attempt >= GENERATE_NAME_ATTEMPTS || !StatusError.is(error, 'AlreadyExists')) throw error;
      }
    }
  }

  /** Changes an object, or creates it where the kind allows that. */
  async update(request: UpdateRequest): Promise<UpdateResult> {
    const key = objectKey(request.namespace, request.name);
    const { cacher } = this.environment;
    if (request.dryRun) await cacher.fresh();
    const result = await writeOptimistically(cacher, UPDATE_ATTEMPTS, () => this.cache.get(key), async () => {
      if (this.locks.isHeld(key)) await this.locks.free(key);
      const updated = await this.updateOnce(request, key);
      return updated && { result: updated, committed: !updated.unchanged };
    });
    if (result) return result;
    throw conflictError(this.groupResource, request.name, optimisticLockMessage);
  }

  /**
   * Writes `wanted` in place of `old`, without strategy or validation; undefined when somebody else was faster.
   * For deletion, which changes metadata that an update may not.
   */
  async replace(request: WriteRequest, old: CacheEntry, wanted: KubeObject): Promise<CacheEntry | undefined> {
    const large = old.bytesLength >= LARGE_BYTES;
    await pause(large);
    const next = this.finish(wanted);
    await pause(large);
    if (request.dryRun) return CacheEntry.detached(this.form, old.key, next);
    const kept = this.converted ? await this.converted.toStorage(next) : next;
    const stored = large ? await this.encodeInTurns(kept) : this.cache.form.encode(kept);
    await pause(large);
    const entry = await this.put(old.key, stored, kept, old.revision, NO_EXTRAS, 0);
    return typeof entry === 'string' ? undefined : this.answer(entry);
  }

  /** Removes an object for good; false when somebody else changed it first. */
  async remove(request: WriteRequest, old: CacheEntry): Promise<boolean> {
    if (request.dryRun) return true;
    const extras = (await this.hook?.beforeDelete?.(old.object, request)) ?? NO_EXTRAS;
    const key = this.cache.prefix + old.key;
    let committed = false;
    try {
      const result = await this.transact([{ key, modRevision: old.revision }], [{ type: 'delete', key }], extras);
      committed = result.succeeded;
      return committed;
    } finally {
      extras.done?.(committed);
    }
  }

  private strategyContext(now: number, { user, apiVersion }: WriteRequest): StrategyContext {
    const namespaceLabels = (name: string) => this.environment.cacher.cacheOf(NAMESPACES).get(objectKey('', name))?.object.metadata?.labels;
    return { now, userName: user.name, ...(apiVersion ? { apiVersion } : {}), namespaceLabels };
  }

  notFound(name: string): StatusError {
    return notFoundError(this.groupResource, name);
  }

  get names(): GroupResource {
    return this.groupResource;
  }

  /** Undefined when it has to be tried again from the start. */
  private async createOnce(request: CreateRequest, draft: Draft<KubeObject>): Promise<CacheEntry | undefined> {
    const { clock, random } = this.environment;
    const { definition } = this.resource;
    const metadata = metadataOf(draft);
    const now = clock.now();
    metadata.uid = random.uuid();
    metadata.creationTimestamp = this.timestamps.of(now);
    if (metadata.generateName && !metadata.name) {
      metadata.name = definition.generateNameIsName ? metadata.generateName : generatedName(metadata.generateName, random.suffix(5));
    }

    const context = this.strategyContext(now, request);
    prepareForCreate(this.resource, draft, context);
    metadata.generation = firstGeneration(this.resource, draft);
    if (metadata.generation === undefined) delete metadata.generation;
    const extras = (await this.hook?.beforeCreate?.(draft, request)) ?? NO_EXTRAS;
    const large = request.large === true;
    let committed = false;
    try {
      const object = draft as KubeObject;
      await pause(large);
      const errors = [...createErrors(this.resource, object), ...(definition.validateInSteps ? await run(definition.validateInSteps(object, undefined, context)) : (definition.validate?.(object, context) ?? []))];
      const all = errors.length > 0 ? errors : commonErrors(this.resource, object);
      if (all.length > 0) throw invalidError(this.resource.hub, metadata.name ?? '', all);
      await pause(large);
      for (const text of definition.warnings?.(object, undefined) ?? []) request.warn(text);
      await request.validate(object);

      const key = objectKey(metadata.namespace ?? '', metadata.name!);
      if (request.dryRun) {
        await this.environment.cacher.fresh();
        if (this.cache.get(key)) throw this.exists(key, metadata.name!);
        return CacheEntry.detached(this.form, key, withoutResourceVersion(this.finish(object)));
      }
      if (metadata.resourceVersion && metadata.resourceVersion !== '0') throw badRequestError('resourceVersion should not be set on objects to be created');
      await pause(large);
      const finished = this.finish(object);
      const kept = this.converted ? await this.converted.toStorage(finished) : finished;
      await pause(large);
      const stored = large ? await this.encodeInTurns(kept) : this.cache.form.encode(kept);
      await pause(large);
      const entry = await this.put(key, stored, kept, 0, extras, this.ttl(finished));
      if (entry === 'changed') throw this.exists(key, metadata.name!);
      if (entry === 'again') return undefined;
      committed = true;
      return this.answer(entry);
    } finally {
      extras.done?.(committed);
    }
  }

  private async updateOnce(request: UpdateRequest, key: string): Promise<UpdateResult | undefined> {
    const found = this.current(key);
    if (!found) return { entry: await this.createByUpdate(request), created: true };
    const old = found instanceof Promise ? await found : found;
    this.checkUid(request, old);
    let large = request.large === true || old.bytesLength >= LARGE_BYTES;
    await pause(large);
    const before = (large ? await run(old.objectSteps()) : old.object).metadata ?? {};
    await pause(large);
    const draft = await request.wanted(old.object, large);
    large ||= request.large === true;
    await pause(large);
    const object = draft as KubeObject;
    this.checkVersion(request, draft, old);

    const metadata = metadataOf(draft);
    const duplicates = dedupOwnerReferences(metadata);
    if (duplicates.length > 0) request.warn(ownerReferenceWarning(duplicates, true));
    const now = this.environment.clock.now();
    const context = this.strategyContext(now, request);
    const strategy = updateStrategy(this.resource, request.subresource);
    delete metadata.selfLink;
    if (before.generation === undefined) delete metadata.generation;
    else metadata.generation = before.generation;
    strategy.prepareForUpdate?.(draft, old.object, context);
    await pause(large);
    if (tracksGeneration(this.resource, object) && !this.resource.definition.generationStays && specChanged(object, old.object, this.resource.custom !== undefined)) metadata.generation = (before.generation ?? 0) + 1;
    metadata.uid ??= before.uid!;
    if (metadata.uid === '') metadata.uid = before.uid!;
    if (before.creationTimestamp !== undefined) metadata.creationTimestamp = before.creationTimestamp;
    if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
    if (before.deletionGracePeriodSeconds !== undefined) metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
    if (request.subresource === '') {
      const extras = (await this.hook?.beforeUpdate?.(draft, old.object, request)) ?? NO_EXTRAS;
      return this.finishUpdate(request, old, draft, strategy, context, extras, large);
    }
    return this.finishUpdate(request, old, draft, strategy, context, NO_EXTRAS, large);
  }

  private async finishUpdate(
    request: UpdateRequest,
    old: CacheEntry,
    draft: Draft<KubeObject>,
    strategy: ReturnType<typeof updateStrategy>,
    context: StrategyContext,
    extras: CommitExtras,
    large: boolean,
  ): Promise<UpdateResult | undefined> {
    let committed = false;
    try {
      await pause(large);
      const object = draft as KubeObject;
      const { definition } = this.resource;
      const own = strategy.validateInSteps ? await run(strategy.validateInSteps(object, old.object, context)) : (strategy.validateUpdate?.(object, old.object, context) ?? []);
      await pause(large);
      const errors = [...updateErrors(this.resource, object, old.object), ...own];
      if (errors.length > 0) throw invalidError(this.resource.hub, metadataOf(draft).name ?? request.name, errors);
      if (request.subresource === '') for (const text of definition.warnings?.(object, old.object) ?? []) request.warn(text);
      await request.validateUpdate(object, old.object);

      if (isDeletedByUpdate(definition, object, old.object)) {
        if (!(await this.remove(request, old))) return undefined;
        committed = true;
        return { entry: CacheEntry.detached(this.form, old.key, this.finish(object)), created: false };
      }
      await pause(large);
      const next = this.finish(object);
      await pause(large);
      const finished = withOldTimes(next, old.object);
      await pause(large);
      const { converted } = this;
      // What is not stored is not converted.
      if (request.dryRun && converted) return { entry: CacheEntry.detached(this.form, old.key, finished), created: false };
      const kept = converted ? await converted.toStorage(finished) : finished;
      const stored = large ? await this.encodeInTurns(kept) : this.cache.form.encode(kept);
      await pause(large);
      if (stored.equals((converted?.source(old) ?? old).stored) && extras.writes === undefined) return { entry: old, created: false, unchanged: true };
      if (request.dryRun) return { entry: CacheEntry.detached(this.form, old.key, finished), created: false };
      const entry = await this.locks.hold(old.key, () => this.put(old.key, stored, kept, old.revision, extras, this.ttl(finished)));
      committed = typeof entry !== 'string';
      return typeof entry === 'string' ? undefined : { entry: await this.answer(entry), created: false };
    } finally {
      extras.done?.(committed);
    }
  }

  private async createByUpdate(request: UpdateRequest): Promise<CacheEntry> {
    // Where the kind allows it, even a write of a subresource creates; an apply makes no difference there.
    if (!((request.subresource === '' ? request.creates : undefined) ?? this.resource.definition.allowCreateOnUpdate)) throw this.notFound(request.name);
    if (request.uid) throw this.uidMismatch(request, '');
    const draft = await request.wanted(undefined, request.large === true);
    if (request.creates) {
      const uid = draft.metadata?.uid;
      if (uid) throw conflictError(this.groupResource, request.name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
      if (draft.metadata) delete draft.metadata.resourceVersion;
    } else if (draft.metadata?.resourceVersion) {
      throw conflictError(this.groupResource, request.name, optimisticLockMessage);
    }
    return this.create({
      namespace: request.namespace,
      name: request.name,
      user: request.user,
      dryRun: request.dryRun,
      large: request.large === true,
      ...(request.apiVersion ? { apiVersion: request.apiVersion } : {}),
      warn: (text) => request.warn(text),
      draft,
      validate: (object) => request.validateCreate(object),
    });
  }

  private checkUid(request: UpdateRequest, old: CacheEntry): void {
    const uid = old.object.metadata?.uid ?? '';
    if (request.uid && request.uid !== uid) throw this.uidMismatch(request, uid);
  }

  private uidMismatch(request: UpdateRequest, uid: string): StatusError {
    const key = upstreamKey(this.groupResource, request.namespace, request.name, request.dryRun);
    return conflictError(
      this.groupResource,
      request.name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${request.uid}, UID in object meta: ${uid}`,
    );
  }

  private checkVersion(request: UpdateRequest, draft: Draft<KubeObject>, old: CacheEntry): void {
    const metadata = metadataOf(draft);
    const wanted = metadata.resourceVersion ?? '';
    const path = FieldPath.of('metadata', 'resourceVersion');
    if (wanted !== '' && !/^[0-9]+$/.test(wanted)) throw badRequestError(`strconv.ParseUint: parsing ${quote(wanted)}: invalid syntax`);
    const version = String(old.revision);
    if (wanted === '' || Number(wanted) === 0) {
      if (this.resource.definition.allowUnconditionalUpdate === false) {
        throw invalidError({ group: this.groupResource.group, kind: this.groupResource.resource }, request.name, [invalid(path, 0, 'must be specified for an update')]);
      }
      metadata.resourceVersion = version;
    } else if (wanted !== version) throw conflictError(this.groupResource, request.name, optimisticLockMessage);
  }

  /** The bytes to be stored of a large object: the field sets of its managers, which may be most of it, are written in turns of their own. */
  private async encodeInTurns(object: KubeObject): Promise<Buffer> {
    const { form } = this.cache;
    for (const { fieldsV1 } of object.metadata?.managedFields ?? []) {
      if (fieldsV1 && form.fieldsText(fieldsV1).length > LARGE_BYTES) await nextTurn();
    }
    return form.encode(object);
  }

  /** What was written, as it is read. */
  private answer(entry: CacheEntry): CacheEntry | Promise<CacheEntry> {
    return this.converted ? this.converted.entry(entry) : entry;
  }

  private finish(object: KubeObject): KubeObject {
    return this.environment.finish(this.resource.definition.whenRead?.(object) ?? object);
  }

  private exists(key: string, name: string): StatusError {
    const error = alreadyExistsError(this.groupResource, name);
    if (!this.cache.get(key)?.object.metadata?.deletionTimestamp) return error;
    return new StatusError({ ...error.status, message: `object is being deleted: ${error.status.message}` });
  }

  private ttl(object: KubeObject): number {
    const { definition } = this.resource;
    const own = definition.ttlSeconds?.(object);
    return own ?? (definition.kind === 'Event' && definition.group === '' ? this.environment.eventTtlSeconds : 0);
  }

  /** `changed`: the object was not at `revision` (0: absent) any more. `again`: something that the hook compares has changed. */
  private async put(key: string, stored: Buffer, object: KubeObject, revision: number, extras: CommitExtras, ttlSeconds: number): Promise<CacheEntry | 'changed' | 'again'> {
    const storeKey = this.cache.prefix + key;
    const known: { readonly object: KubeObject; entry?: CacheEntry } = { object };
    this.environment.cacher.written.set(stored, known);
    const write: WriteOperation = ttlSeconds > 0 ? { type: 'put', key: storeKey, value: stored, ttlSeconds } : { type: 'put', key: storeKey, value: stored };
    let result;
    try {
      if (stored.length > MAX_STORED_BYTES) throw storeError(new KubeError('KUBE_STORE_TOO_LARGE', `the object is too large: ${stored.length} bytes, at most ${MAX_STORED_BYTES} can be stored`));
      result = await this.transact([{ key: storeKey, modRevision: revision }], [write], extras);
    } catch (error) {
      // Managed fields may be most of an object, and it can do without them: then it may not be too large.
      if (!isTooLarge(error) || !object.metadata?.managedFields) throw error;
      const { managedFields: _managedFields, ...metadata } = object.metadata;
      const bare = { ...object, metadata };
      return this.put(key, this.cache.form.encode(bare), bare, revision, extras, ttlSeconds);
    }
    if (!result.succeeded) return (result.current[0]?.modRevision ?? 0) === revision ? 'again' : 'changed';
    return known.entry ?? CacheEntry.of(this.cache.form, key, revision === 0 ? 'ADDED' : 'MODIFIED', stored, result.revision, result.revision, object);
  }

  private async transact(compare: readonly Compare[], writes: readonly WriteOperation[], extras: CommitExtras): Promise<TransactionResult> {
    try {
      const result = await this.environment.store.transact(
        extras.compare ? [...compare, ...extras.compare] : compare,
        extras.writes ? [...writes, ...extras.writes] : writes,
      );
      if (!result.succeeded && !extras.retryOnConflict && extras.compare && (result.current[0]?.modRevision ?? 0) === compare[0]!.modRevision) {
        throw conflictError(this.groupResource, '', optimisticLockMessage);
      }
      return result;
    } catch (error) {
      throw storeError(error);
    }
  }
}

function withoutResourceVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
