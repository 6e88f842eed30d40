import type { V1Pod } from '../../api/generated/types.js';
import { findCondition, withoutCondition } from '../../api/helpers/conditions.js';
import { isPodAvailable, isPodReady } from '../../api/helpers/pod-state.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';
import { errorMessage } from '../../base/errors.js';
import { newCondition, replaceCondition } from '../shared/conditions.js';
import { omitZero } from '../shared/omit-zero.js';
import type { ReplicaOwner, ReplicaStatus } from './replica-kind.js';

const REPLICA_FAILURE = 'ReplicaFailure';

/** What the status should be, given the owner's pods and the failure of the last attempt to change their number. */
export function replicaStatus(owner: ReplicaOwner, active: readonly V1Pod[], terminating: number | undefined, failure: unknown, now: number): ReplicaStatus {
  const templateLabels = LabelSelector.fromMap(owner.spec?.template?.metadata?.labels);
  const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
  let fullyLabeled = 0;
  let ready = 0;
  let available = 0;
  for (const pod of active) {
    if (templateLabels.matches(pod.metadata?.labels)) fullyLabeled += 1;
    if (!isPodReady(pod)) continue;
    ready += 1;
    if (isPodAvailable(pod, minReadySeconds, now)) available += 1;
  }
  return {
    replicas: active.length,
    ...omitZero({
      fullyLabeledReplicas: fullyLabeled,
      readyReplicas: ready,
      availableReplicas: available,
      observedGeneration: owner.metadata?.generation,
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...conditions(owner, active.length, failure, now),
  };
}

function conditions(owner: ReplicaOwner, replicas: number, failure: unknown, now: number): Pick<ReplicaStatus, 'conditions'> {
  const present = owner.status?.conditions;
  const current = findCondition(present, REPLICA_FAILURE);
  if (failure !== undefined && !current) {
    const difference = replicas - (owner.spec?.replicas ?? 0);
    const reason = difference < 0 ? 'FailedCreate' : difference > 0 ? 'FailedDelete' : '';
    return { conditions: replaceCondition(present, newCondition(REPLICA_FAILURE, 'True', reason, errorMessage(failure), now)) };
  }
  const left = failure === undefined && current ? withoutCondition(present, REPLICA_FAILURE) : (present ?? []);
  return left.length > 0 ? { conditions: left } : {};
}
