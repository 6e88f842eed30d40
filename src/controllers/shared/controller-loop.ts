import type { KubeObject } from '../../api/meta/object.js';
import type { Informer } from '../../client/index.js';
import { createWorkQueue, runWorkers, type Reconcile, type WorkQueue } from '../../reconcile/index.js';
import type { Controller, ControllerContext } from '../controller.js';

/** What {@link controllerLoop} needs. */
export interface ControllerLoopOptions {
  /** In log lines and metrics. */
  readonly name: string;
  /** Keys worked on at the same time; default 5. */
  readonly workers?: number;
  /** Work begins when these are synced. */
  readonly informers: readonly Pick<Informer<KubeObject>, 'whenSynced'>[];
  readonly reconcile: Reconcile;
  /** Handlers that were added, and whatever else has to be undone at the end. */
  readonly cleanup?: readonly (() => void)[];
}

/** The queue that handlers fill, made before them. */
export function controllerQueue(context: ControllerContext, name: string): ReturnType<typeof createWorkQueue> {
  return createWorkQueue({ clock: context.clock, name, ...(context.metrics ? { metrics: context.metrics } : {}) });
}

/** Runs the workers of a controller over its queue until it is stopped. */
export function controllerLoop(context: ControllerContext, queue: ReturnType<typeof createWorkQueue>, options: ControllerLoopOptions): Controller {
  const stopping = new AbortController();
  const ready = Promise.all(options.informers.map((informer) => informer.whenSynced(stopping.signal))).then(() => undefined);
  const workers = runWorkers({
    name: options.name,
    queue,
    reconcile: options.reconcile,
    clock: context.clock,
    log: context.log,
    ready,
    ...(options.workers ? { workers: options.workers } : {}),
    ...(context.metrics ? { metrics: context.metrics } : {}),
  });
  return {
    stop: async () => {
      stopping.abort();
      for (const undo of options.cleanup ?? []) undo();
      await workers.stop();
    },
  };
}

/** Adds the object's key to the queue on each of its events. */
export function enqueueOwnEvents<T extends KubeObject>(informer: Informer<T>, queue: WorkQueue, keyOf: (object: T) => string): () => void {
  return informer.addHandler({
    add: (object) => queue.add(keyOf(object)),
    update: (object) => queue.add(keyOf(object)),
    delete: (object) => queue.add(keyOf(object)),
  });
}
