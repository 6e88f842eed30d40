import type { ControllerDescriptor } from '../controller.js';
import { NodeLifecycle } from './node-lifecycle.js';

/** Watches over the nodes' heartbeats: conditions of silent ones, taints, readiness of their pods. */
export const nodeLifecycleController: ControllerDescriptor = {
  name: 'node-lifecycle-controller',
  serviceAccount: 'node-controller',
  enabledByDefault: true,
  start: (context) => new NodeLifecycle({ ...context, recorder: context.recorder.withComponent('node-controller') }),
};
