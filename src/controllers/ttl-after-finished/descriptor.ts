import type { V1Job } from '../../api/generated/types.js';
import { JOBS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';

/** When a finished job has to go, in milliseconds; undefined: never, or not finished yet. */
export function expiryOf(job: V1Job): number | undefined {
  const seconds = job.spec?.ttlSecondsAfterFinished;
  if (seconds === undefined || job.metadata?.deletionTimestamp) return undefined;
  const finished = job.status?.conditions?.find((condition) => (condition.type === 'Complete' || condition.type === 'Failed') && condition.status === 'True');
  const at = parseTimestamp(finished?.lastTransitionTime);
  return at === undefined ? undefined : at + seconds * 1000;
}

/** Deletes jobs `ttlSecondsAfterFinished` after they ended, with their pods. */
export const ttlAfterFinishedController: ControllerDescriptor = {
  name: 'ttl-after-finished-controller',
  serviceAccount: 'ttl-after-finished-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'ttl-after-finished');
    const jobs = context.informers.informer(JOBS);
    const client = context.client.resource(JOBS);
    const enqueue = (job: V1Job): void => {
      if (expiryOf(job) !== undefined) queue.add(keyOf(job));
    };
    return controllerLoop(context, queue, {
      name: 'ttl-after-finished',
      informers: [jobs],
      cleanup: [jobs.addHandler({ add: enqueue, update: enqueue })],
      reconcile: async (key) => {
        const { namespace, name } = splitKey(key);
        const cached = jobs.get(namespace, name);
        const left = cached ? (expiryOf(cached) ?? Infinity) - context.clock.now() : Infinity;
        if (left > 0) return left === Infinity ? undefined : { requeueAfterMilliseconds: left };
        try {
          // Somebody may have given the job more time since.
          const fresh = await client.get(namespace, name);
          const at = expiryOf(fresh);
          if (at === undefined) return undefined;
          if (at > context.clock.now()) return { requeueAfterMilliseconds: at - context.clock.now() };
          const { uid = '', resourceVersion = '' } = fresh.metadata ?? {};
          await client.delete(namespace, name, { propagationPolicy: 'Foreground', preconditions: { uid, resourceVersion } });
        } catch (error) {
          if (!StatusError.is(error, 'NotFound')) throw error;
        }
        return undefined;
      },
    });
  },
};
