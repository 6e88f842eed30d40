import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { DaemonSetReconciler } from './reconciler.js';

/** Keeps one pod on every node that qualifies. */
export const daemonSetController: ControllerDescriptor = {
  name: 'daemonset-controller',
  serviceAccount: 'daemon-set-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'daemonset');
    const reconciler = new DaemonSetReconciler({ ...context, recorder: context.recorder.withComponent('daemonset-controller') }, queue);
    return controllerLoop(context, queue, {
      name: 'daemonset',
      workers: 2,
      informers: reconciler.informers,
      reconcile: (key) => reconciler.reconcile(key),
      cleanup: reconciler.watch(),
    });
  },
};
