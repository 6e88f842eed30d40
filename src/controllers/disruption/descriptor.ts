import type { V1LabelSelector, V1Pod, V1PodDisruptionBudget, V1Scale } from '../../api/generated/types.js';
import { withCondition } from '../../api/helpers/conditions.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { controllerOf } from '../../api/helpers/owner-references.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import { parseApiVersion } from '../../api/meta/object.js';
import { DEPLOYMENTS, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS, type ResourceRef } from '../../api/resource-refs.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';
import { StatusError } from '../../api/status-error.js';
import type { ControllerContext, ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { discover } from '../shared/discovery.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { timestamp } from '../../api/meta/timestamp.js';
import { updateStatus } from '../shared/status-update.js';
import { budgetNumbers, needsScales, type ScaleOfOwner } from './budget.js';

/** A pod whose disruption was announced but that did not go loses the announcement after this. */
const STALE_DISRUPTION_MILLISECONDS = 120_000;

/** Upstream's name for it in events. */
const EVENT_SOURCE = 'controllermanager';

/** Built-in kinds with replicas, of which a local copy is kept. */
const SCALED: readonly ResourceRef[] = [REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS, DEPLOYMENTS];

/** Keeps the status of disruption budgets, from which evictions are allowed or refused. */
export const disruptionController: ControllerDescriptor = {
  name: 'disruption-controller',
  serviceAccount: 'disruption-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'disruption');
    const budgets = context.informers.informer(POD_DISRUPTION_BUDGETS);
    const pods = context.informers.informer(PODS);
    const owners = SCALED.map((ref) => context.informers.informer(ref));
    const scales = new OwnerScales(context);
    const matcherOf = cachedMatcher();
    const enqueue = (budget: V1PodDisruptionBudget): void => queue.add(keyOf(budget));
    const enqueueForPod = (pod: V1Pod): void => {
      for (const budget of budgets.list(pod.metadata?.namespace ?? '')) if (matcherOf(budget)(pod.metadata?.labels ?? {})) enqueue(budget);
    };
    const cleanup = [
      budgets.addHandler({ add: enqueue, update: enqueue }),
      pods.addHandler({
        add: enqueueForPod,
        update: (pod, previous) => {
          enqueueForPod(pod);
          if (pod.metadata?.labels !== previous.metadata?.labels) enqueueForPod(previous);
        },
        delete: enqueueForPod,
      }),
      ...owners.map((informer) =>
        informer.addHandler({
          update: (object, previous) => {
            // A new scale changes what a percentage means.
            if (object.metadata?.generation !== previous.metadata?.generation) for (const budget of budgets.list(object.metadata?.namespace ?? '')) if (needsScales(budget)) enqueue(budget);
          },
        })),
    ];
    return controllerLoop(context, queue, {
      name: 'disruption',
      informers: [budgets, pods, ...owners],
      cleanup,
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const budget = budgets.get(namespace, name);
        if (!budget) return undefined;
        const matches = matcherOf(budget);
        const members = pods.list(namespace).filter((pod) => matches(pod.metadata?.labels ?? {}));
        const now = context.clock.now();
        let ownerScales: readonly ScaleOfOwner[] = [];
        const recorder = context.recorder.withComponent(EVENT_SOURCE);
        if (needsScales(budget)) {
          try {
            ownerScales = await scales.of(members.filter(controllerOf));
          } catch (error) {
            const message = error instanceof Error ? error.message : String(error);
            recorder.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', `Failed to calculate the number of expected pods: ${message}`);
            await writeStatus(context, budget, { disruptionsAllowed: 0 }, { status: 'False', reason: 'SyncFailed', message });
            throw error;
          }
        }
        if (needsScales(budget) && !members.every(controllerOf)) recorder.event(budget, 'Warning', 'UnmanagedPods', unmanagedMessage(budget));
        if (members.length === 0) recorder.event(budget, 'Normal', 'NoPods', 'No matching pods found');
        const { recheckAt, ...numbers } = budgetNumbers(budget, members, ownerScales, now);
        const sufficient = numbers.disruptionsAllowed > 0;
        await writeStatus(context, budget, numbers, { status: sufficient ? 'True' : 'False', reason: sufficient ? 'SufficientPods' : 'InsufficientPods', message: '' });
        await clearStaleDisruptions(context, members, now);
        return recheckAt === undefined ? undefined : { requeueAfterMilliseconds: Math.max(0, recheckAt - now) };
      },
    });
  },
};

