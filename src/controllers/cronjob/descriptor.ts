import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { CronJobReconciler } from './reconciler.js';

/** Creates jobs by the clock. */
export const cronJobController: ControllerDescriptor = {
  name: 'cronjob-controller',
  serviceAccount: 'cronjob-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'cronjob');
    const reconciler = new CronJobReconciler({ ...context, recorder: context.recorder.withComponent('cronjob-controller') }, queue);
    return controllerLoop(context, queue, { name: 'cronjob', informers: reconciler.informers, reconcile: (key) => reconciler.reconcile(key), cleanup: reconciler.watch() });
  },
};
