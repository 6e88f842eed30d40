import { VolumeError } from '../../volumes/volume-error.js';
import type { PodStep } from '../pod-run.js';

/** The pod's volumes: made before its sandbox is, gone once nothing of it runs any more. */
export const volumesStep: PodStep = {
  name: 'volumes',
  async prepare({ node, pod, plan }) {
    if (plan.start.length === 0) return node.volumes.adopt(pod);
    try {
      await node.volumes.setUp(pod);
    } catch (error) {
      if (error instanceof VolumeError) for (const message of error.messages) node.events.pod(pod, 'Warning', 'FailedMount', message);
      throw error;
    }
  },
  teardown: ({ node, pod }) => node.volumes.tearDown(pod.metadata?.uid ?? ''),
};
