import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from 'prom-client';
import { KeyedCounter } from '../base/metrics/keyed-counter.js';
import { KeyedHistogram } from '../base/metrics/keyed-histogram.js';

/** Numbers that are read when metrics are collected. */
export interface MetricSources {
  readonly pending: () => { readonly active: number; readonly backoff: number; readonly unschedulable: number; readonly gated: number; readonly inFlightEvents: number };
  readonly cache: () => { readonly nodes: number; readonly pods: number; readonly assumedPods: number };
  readonly bindings: () => number;
}

export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

/** The scheduler's metrics, under upstream's names, in one registry. Durations are in seconds. */
export class SchedulerMetrics {
  readonly algorithmSeconds: Histogram;
  readonly podAttempts: Histogram;
  readonly scheduledAfterFlush: Counter;
  readonly preemptionVictims: Histogram;
  readonly preemptionAttempts: Counter;
  readonly preemptionRuns: Counter<'result'>;
  readonly preemptionSeconds: Histogram<'result'>;
  readonly unschedulablePods: Gauge<'plugin' | 'profile'>;
  private readonly attempts: KeyedCounter<'result' | 'profile'>;
  private readonly attemptSeconds: KeyedHistogram<'result' | 'profile'>;
  private readonly sliSeconds: KeyedHistogram<'attempts'>;
  private readonly extensionPointSeconds: KeyedHistogram<'extension_point' | 'status' | 'profile'>;
  private readonly pluginSeconds: KeyedHistogram<'plugin' | 'extension_point' | 'status'>;
  private readonly evaluations: KeyedCounter<'plugin' | 'extension_point' | 'profile'>;
  private readonly incomingPods: KeyedCounter<'queue' | 'event'>;
  private readonly hintSeconds: KeyedHistogram<'plugin' | 'event' | 'hint'>;
  private readonly eventSeconds: KeyedHistogram<'event'>;

  constructor(registry: Registry, sources: MetricSources) {
    // A scheduler that is started again takes the place of the one before.
    for (const { name } of registry.getMetricsAsArray()) if (name.startsWith('scheduler_')) registry.removeSingleMetric(name);
    const registers = [registry];
    const attemptBuckets = exponentialBuckets(0.001, 2, 15);
    const stageBuckets = exponentialBuckets(0.0001, 2, 12);
    const pluginBuckets = exponentialBuckets(0.00001, 1.5, 20);
    this.attempts = new KeyedCounter('scheduler_schedule_attempts_total', "Number of attempts to schedule pods, by the result: 'unschedulable' means that no node fits, 'error' an internal problem.", ['result', 'profile'], registry);
    this.attemptSeconds = new KeyedHistogram('scheduler_scheduling_attempt_duration_seconds', 'Latency of an attempt, binding included.', ['result', 'profile'], attemptBuckets, registry);
    this.algorithmSeconds = new Histogram({ name: 'scheduler_scheduling_algorithm_duration_seconds', help: 'Latency of choosing a node.', buckets: attemptBuckets, registers });
    this.sliSeconds = new KeyedHistogram('scheduler_pod_scheduling_sli_duration_seconds', 'Latency from entering the queue to being bound, over all attempts.', ['attempts'], exponentialBuckets(0.01, 2, 20), registry);
    this.podAttempts = new Histogram({ name: 'scheduler_pod_scheduling_attempts', help: 'Number of attempts that it took to schedule a pod.', buckets: exponentialBuckets(1, 2, 5), registers });
    this.scheduledAfterFlush = new Counter({ name: 'scheduler_pod_scheduled_after_flush_total', help: 'Number of pods scheduled after having waited for the maximum time without a fitting event.', registers });
    this.extensionPointSeconds = new KeyedHistogram('scheduler_framework_extension_point_duration_seconds', 'Latency of all plugins of an extension point.', ['extension_point', 'status', 'profile'], stageBuckets, registry);
    this.pluginSeconds = new KeyedHistogram('scheduler_plugin_execution_duration_seconds', 'Duration of a plugin at an extension point; sampled.', ['plugin', 'extension_point', 'status'], pluginBuckets, registry);
    this.evaluations = new KeyedCounter('scheduler_plugin_evaluation_total', 'Number of attempts that a plugin took part in.', ['plugin', 'extension_point', 'profile'], registry);
    this.preemptionVictims = new Histogram({ name: 'scheduler_preemption_victims', help: 'Number of victims of a preemption.', buckets: exponentialBuckets(1, 2, 7), registers });
    this.preemptionAttempts = new Counter({ name: 'scheduler_preemption_attempts_total', help: 'Number of preemption attempts.', registers });
    this.preemptionRuns = new Counter({ name: 'scheduler_preemption_goroutines_execution_total', help: 'Number of background removals of victims.', labelNames: ['result'], registers });
    this.preemptionSeconds = new Histogram({ name: 'scheduler_preemption_goroutines_duration_seconds', help: 'Duration of background removals of victims.', labelNames: ['result'], buckets: exponentialBuckets(0.01, 2, 20), registers });
    this.unschedulablePods = new Gauge({ name: 'scheduler_unschedulable_pods', help: 'Number of pods that a plugin keeps from being scheduled; a pod counts for each of its plugins.', labelNames: ['plugin', 'profile'], registers });
    this.incomingPods = new KeyedCounter('scheduler_queue_incoming_pods_total', 'Number of pods added to a queue, by event.', ['queue', 'event'], registry);
    this.hintSeconds = new KeyedHistogram('scheduler_queueing_hint_execution_duration_seconds', 'Duration of a queueing hint.', ['plugin', 'event', 'hint'], pluginBuckets, registry);
    this.eventSeconds = new KeyedHistogram('scheduler_event_handling_duration_seconds', 'Latency of handling an event.', ['event'], stageBuckets, registry);
    gauge(registry, 'pending_pods', 'Number of pending pods by queue.', 'queue', () => {
      const { active, backoff, unschedulable, gated } = sources.pending();
      return { active, backoff, unschedulable, gated };
    });
    gauge(registry, 'inflight_events', 'Number of events that are kept for pods being tried.', 'event', () => ({ all: sources.pending().inFlightEvents }));
    gauge(registry, 'cache_size', 'Number of nodes, pods and assumed pods in the cache.', 'type', () => {
      const { nodes, pods, assumedPods } = sources.cache();
      return { nodes, pods, assumed_pods: assumedPods };
    });
    gauge(registry, 'goroutines', 'Number of running background tasks by kind.', 'operation', () => ({ binding: sources.bindings() }));
  }

