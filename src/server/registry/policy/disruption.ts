import type { V1Pod, V1PodDisruptionBudget, V1PodDisruptionBudgetStatus } from '../../../api/generated/types.js';
import { findCondition, withCondition } from '../../../api/helpers/conditions.js';
import { isPodReady } from '../../../api/helpers/pod-state.js';
import { LabelSelector } from '../../../api/selectors/label-selector.js';
import { forbiddenError, tooManyRequestsError, type StatusError } from '../../../api/status-error.js';
import { KubeError } from '../../../base/errors.js';

const BUDGETS = { group: 'policy', resource: 'poddisruptionbudget' };
const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
/** More evictions that the controller has not confirmed are not let in. */
const MAX_DISRUPTED_PODS = 2000;

function refused(message: string, retryAfterSeconds: number): StatusError {
  return tooManyRequestsError(REFUSED, retryAfterSeconds, [{ reason: 'DisruptionBudget', message }]);
}

/** The budget's numbers are not up to date. */
export const beingProcessedError = (name: string): StatusError => refused(`The disruption budget ${name} is still being processed by the server.`, 10);

/** The budgets that cover a pod. */
export function budgetsOf(pod: V1Pod, budgets: readonly V1PodDisruptionBudget[]): V1PodDisruptionBudget[] {
  return budgets.filter((budget) => {
    try {
      return LabelSelector.fromObject(budget.spec?.selector).matches(pod.metadata?.labels);
    } catch (error) {
      // A selector that cannot be read matches nothing.
      if (error instanceof KubeError) return false;
      throw error;
    }
  });
}

/** Pods that no longer serve or do not serve yet, whose eviction disrupts nothing. */
export function needsNoBudget(pod: V1Pod): boolean {
  const phase = pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata?.deletionTimestamp !== undefined;
}

/** Whether a pod that is not ready may go without counting, by the budget's policy for such pods. */
export function mayEvictUnready(pod: V1Pod, budget: V1PodDisruptionBudget): boolean {
  if (isPodReady(pod)) return false;
  if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** The budget's status after one more disruption. Throws 429 when it allows none. `now` is a timestamp. */
export function takeDisruption(budget: V1PodDisruptionBudget, podName: string, now: string): V1PodDisruptionBudgetStatus {
  const name = budget.metadata?.name ?? '';
  const status = budget.status ?? {};
  const allowed = status.disruptionsAllowed ?? 0;
  if ((status.observedGeneration ?? 0) < (budget.metadata?.generation ?? 0)) throw beingProcessedError(name);
  if (allowed < 0) throw forbiddenError(BUDGETS, name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS) {
    throw forbiddenError(BUDGETS, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (allowed === 0) throw refused(whyNone(name, status), 0);
  const disruptionsAllowed = allowed - 1;
  const exhausted = { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '', lastTransitionTime: now, observedGeneration: status.observedGeneration ?? 0 };
  return {
    ...status,
    disruptionsAllowed,
    disruptedPods: { ...status.disruptedPods, [podName]: now },
    ...(disruptionsAllowed === 0 ? { conditions: withCondition(status.conditions, exhausted) } : {}),
  };
}

function whyNone(name: string, status: V1PodDisruptionBudgetStatus): string {
  const condition = findCondition(status.conditions, 'DisruptionAllowed');
  const message = condition?.status === 'False' ? condition.message : '';
  if (message && condition?.reason === 'SyncFailed') return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${message}`;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  if (currentHealthy <= desiredHealthy) return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const suffix = message ? ` (${condition?.reason ?? ''}): ${message}` : '';
  return `The disruption budget ${name} does not allow evicting pods currently${suffix}`;
}
