import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What queues and workers report. `name` is the controller's. */
export interface QueueMetrics {
  added(name: string): void;
  retried(name: string): void;
  depth(name: string, length: number): void;
  /** Seconds between addition and start of work. */
  waited(name: string, seconds: number): void;
  /** Seconds of one reconcile. */
  worked(name: string, seconds: number): void;
}

/** Reports nothing. */
export const noQueueMetrics: QueueMetrics = {
  added: () => undefined,
  retried: () => undefined,
  depth: () => undefined,
  waited: () => undefined,
  worked: () => undefined,
};

const BUCKETS = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10];

/** Upstream's `workqueue_*` metrics in a registry; the same registry may be given again. */
export function createQueueMetrics(registry: Registry): QueueMetrics {
  const adds = counter(registry, 'workqueue_adds_total', 'Total number of adds handled by workqueue');
  const retries = counter(registry, 'workqueue_retries_total', 'Total number of retries handled by workqueue');
  const depth = (registry.getSingleMetric('workqueue_depth') as Gauge<'name'> | undefined)
    ?? new Gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', labelNames: ['name'], registers: [registry] });
  const waits = histogram(registry, 'workqueue_queue_duration_seconds', 'How long in seconds an item stays in workqueue before being requested.');
  const work = histogram(registry, 'workqueue_work_duration_seconds', 'How long in seconds processing an item from workqueue takes.');
  return {
    added: (name) => adds.inc({ name }),
    retried: (name) => retries.inc({ name }),
    depth: (name, length) => depth.set({ name }, length),
    waited: (name, seconds) => waits.observe({ name }, seconds),
    worked: (name, seconds) => work.observe({ name }, seconds),
  };
}

function counter(registry: Registry, name: string, help: string): Counter<'name'> {
  return (registry.getSingleMetric(name) as Counter<'name'> | undefined) ?? new Counter({ name, help, labelNames: ['name'], registers: [registry] });
}

function histogram(registry: Registry, name: string, help: string): Histogram<'name'> {
  return (registry.getSingleMetric(name) as Histogram<'name'> | undefined) ?? new Histogram({ name, help, labelNames: ['name'], buckets: BUCKETS, registers: [registry] });
}
