import type { V1Pod } from '../api/generated/types.js';
import { errorMessage } from '../base/errors.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Lister } from '../client/index.js';
import type { EventRecorder } from '../reconcile/index.js';
import { PodInfo } from './cache/pod-info.js';
import { FitError, fitErrorMessage, NoNodesError } from './framework/fit-error.js';
import type { SchedulerMetrics } from './metrics.js';
import type { PodStatusUpdater } from './pod-status-updater.js';
import type { Nominator } from './queue/nominator.js';
import type { QueuedPod } from './queue/queued-pod.js';
import type { SchedulingQueue } from './queue/scheduling-queue.js';

/** Longest note that an Event takes, in characters. */
const NOTE_LENGTH = 1024;

export interface FailureContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly pods: Lister<V1Pod>;
  readonly queue: SchedulingQueue;
  readonly nominator: Nominator;
  /** Events come from the scheduler that the pod names. */
  readonly recorderOf: (schedulerName: string) => EventRecorder;
  readonly status: PodStatusUpdater;
  readonly metrics: SchedulerMetrics;
}

/** What follows an attempt that did not succeed. */
export interface AttemptFailure {
  readonly error: unknown;
  /** Empty clears the nomination; undefined leaves it alone. */
  readonly nominatedNode: string | undefined;
  /** Monotonic milliseconds. */
  readonly start: number;
}

/** Puts the pod back into the queue and tells why it is pending: by an Event and by the condition `PodScheduled`. */
export function handleFailure(context: FailureContext, queued: QueuedPod, { error, nominatedNode, start }: AttemptFailure): void {
  const { queue, nominator, log } = context;
  const rejected = error instanceof FitError || error instanceof NoNodesError;
  const message = error instanceof FitError ? fitErrorMessage(error.diagnosis) : errorMessage(error);
  context.metrics.attempt(rejected ? 'unschedulable' : 'error', queued.profile.schedulerName, (context.clock.monotonic() - start) / 1000);
  queued.rejectors.clear();
  if (error instanceof FitError) for (const plugin of error.diagnosis.rejectors) queued.rejectors.add(plugin);
  if (!rejected) log.error('scheduling a pod failed', { pod: queued.info.key, error });
  let pod = queued.info.pod;
  const current = context.pods.get(queued.info.namespace, queued.info.name);
  if (!current || current.spec?.nodeName) queue.done(queued.info.uid);
  else if (current.metadata?.uid !== queued.info.uid) {
    // Another pod of the same name has taken its place.
    queue.done(queued.info.uid);
    return;
  } else {
    pod = current;
    queued.info = new PodInfo(current);
    queue.addUnschedulable(queued);
  }
  nominator.add(queued.info, nominatedNode);
  context.recorderOf(queued.profile.schedulerName).event(pod, 'Warning', 'FailedScheduling', message.length <= NOTE_LENGTH ? message : `${message.slice(0, NOTE_LENGTH - 4)} ...`, { action: 'Scheduling' });
  const generation = pod.metadata?.generation;
  context.status.update(pod, {
    condition: {
      type: 'PodScheduled',
      status: 'False',
      reason: rejected ? 'Unschedulable' : 'SchedulerError',
      message,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    },
    ...(nominatedNode === undefined ? {} : { nominatedNodeName: nominatedNode }),
  });
}
