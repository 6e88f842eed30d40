import type { Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { V1APIServiceSpec } from '../../api/generated/types.js';
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
  private running = false;
  private stopped = false;

  constructor(private readonly options: GroupServicesOptions) {}

  start(): void {
    const { view } = this.options;
    this.ends.push(
      view.onChange(CUSTOM_RESOURCE_DEFINITIONS, ({ object, previous }) => {
        for (const { spec } of previous ? [object, previous] : [object]) for (const { name } of spec.versions) this.enqueue(`${name}.${spec.group}`);
      }),
      view.onChange(API_SERVICES, ({ object }) => {
        if (object.metadata?.labels?.[MANAGED] === 'true') this.enqueue(object.metadata!.name!);
      }),
    );
    for (const name of this.wanted().keys()) this.enqueue(name);
    for (const { metadata } of view.list(API_SERVICES)) if (metadata?.labels?.[MANAGED] === 'true') this.enqueue(metadata.name!);
  }

  stop(): void {
    this.stopped = true;
    for (const end of this.ends) end();
  }

  private enqueue(name: string): void {
    this.pending.add(name);
    if (this.running || this.stopped) return;
    this.running = true;
    setImmediate(() => void this.work());
  }

  private async work(): Promise<void> {
    const wanted = this.wanted();
    const names = [...this.pending];
    this.pending.clear();
    for (const name of names) {
      if (this.stopped) return;
      try {
        await this.reconcile(name, wanted.get(name));
      } catch (error) {
        // Whoever changed it meanwhile has put it into the queue again.
        if (StatusError.is(error, 'Conflict') || StatusError.is(error, 'NotFound') || StatusError.is(error, 'AlreadyExists')) continue;
        this.options.log.warn('an API service of custom resources could not be registered and will be again', { service: name, error: errorMessage(error) });
        this.options.clock.setTimeout(() => this.enqueue(name), RETRY_MILLISECONDS, { unref: true });
      }
    }
    this.running = false;
    if (this.pending.size > 0) this.enqueue([...this.pending][0]!);
  }

  /** The specifications by name, of all that is served. */
  private wanted(): Map<string, V1APIServiceSpec> {
    const wanted = new Map<string, V1APIServiceSpec>();
    for (const { spec } of this.options.view.list(CUSTOM_RESOURCE_DEFINITIONS)) {
      for (const { name, served } of spec.versions) {
        if (served) wanted.set(`${name}.${spec.group}`, { group: spec.group, version: name, groupPriorityMinimum: GROUP_PRIORITY, versionPriority: VERSION_PRIORITY });
      }
    }
    return wanted;
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
