import { createWorkQueue } from '../../reconcile/index.js';
import type { ControllerContext, ControllerDescriptor } from '../controller.js';
import { controllerLoop } from '../shared/controller-loop.js';
import { JobReconciler } from './reconciler.js';

const INITIAL_MILLISECONDS = 1_000;
const MAXIMUM_MILLISECONDS = 60_000;

/** Runs pods to completion. */
export const jobController: ControllerDescriptor = {
  name: 'job-controller',
  serviceAccount: 'job-controller',
  enabledByDefault: true,
  start: (context) => {
    const [queue, orphans] = [patientQueue(context, 'job'), patientQueue(context, 'job-orphan-pod')];
    const reconciler = new JobReconciler({ ...context, recorder: context.recorder.withComponent('job-controller') }, queue, orphans);
    const { informers } = reconciler;
    const loops = [
      controllerLoop(context, queue, { name: 'job', informers, reconcile: (key) => reconciler.reconcile(key), cleanup: reconciler.watch() }),
      controllerLoop(context, orphans, { name: 'job-orphan-pod', informers, reconcile: (key) => reconciler.releaseOrphan(key) }),
    ];
    return { stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) };
  },
};

/** Failures come back after 1 s to 60 s: a quota that refuses pods is not asked every few milliseconds. */
function patientQueue(context: ControllerContext, name: string): ReturnType<typeof createWorkQueue> {
  return createWorkQueue({
    clock: context.clock, name, initialMilliseconds: INITIAL_MILLISECONDS, maximumMilliseconds: MAXIMUM_MILLISECONDS,
    ...(context.metrics ? { metrics: context.metrics } : {}),
  });
}
