import type { V1ResourceQuota } from '../../api/generated/types.js';
import { quotaEvaluator } from '../../api/helpers/quota.js';
import { RESOURCE_QUOTAS } from '../../api/resource-refs.js';
import { internalError, StatusError } from '../../api/status-error.js';
import type { ServerContext } from '../server-context.js';
import type { LimitedResource } from './config/resource-quota.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { applyRequest, countsAgainstQuota, quotaState, type QuotaState } from './quota-check.js';

/** One request that waits for its turn. */
interface Waiter {
  readonly attributes: AdmissionAttributes;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

const RETRIES = 3;
/** A request that waits longer for its turn is given up, as upstream does. */
const WAIT_MILLISECONDS = 10_000;

/**
 * Keeps a namespace within its quotas: what a request uses is added to `status.used` before the request is let through. Requests
 * of one namespace go in turn; those that come while a status is being written are checked together and cost one write.
 */
export class ResourceQuotaAdmission implements AdmissionPlugin {
  readonly name = 'ResourceQuota';
  private readonly queues = new Map<string, Waiter[]>();
  private readonly limited: readonly LimitedResource[];

  constructor(private readonly context: ServerContext) {
    this.limited = context.options.admissionConfiguration?.limitedResources ?? [];
  }

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  validate(attributes: AdmissionAttributes): void | Promise<void> {
    const { namespace, kind, resource } = attributes;
    if (namespace === '' || (kind.kind === 'Namespace' && kind.group === '')) return;
    if ((this.limited.length === 0 && this.quotas(namespace).length === 0) || !quotaEvaluator(resource) || !countsAgainstQuota(attributes)) return;
    return new Promise((resolve, reject) => {
      const cancel = this.context.clock.setTimeout(() => reject(internalError('resource quota evaluation timed out')), WAIT_MILLISECONDS);
      const admit = (): void => {
        cancel();
        resolve();
      };
      const refuse = (error: unknown): void => {
        cancel();
        reject(error instanceof Error ? error : new TypeError(String(error)));
      };
      const waiter = { attributes, admit, refuse };
      const queue = this.queues.get(namespace);
      if (queue) queue.push(waiter);
      else {
        this.queues.set(namespace, [waiter]);
        void this.work(namespace);
      }
    });
  }

  private quotas(namespace: string): readonly V1ResourceQuota[] {
    return this.context.view.list(RESOURCE_QUOTAS, namespace);
  }

  private async work(namespace: string): Promise<void> {
    for (let batch = this.queues.get(namespace)!; batch.length > 0; batch = this.queues.get(namespace)!) {
      this.queues.set(namespace, []);
      try {
        await this.check(batch, this.quotas(namespace), RETRIES);
      } catch (error) {
        for (const waiter of batch) waiter.refuse(error);
      }
    }
    this.queues.delete(namespace);
  }

  private async check(waiters: readonly Waiter[], quotas: readonly V1ResourceQuota[], retries: number): Promise<void> {
    const before = quotas.map(quotaState);
    let states = before;
    const charged: Waiter[] = [];
    for (const waiter of waiters) {
      try {
        const after = applyRequest(states, waiter.attributes, quotaEvaluator(waiter.attributes.resource)!, this.context.clock.now(), this.limited);
        if (waiter.attributes.dryRun || after.every((state, i) => state === states[i])) {
          waiter.admit();
          continue;
        }
        states = after;
        charged.push(waiter);
      } catch (error) {
        waiter.refuse(error);
      }
    }
    const results = await Promise.all(states.flatMap((state, i) => (state === before[i] ? [] : [this.write(state)])));
    const failures = results.filter((result) => result !== undefined);
    if (failures.length === 0) {
      for (const waiter of charged) waiter.admit();
      return;
    }
    if (retries === 0) {
      for (const waiter of charged) waiter.refuse(failures[0]!.error);
      return;
    }
    // Quotas that were written have the requests in them already.
    const names = new Set(failures.map((failure) => failure.name));
    const again = this.quotas(quotas[0]!.metadata?.namespace ?? '').filter((quota) => names.has(quota.metadata?.name ?? ''));
    await this.check(charged, again, retries - 1);
  }

  /** Undefined when it was written. */
  private async write({ quota, used }: QuotaState): Promise<{ readonly name: string; readonly error: StatusError } | undefined> {
    const status = { ...quota.status, used: Object.fromEntries([...used].map(([name, amount]) => [name, amount.toString()])) };
    try {
      await this.context.loopback.resource(RESOURCE_QUOTAS).updateStatus({ ...quota, status });
      return undefined;
    } catch (error) {
      if (error instanceof StatusError) return { name: quota.metadata?.name ?? '', error };
      throw error;
    }
  }
}