  /** An attempt ended. */
  attempt(result: AttemptResult, profile: string, seconds: number): void {
    const key = `${result}\n${profile}`;
    const labels = (): { result: string; profile: string } => ({ result, profile });
    this.attempts.add(key, labels);
    this.attemptSeconds.record(key, labels, seconds);
  }

  /** A pod was bound after so many attempts. */
  scheduled(attempts: number, seconds: number): void {
    const label = attempts >= 15 ? '15+' : String(attempts);
    this.podAttempts.observe(attempts);
    this.sliSeconds.record(label, () => ({ attempts: label }), seconds);
  }

  stage(extensionPoint: string, status: 'Success' | 'Unschedulable', profile: string, seconds: number): void {
    this.extensionPointSeconds.record(`${extensionPoint}\n${status}\n${profile}`, () => ({ extension_point: extensionPoint, status, profile }), seconds);
  }

  /** A plugin takes part in an attempt. */
  evaluated(plugin: string, extensionPoint: string, profile: string): void {
    this.evaluations.add(`${plugin}\n${extensionPoint}\n${profile}`, () => ({ plugin, extension_point: extensionPoint, profile }));
  }

  pluginRan(plugin: string, extensionPoint: string, seconds: number): void {
    this.pluginSeconds.record(`${plugin}\n${extensionPoint}`, () => ({ plugin, extension_point: extensionPoint, status: 'Success' }), seconds);
  }

  incoming(queue: string, event: string): void {
    this.incomingPods.add(`${queue}\n${event}`, () => ({ queue, event }));
  }

  hint(plugin: string, event: string, hint: string, seconds: number): void {
    this.hintSeconds.record(`${plugin}\n${event}\n${hint}`, () => ({ plugin, event, hint }), seconds);
  }

  handled(event: string, seconds: number): void {
    this.eventSeconds.record(event, () => ({ event }), seconds);
  }
}

function gauge(registry: Registry, name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void {
  new Gauge({
    name: `scheduler_${name}`,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      for (const [value, number] of Object.entries(read())) this.set({ [label]: value }, number);
    },
  });
}
