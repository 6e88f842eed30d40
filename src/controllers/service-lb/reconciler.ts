import type { V1LoadBalancerStatus, V1Node, V1Service } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { StatusError } from '../../api/status-error.js';
import { errorCode, errorMessage } from '../../base/errors.js';
import type { Lister, ResourceClient } from '../../client/index.js';
import { LOAD_BALANCER_FAILED, type CloudProvider, type LoadBalancers } from '../../cloud/index.js';
import type { EventRecorder, ReconcileResult } from '../../reconcile/index.js';
import { keyOf } from '../shared/object-key.js';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizer.js';

export interface LoadBalancerReconcilerOptions {
  readonly cloud: CloudProvider;
  readonly client: ResourceClient<V1Service>;
  readonly recorder: EventRecorder;
  readonly services: Lister<V1Service>;
  /** Those that load balancers lead to. */
  readonly nodes: () => readonly V1Node[];
  /** Asks for a reconcile of a service, by key. */
  readonly wake: (key: string) => void;
}

/** Waits after failures in a row, as upstream's service controller: 5 s to 5 minutes, doubled each time. */
const FIRST_RETRY_MILLISECONDS = 5000;
const LAST_RETRY_MILLISECONDS = 300_000;

/** Brings the load balancer of one service to what the service says. */
export class LoadBalancerReconciler {
  /** Failures in a row by service. Each of them is tried again when another service gives something back. */
  private readonly failures = new Map<string, number>();
  /** Specs as they were when their load balancer was last brought up, by uid: what differs only in nodes is told otherwise. */
  private readonly ensured = new Map<string, unknown>();
  private readonly balancers: LoadBalancers | undefined;

  constructor(private readonly options: LoadBalancerReconcilerOptions) {
    this.balancers = options.cloud.loadBalancers;
  }

  /** The service asks for a load balancer of this provider. */
  wants({ spec }: V1Service): boolean {
    return this.balancers !== undefined && spec?.type === 'LoadBalancer' && this.options.cloud.loadBalancerClasses.includes(spec.loadBalancerClass);
  }

  async reconcile(key: string, service: V1Service | undefined): Promise<ReconcileResult> {
    const { balancers } = this;
    if (!service || !balancers) return undefined;
    const remove = !this.wants(service) || service.metadata?.deletionTimestamp !== undefined;
    if (remove && !hasFinalizer(service)) return undefined;
    try {
      if (remove) await this.remove(balancers, service);
      else await this.ensure(balancers, service);
      this.failures.delete(key);
      return undefined;
    } catch (error) {
      if (StatusError.is(error, 'NotFound')) return undefined;
      // Somebody wrote at the same time; that is no news for the service's owner.
      if (StatusError.is(error, 'Conflict')) throw error;
      this.options.recorder.event(service, 'Warning', 'SyncLoadBalancerFailed', `Error syncing load balancer: ${remove ? 'failed to delete load balancer' : 'failed to ensure load balancer'}: ${errorMessage(error)}`);
      if (errorCode(error) !== LOAD_BALANCER_FAILED) throw error;
      const failures = this.failures.get(key) ?? 0;
      this.failures.set(key, failures + 1);
      return { requeueAfterMilliseconds: Math.min(LAST_RETRY_MILLISECONDS, FIRST_RETRY_MILLISECONDS * 2 ** failures) };
    }
  }

  /** The object is gone, by whatever way. */
  gone(service: V1Service): void {
    this.failures.delete(keyOf(service));
    this.ensured.delete(service.metadata?.uid ?? '');
    // The built-in provider only forgets; one that may fail has the finalizer between it and this moment.
    void this.balancers?.delete(service).catch(() => undefined);
    this.wakeWaiting();
  }

  private async ensure(balancers: LoadBalancers, service: V1Service): Promise<void> {
    const { client, recorder, nodes } = this.options;
    const uid = service.metadata?.uid ?? '';
    const onlyNodes = deepEqual(this.ensured.get(uid), service.spec);
    const targets = nodes();
    if (!onlyNodes) recorder.event(service, 'Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer');
    await addFinalizer(client, service);
    if (targets.length === 0) recorder.event(service, 'Warning', 'UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer');
    let status: V1LoadBalancerStatus;
    try {
      status = await balancers.ensure(service, targets);
    } catch (error) {
      this.ensured.delete(uid);
      // Its address must not lead to ports that are somebody else's.
      await this.writeStatus(service, {});
      throw error;
    }
    const changed = !deepEqual(status.ingress ?? [], service.status?.loadBalancer?.ingress ?? []);
    if (!onlyNodes) recorder.event(service, 'Normal', 'EnsuredLoadBalancer', 'Ensured load balancer');
    else if (changed && targets.length > 0) recorder.event(service, 'Normal', 'UpdatedLoadBalancer', 'Updated load balancer with new hosts');
    await this.writeStatus(service, status);
    this.ensured.set(uid, service.spec);
    // It may have given back ports that it wants no more.
    if (!onlyNodes) this.wakeWaiting();
  }

  private async remove(balancers: LoadBalancers, service: V1Service): Promise<void> {
    const { client, recorder } = this.options;
    if ((await balancers.get(service)) !== undefined) {
      recorder.event(service, 'Normal', 'DeletingLoadBalancer', 'Deleting load balancer');
      await balancers.delete(service);
    }
    this.ensured.delete(service.metadata?.uid ?? '');
    // The status first: a service that is only changed must not keep an address that leads nowhere.
    await this.writeStatus(service, {});
    await removeFinalizer(client, service);
    recorder.event(service, 'Normal', 'DeletedLoadBalancer', 'Deleted load balancer');
    this.wakeWaiting();
  }

  private async writeStatus(service: V1Service, status: V1LoadBalancerStatus): Promise<void> {
    if (deepEqual(status.ingress ?? [], service.status?.loadBalancer?.ingress ?? [])) return;
    const { namespace = '', name = '', uid } = service.metadata ?? {};
    // A merge patch, since a list in a status has no keys to merge by.
    await this.options.client.patch(namespace, name, 'merge', { metadata: { uid }, status: { loadBalancer: { ingress: status.ingress ?? null } } }, 'status');
  }

  private wakeWaiting(): void {
    for (const key of this.failures.keys()) this.options.wake(key);
  }
}