function unmanagedMessage({ spec }: V1PodDisruptionBudget): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${goSelector(spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated ` +
    'correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

/** A selector as Go prints it. */
function goSelector(selector: V1LabelSelector | undefined): string {
  if (!selector) return 'nil';
  const labels = Object.keys(selector.matchLabels ?? {}).sort().map((key) => `${key}: ${selector.matchLabels![key]},`).join('');
  const expressions = (selector.matchExpressions ?? [])
    .map(({ key, operator, values }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

async function writeStatus(
  context: ControllerContext,
  budget: V1PodDisruptionBudget,
  numbers: Partial<NonNullable<V1PodDisruptionBudget['status']>>,
  condition: { readonly status: string; readonly reason: string; readonly message: string },
): Promise<void> {
  const old = budget.status;
  const status = {
    currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0,
    ...old,
    ...numbers,
    observedGeneration: budget.metadata?.generation ?? 0,
    conditions: withCondition(old?.conditions, {
      type: 'DisruptionAllowed', ...condition, observedGeneration: budget.metadata?.generation ?? 0, lastTransitionTime: timestamp(context.clock.now()),
    }),
  };
  if (deepEqual({ ...old, disruptedPods: old?.disruptedPods ?? {} }, { ...status, disruptedPods: status.disruptedPods ?? {} })) return;
  // Evictions count the budget down on the newest object: a conflict means new numbers, not a second try with old ones.
  await updateStatus(context.client.resource(POD_DISRUPTION_BUDGETS), budget, (current) => {
    if (current !== budget) throw new StatusError({ code: 409, reason: 'Conflict', status: 'Failure', message: 'the budget has changed; counting again' });
    return { ...current, status };
  });
}

async function clearStaleDisruptions(context: ControllerContext, pods: readonly V1Pod[], now: number): Promise<void> {
  for (const pod of pods) {
    const condition = pod.status?.conditions?.find((entry) => entry.type === 'DisruptionTarget' && entry.status === 'True');
    if (!condition || pod.metadata?.deletionTimestamp || isPodTerminal(pod)) continue;
    if (now - Date.parse(condition.lastTransitionTime ?? '') < STALE_DISRUPTION_MILLISECONDS) continue;
    const conditions = [{ type: 'DisruptionTarget', status: 'False', lastTransitionTime: timestamp(now) }];
    await context.client.resource(PODS).patch(pod.metadata?.namespace ?? '', pod.metadata?.name ?? '', 'strategic', { metadata: { uid: pod.metadata?.uid }, status: { conditions } }, 'status');
  }
}

/** Selectors parsed once per state of a budget. */
function cachedMatcher(): (budget: V1PodDisruptionBudget) => (labels: Readonly<Record<string, string>>) => boolean {
  const cache = new WeakMap<V1PodDisruptionBudget, LabelSelector>();
  return (budget) => {
    const selector = cache.get(budget) ?? LabelSelector.fromObject(budget.spec?.selector);
    cache.set(budget, selector);
    return (labels) => selector.matches(labels);
  };
}

/** Finds the scale of what controls pods, through the `scale` subresource of any kind. */
class OwnerScales {
  constructor(private readonly context: ControllerContext) {}

  async of(pods: readonly V1Pod[]): Promise<readonly ScaleOfOwner[]> {
    const owners = new Map<string, ScaleOfOwner>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (!owner || owners.has(owner.uid)) continue;
      owners.set(owner.uid, { uid: owner.uid, replicas: await this.replicas(owner, pod.metadata?.namespace ?? '') });
    }
    return [...owners.values()];
  }

  private async replicas(owner: { readonly apiVersion: string; readonly kind: string; readonly name: string }, namespace: string): Promise<number> {
    const gv = parseApiVersion(owner.apiVersion);
    const builtIn = SCALED.find((ref) => ref.kind === owner.kind && ref.group === gv?.group);
    if (builtIn) {
      const object = this.context.informers.informer(builtIn).get(namespace, owner.name);
      const above = object && owner.kind === 'ReplicaSet' ? controllerOf(object) : undefined;
      // A replica set of a deployment is half the truth during a rollout.
      if (above?.kind === 'Deployment') return this.replicas(above, namespace);
      if (!object) return 0;
      return (object as { spec?: { replicas?: number } }).spec?.replicas ?? 1;
    }
    const { resources } = await discover(this.context.client);
    const resource = resources.find((entry) => entry.kind === owner.kind && entry.group === gv?.group);
    if (!resource) throw new Error(`${owner.kind}.${gv?.group ?? ''} does not implement the scale subresource`);
    try {
      const scale = await this.context.client.resource(resource).getSubresource<V1Scale>(namespace, owner.name, 'scale');
      return scale.spec?.replicas ?? 0;
    } catch (error) {
      if (StatusError.is(error, 'NotFound')) throw new Error(`${owner.kind}.${gv?.group ?? ''} does not implement the scale subresource`);
      throw error;
    }
  }
}
