import { errorMessage } from '../../../base/errors.js';
import { checkVolumes, VolumeError } from '../../references/volumes.js';
import type { PodStep } from '../pod-run.js';

/** Everything that the pod's volumes are made of must exist before its sandbox is made. */
export const volumesStep: PodStep = {
  name: 'volumes',
  async prepare({ node, pod, plan }) {
    if (plan.start.length === 0) return;
    try {
      await checkVolumes(pod, node.references);
    } catch (error) {
      if (error instanceof VolumeError) node.events.pod(pod, 'Warning', 'FailedMount', errorMessage(error));
      throw error;
    }
  },
  teardown: () => Promise.resolve(),
};
