import { sleep, type Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { oncePerTurn } from '../../base/once-per-turn.js';
import type { V1CustomResourceDefinition } from '../../api/generated/types.js';
import { findCondition, isConditionTrue } from '../../api/helpers/conditions.js';
import { timestamp } from '../../api/meta/timestamp.js';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/resource-refs.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import { StatusError } from '../../api/status-error.js';
import type { Client } from '../../client/index.js';
import type { ClusterView } from '../registry/cluster-view.js';
import { CLEANUP_FINALIZER } from '../registry/finalization.js';
import type { CustomResources } from './custom-resources.js';
import { mayBreakStructure, NON_STRUCTURAL, structuralCondition } from './structural-condition.js';
import { approvalCondition, nameStatus, withConditions, type NameStatus, type NewCondition } from './definition-status.js';
import { freesNames, GroupNames } from './group-names.js';

type Definition = V1CustomResourceDefinition;

/** Definitions that are worked on at the same time: most of the time they wait for the store. */
const AT_ONCE = 32;
const FIRST_WAIT_MILLISECONDS = 50;
const LONGEST_WAIT_MILLISECONDS = 5_000;

export interface DefinitionControllerOptions {
  readonly view: ClusterView;
  readonly client: Client;
  readonly resources: CustomResources;
  /** Deletes all objects of a resource; those with finalizers are marked. */
  removeObjects(hub: ServedResource): Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Accepts the names of definitions, establishes them, and removes the objects of those that are deleted. */
export class DefinitionController {
  private readonly pending = new Set<string>();
  private readonly working = new Set<string>();
  /** Those that did not get names, maybe on account of others that are being worked on. */
  private readonly refused = new Set<string>();
  private readonly names = new GroupNames();
  private readonly failures = new Map<string, number>();
  private readonly stopping = new AbortController();
  private endWatch: (() => void) | undefined;
  private readonly wake = oncePerTurn(() => this.begin());

  constructor(private readonly options: DefinitionControllerOptions) {}

  start(): void {
    const { view, resources } = this.options;
    this.endWatch = view.onChange(CUSTOM_RESOURCE_DEFINITIONS, ({ type, object, previous }) => {
      const name = object.metadata!.name!;
      const present = type === 'DELETED' ? undefined : object;
      resources.sync(name, present);
      this.names.follow(name, present);
      this.enqueue(name);
      if (type === 'DELETED' || freesNames(object, previous)) this.enqueueGroup(object.spec.group);
    });
    const definitions = view.list(CUSTOM_RESOURCE_DEFINITIONS);
    for (const definition of definitions) this.names.follow(definition.metadata!.name!, definition);
    for (const { metadata } of definitions) this.enqueue(metadata!.name!);
  }

  stop(): void {
    this.stopping.abort();
    this.endWatch?.();
  }

  private enqueueGroup(group: string): void {
    for (const { metadata, spec } of this.options.view.list(CUSTOM_RESOURCE_DEFINITIONS)) if (spec.group === group) this.enqueue(metadata!.name!);
  }

  private enqueue(name: string): void {
    this.pending.add(name);
    this.wake();
  }

  /** Begins with as many as there is room for; those that are being worked on come again when that is done. */
  private begin(): void {
    for (const name of this.pending) {
      if (this.stopping.signal.aborted || this.working.size >= AT_ONCE) return;
      if (this.working.has(name)) continue;
      this.pending.delete(name);
      this.working.add(name);
      void this.work(name);
    }
  }

  private async work(name: string): Promise<void> {
    try {
      await this.reconcile(name);
      this.failures.delete(name);
    } catch (error) {
      // Whoever changed it meanwhile has put it into the queue again.
      if (!StatusError.is(error, 'Conflict') && !StatusError.is(error, 'NotFound')) this.later(name, error);
    } finally {
      this.working.delete(name);
      if (this.working.size === 0) this.refused.clear();
      if (this.pending.size > 0) this.wake();
    }
  }

  private later(name: string, error: unknown): void {
    if (this.stopping.signal.aborted) return;
    const times = (this.failures.get(name) ?? 0) + 1;
    this.failures.set(name, times);
    this.options.log.warn('a definition of custom resources could not be handled and will be again', { definition: name, error: errorMessage(error) });
    this.options.clock.setTimeout(() => this.enqueue(name), Math.min(FIRST_WAIT_MILLISECONDS * 2 ** times, LONGEST_WAIT_MILLISECONDS), { unref: true });
  }

  private async reconcile(name: string): Promise<void> {
    const { view } = this.options;
    const definition = view.get(CUSTOM_RESOURCE_DEFINITIONS, '', name);
    if (!definition) return;
    if (definition.metadata?.deletionTimestamp) return this.finalize(definition);
    const { group } = definition.spec;
    const names = nameStatus(definition, this.names.taken(group));
    if (names === undefined) return this.settle(definition, undefined);
    // Others of the group are worked on at the same time.
    const release = this.names.claim(group, names.acceptedNames);
    if (names.conditions.some(({ type, status }) => type === 'NamesAccepted' && status === 'False')) this.refused.add(name);
    try {
      await this.settle(definition, names);
    } catch (error) {
      // Its names are free again.
      for (const other of this.refused) if (other !== name) this.enqueue(other);
      throw error;
    } finally {
      release();
    }
  }

  private async settle(definition: Definition, names: NameStatus | undefined): Promise<void> {
    const { resources } = this.options;
    const approval = approvalCondition(definition);
    const structural = mayBreakStructure(definition) ? await structuralCondition(definition) : undefined;
    const changes = [...(names?.conditions ?? []), ...[approval, structural].flatMap((condition) => (condition && !has(definition, condition) ? [condition] : []))];
    // One that is structural by now is told no more that it is not.
    const gone = structural === undefined && findCondition(definition.status?.conditions, NON_STRUCTURAL) !== undefined;
    if (changes.length === 0 && !gone) return;
    const established = names?.conditions.some(({ type, status }) => type === 'Established' && status === 'True');
    // Whoever sees that it is established may use it.
    if (established && names) await resources.prepare({ ...definition, status: { ...definition.status, acceptedNames: names.acceptedNames } });
    const left = gone ? { conditions: definition.status?.conditions?.filter(({ type }) => type !== NON_STRUCTURAL) ?? [] } : {};
    await this.update(definition, changes, { ...left, ...(names ? { acceptedNames: names.acceptedNames } : {}) });
  }

  private async update(definition: Definition, changes: readonly NewCondition[], more: Partial<NonNullable<Definition['status']>> = {}, finalizers?: readonly string[]): Promise<Definition> {
    const { client, clock } = this.options;
    const conditions = withConditions(more.conditions ?? definition.status?.conditions, changes, timestamp(clock.now()));
    const metadata = finalizers ? { ...definition.metadata, finalizers: [...finalizers] } : definition.metadata;
    return client.resource(CUSTOM_RESOURCE_DEFINITIONS).updateStatus({ ...definition, ...(metadata ? { metadata } : {}), status: { ...definition.status, ...more, conditions } });
  }

  /** Removes all objects, then lets the definition go. */
  private async finalize(definition: Definition): Promise<void> {
    const finalizers = definition.metadata?.finalizers ?? [];
    if (!finalizers.includes(CLEANUP_FINALIZER)) return;
    const told = await this.update(definition, [terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress')]);
    let outcome = terminating('False', 'NeverEstablished', 'resource was never established');
    if (isConditionTrue(definition.status?.conditions, 'Established')) {
      try {
        await this.removeObjects(definition);
        outcome = terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
      } catch (error) {
        await this.update(told, [terminating('True', 'InstanceDeletionFailed', `could not issue all deletes: ${errorMessage(error)}`)]);
        throw error;
      }
      // Their own finalizers may hold some back: the others must not wait for them.
      if (this.options.resources.namespacesOf(definition.metadata!.name!).length > 0) return void this.finishLater(definition.metadata!.name!);
    }
    await this.update(told, [outcome], {}, finalizers.filter((name) => name !== CLEANUP_FINALIZER));
  }

  private async removeObjects(definition: Definition): Promise<void> {
    const hub = this.options.resources.storageVersion(definition.metadata!.name!);
    if (hub !== undefined) await this.options.removeObjects(hub);
  }

  private finishLater(name: string): void {
    void sleep(this.options.clock, LONGEST_WAIT_MILLISECONDS / 5, this.stopping.signal).then(
      () => this.enqueue(name),
      () => undefined,
    );
  }
}

function terminating(status: string, reason: string, message: string): NewCondition {
  return { type: 'Terminating', status, reason, message };
}

function has(definition: Definition, wanted: NewCondition): boolean {
  const known = findCondition(definition.status?.conditions, wanted.type);
  return known?.status === wanted.status && known.reason === wanted.reason && known.message === wanted.message;
}
