import type { V1DeleteOptions, V1Eviction, V1Pod, V1PodDisruptionBudget } from '../../../api/generated/types.js';
import { withCondition } from '../../../api/helpers/conditions.js';
import { invalid } from '../../../api/meta/field-error.js';
import { FieldPath } from '../../../api/meta/field-path.js';
import { POD_DISRUPTION_BUDGETS, PODS } from '../../../api/resource-refs.js';
import { badRequestError, conflictError, invalidError, notFoundError, plainError, StatusError, timeoutError } from '../../../api/status-error.js';
import type { ApiRequest } from '../../handler/api-request.js';
import { checkDeleteOptions } from '../../handler/delete-options.js';
import type { CustomHandler } from '../../handler/subresource.js';
import type { ServerContext } from '../../server-context.js';
import { podRegistry, updatePodAsIs } from '../core/pod-update.js';
import { deleteObject } from '../deletion.js';
import { objectKey } from '../resource-key.js';
import { timestamp } from '../../../api/meta/timestamp.js';
import { SUCCESS, virtualHandler, type VirtualAnswer, type VirtualRequest } from '../virtual.js';
import { beingProcessedError, budgetsOf, mayEvictUnready, needsNoBudget, takeDisruption } from './disruption.js';

const ATTEMPTS = 20;

/** `pods/eviction`: deletes a pod where its disruption budget allows it. */
export function evictionHandler(context: ServerContext): CustomHandler {
  return virtualHandler<V1Eviction>(context, {
    path: '/pods/eviction',
    kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
    run: (call) => new Eviction(context, call).run(),
  });
}

class Eviction {
  private readonly request: ApiRequest;
  private readonly namespace: string;
  private readonly name: string;
  private readonly options: V1DeleteOptions;
  private readonly dryRun: boolean;

  constructor(
    private readonly context: ServerContext,
    private readonly call: VirtualRequest<V1Eviction>,
  ) {
    this.request = call.request;
    this.namespace = call.request.info.namespace;
    this.name = call.request.info.name;
    this.options = (call.object.deleteOptions as V1DeleteOptions | undefined) ?? {};
    this.dryRun = call.dryRun || (this.options.dryRun?.length ?? 0) > 0;
  }

  async run(): Promise<VirtualAnswer> {
    if (this.name !== (this.call.object.metadata?.name ?? '')) throw badRequestError('name in URL does not match name in Eviction object');
    await this.call.validate();
    this.checkOptions();
    for (let attempt = 1; ; attempt++) {
      const pod = this.pod();
      if (!needsNoBudget(pod)) return this.withBudget(pod);
      try {
        // A pod that is pending now may be ready and count in a moment.
        const guard = pod.status?.phase === 'Pending' && pod.metadata?.deletionTimestamp === undefined ? pod.metadata?.resourceVersion : undefined;
        await this.delete(guard);
        return SUCCESS;
      } catch (error) {
        const retry = StatusError.is(error, 'Conflict') && this.options.preconditions?.resourceVersion === undefined && attempt < ATTEMPTS;
        if (!retry) throw error;
      }
    }
  }

  private checkOptions(): void {
    const { ignoreStoreReadErrorWithClusterBreakingPotential: ignores } = this.options;
    if (ignores === true) {
      const path = FieldPath.of('deleteOptions', 'ignoreStoreReadErrorWithClusterBreakingPotential');
      throw invalidError({ group: 'policy', kind: 'Eviction' }, this.name, [invalid(path, ignores, 'can not be set for pod eviction, try after removing the option')]);
    }
    checkDeleteOptions(this.options);
  }

  private pod(): V1Pod {
    const pod = this.context.view.get(PODS, this.namespace, this.name);
    if (!pod) throw notFoundError(PODS, this.name);
    return pod;
  }

  private async withBudget(pod: V1Pod): Promise<VirtualAnswer> {
    const budgets = budgetsOf(pod, this.context.view.list(POD_DISRUPTION_BUDGETS, this.namespace));
    if (budgets.length > 1) throw plainError('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
    const budget = budgets[0];
    const unready = budget !== undefined && mayEvictUnready(pod, budget);
    if (budget && !unready) await this.take(budget);
    try {
      await this.delete(unready ? pod.metadata?.resourceVersion : undefined);
    } catch (error) {
      // The pod has become ready since it was looked at.
      if (unready && StatusError.is(error, 'Conflict') && this.options.preconditions?.resourceVersion === undefined) throw beingProcessedError(budget.metadata?.name ?? '');
      throw error;
    }
    return SUCCESS;
  }

  /** Takes one disruption off the budget; whoever is faster goes first. */
  private async take(budget: V1PodDisruptionBudget): Promise<void> {
    const core = this.context.core();
    const { group, version, resource } = POD_DISRUPTION_BUDGETS;
    const registry = core.registry(core.scheme.resource(group, version, resource)!);
    const name = budget.metadata?.name ?? '';
    const write = { namespace: this.namespace, name, user: this.request.user, dryRun: this.dryRun, warn: (text: string) => this.request.warn(text) };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const old = registry.cache.get(objectKey(this.namespace, name));
      if (!old) throw notFoundError(POD_DISRUPTION_BUDGETS, name);
      const present = old.object as V1PodDisruptionBudget;
      const next = { ...present, status: takeDisruption(present, this.name, timestamp(this.context.clock.now())) };
      if (this.dryRun || (await registry.replace(write, old, next))) return;
    }
    throw timeoutError(`couldn't update PodDisruptionBudget ${JSON.stringify(name)} due to conflicts`, 10);
  }

  /** @param guard resource version that the pod must still have */
  private async delete(guard: string | undefined): Promise<void> {
    const { preconditions, gracePeriodSeconds, orphanDependents, propagationPolicy } = this.options;
    let resourceVersion = preconditions?.resourceVersion ?? guard;
    if (!this.dryRun) {
      const marked = await updatePodAsIs(this.context, this.request, this.namespace, this.name, false, (pod) => this.marked(pod, preconditions?.uid, resourceVersion));
      // The mark itself has changed it.
      if (resourceVersion !== undefined) resourceVersion = marked.metadata?.resourceVersion;
    }
    await deleteObject(podRegistry(this.context), {
      namespace: this.namespace,
      name: this.name,
      user: this.request.user,
      dryRun: this.dryRun,
      warn: (text) => this.request.warn(text),
      validate: () => undefined,
      options: {
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        ...(orphanDependents === undefined ? {} : { orphanDependents }),
        ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
        preconditions: { ...(preconditions?.uid === undefined ? {} : { uid: preconditions.uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      },
    });
  }

  /** The pod with the condition that says why it goes. */
  private marked(pod: V1Pod | undefined, uid: string | undefined, resourceVersion: string | undefined): V1Pod {
    if (!pod) throw notFoundError(PODS, this.name);
    const metadata = pod.metadata ?? {};
    const names = { group: '', resource: 'Pod' };
    if (uid && uid !== metadata.uid) {
      throw conflictError(names, this.name, `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`);
    }
    if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
      throw conflictError(names, this.name, `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`);
    }
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting', lastTransitionTime: timestamp(this.context.clock.now()) };
    return { ...pod, status: { ...pod.status, conditions: withCondition(pod.status?.conditions, condition) } };
  }
}
