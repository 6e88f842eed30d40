import type { Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { oncePerTurn } from '../../base/once-per-turn.js';
import type { V1APIServiceSpec, V1CustomResourceDefinition } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { API_SERVICES, CUSTOM_RESOURCE_DEFINITIONS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { Client } from '../../client/index.js';
import type { ClusterView } from '../registry/cluster-view.js';

const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';
const RETRY_MILLISECONDS = 1_000;
/** Groups of custom resources stand behind all others; their versions among each other as their names say. */
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;

export interface GroupServicesOptions {
  readonly view: ClusterView;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps an `APIService` for each group version that definitions serve, as upstream's registration does; those of others are left alone. */
export class GroupServices {
  private readonly pending = new Set<string>();
  private readonly ends: (() => void)[] = [];
  /** The definitions that serve a group version, by its service's name. */
  private readonly serving = new Map<string, { readonly spec: V1APIServiceSpec; readonly definitions: Set<string> }>();
  private readonly wake = oncePerTurn(() => void this.work());
  private running = false;
  private stopped = false;

  constructor(private readonly options: GroupServicesOptions) {}

  start(): void {
    const { view } = this.options;
    this.ends.push(
      view.onChange(CUSTOM_RESOURCE_DEFINITIONS, ({ type, object, previous }) => {
        // Of the rest of a definition nothing shows here.
        if (type === 'MODIFIED' && previous && sameSpec(object, previous)) return;
        this.forget(previous ?? object);
        if (type !== 'DELETED') this.follow(object);
        for (const { spec } of previous ? [object, previous] : [object]) for (const { name } of spec.versions) this.enqueue(`${name}.${spec.group}`);
      }),
      view.onChange(API_SERVICES, ({ object }) => {
        if (object.metadata?.labels?.[MANAGED] === 'true') this.enqueue(object.metadata!.name!);
      }),
    );
    for (const definition of view.list(CUSTOM_RESOURCE_DEFINITIONS)) this.follow(definition);
    for (const name of this.serving.keys()) this.enqueue(name);
    for (const { metadata } of view.list(API_SERVICES)) if (metadata?.labels?.[MANAGED] === 'true') this.enqueue(metadata.name!);
  }

  stop(): void {
    this.stopped = true;
    for (const end of this.ends) end();
  }

  private enqueue(name: string): void {
    this.pending.add(name);
    this.wake();
  }

  private async work(): Promise<void> {
    if (this.running) return;
    this.running = true;
    const names = [...this.pending];
    this.pending.clear();
    for (const name of names) {
      if (this.stopped) return;
      try {
        await this.reconcile(name, this.serving.get(name)?.spec);
      } catch (error) {
        // Whoever changed it meanwhile has put it into the queue again.
        if (StatusError.is(error, 'Conflict') || StatusError.is(error, 'NotFound') || StatusError.is(error, 'AlreadyExists')) continue;
        this.options.log.warn('an API service of custom resources could not be registered and will be again', { service: name, error: errorMessage(error) });
        this.options.clock.setTimeout(() => this.enqueue(name), RETRY_MILLISECONDS, { unref: true });
      }
    }
    this.running = false;
    if (this.pending.size > 0) this.wake();
  }

  private follow({ metadata, spec: { group, versions } }: V1CustomResourceDefinition): void {
    for (const { name, served } of versions) {
      if (!served) continue;
      const service = `${name}.${group}`;
      const known = this.serving.get(service);
      if (known) known.definitions.add(metadata!.name!);
      else this.serving.set(service, { spec: { group, version: name, groupPriorityMinimum: GROUP_PRIORITY, versionPriority: VERSION_PRIORITY }, definitions: new Set([metadata!.name!]) });
    }
  }

  private forget({ metadata, spec: { group, versions } }: V1CustomResourceDefinition): void {
    for (const { name } of versions) {
      const service = `${name}.${group}`;
      const known = this.serving.get(service);
      if (known?.definitions.delete(metadata!.name!) && known.definitions.size === 0) this.serving.delete(service);
    }
  }

  private async reconcile(name: string, spec: V1APIServiceSpec | undefined): Promise<void> {
    const { view, client } = this.options;
    const services = client.resource(API_SERVICES);
    const present = view.get(API_SERVICES, '', name);
    if (present === undefined) {
      if (spec) await services.create({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name, labels: { [MANAGED]: 'true' } }, spec });
      return;
    }
    if (present.metadata?.labels?.[MANAGED] !== 'true') return;
    if (spec === undefined) await services.delete('', name);
    else if (!deepEqual(present.spec, spec)) await services.update({ ...present, spec });
  }
}

function sameSpec({ metadata: a }: V1CustomResourceDefinition, { metadata: b }: V1CustomResourceDefinition): boolean {
  return a?.uid === b?.uid && a?.generation === b?.generation;
}
