import type { V1Pod } from '../api/generated/types.js';
import type { Component } from '../base/component.js';
import { sleep } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import type { EventRecorder } from '../reconcile/index.js';
import { Bindings, type BindingContext } from './binding-cycle.js';
import { SchedulerCache } from './cache/scheduler-cache.js';
import type { SchedulerEnvironment } from './environment.js';
import { addEventHandlers } from './event-handlers.js';
import { httpExtender, type Extender } from './extender.js';
import { fetchPost } from './fetch-post.js';
import { Profile } from './framework/profile.js';
import { createListers } from './listers.js';
import { SchedulerMetrics } from './metrics.js';
import type { SchedulerOptions } from './options.js';
import { AssumeCache } from './plugins/assume-cache.js';
import { createPlugins, type SharedPluginState } from './plugins/registry.js';
import { PreemptionExecutor } from './plugins/preemption-executor.js';
import { PodStatusUpdater } from './pod-status-updater.js';
import { Nominator } from './queue/nominator.js';
import { SchedulingQueue } from './queue/scheduling-queue.js';
import { NodeChooser } from './schedule-pod.js';
import { SchedulingCycle } from './scheduling-cycle.js';
import { SchedulingLoop } from './scheduling-loop.js';

/** Everything that lives while the scheduler runs. */
interface Running {
  readonly queue: SchedulingQueue;
  readonly loop: SchedulingLoop;
  readonly bindings: Bindings;
  readonly status: PodStatusUpdater;
  /** Ends the watching. */
  readonly detach: () => void;
}

/**
 * The Kubernetes scheduler: watches pods without a node and binds each to the node that its profile's plugins like best.
 * Throws `KUBE_SCHEDULER_CONFIG` from `start` when the options name plugins that do not exist, or two profiles have the same name.
 */
export function createScheduler(options: SchedulerOptions, env: SchedulerEnvironment): Component {
  let running: Running | undefined;
  let stopped = false;
  return {
    name: 'scheduler',
    start: async (signal) => {
      running = build(options, env);
      env.informers.start();
      await env.informers.waitForSync(signal);
      // `stop` may have come while the informers were filling.
      if (!stopped && !signal.aborted) running.loop.start();
    },
    stop: async (deadlineMilliseconds) => {
      stopped = true;
      if (!running) return;
      const { queue, loop, bindings, status, detach } = running;
      running = undefined;
      queue.close();
      detach();
      const done = new AbortController();
      await Promise.race([loop.stop().then(() => bindings.drain()), sleep(env.clock, deadlineMilliseconds, done.signal)]);
      done.abort();
      status.close();
    },
  };
}

function build(options: SchedulerOptions, env: SchedulerEnvironment): Running {
  const { client, clock, random, log } = env;
  const listers = createListers(env.informers);
  const cache = new SchedulerCache();
  const recorders = new Map<string, EventRecorder>();
  const recorderOf = (schedulerName: string): EventRecorder => {
    let recorder = recorders.get(schedulerName);
    if (!recorder) recorders.set(schedulerName, (recorder = env.recorder.withComponent(schedulerName)));
    return recorder;
  };
  const latest = (pod: V1Pod): V1Pod | undefined => listers.pods.get(pod.metadata?.namespace ?? '', pod.metadata?.name ?? '');
  const status = new PodStatusUpdater(client, clock, log, latest);
  const nominator = new Nominator((pod) => {
    const known = latest(pod.pod);
    return known !== undefined && !known.spec?.nodeName;
  });
  const extenders: readonly Extender[] = (options.extenders ?? []).map((one) => httpExtender(one, env.post ?? fetchPost));
  const metrics: SchedulerMetrics = new SchedulerMetrics(env.metrics, {
    pending: () => queue.sizes,
    cache: () => ({ nodes: cache.nodeCount, pods: cache.podCount, assumedPods: cache.assumedPodCount }),
    bindings: () => bindings.size,
  });
  const cancelPreBind = (uid: string, reason: string): boolean => bindings.cancel(uid, reason);
  const executor = new PreemptionExecutor({
    client, clock, log, recorderOf, status, cancelPreBind,
    pods: listers.pods,
    activate: (pod) => queue.activate([pod]),
    release: (uid) => queue.ungate(uid, 'DefaultPreemption'),
    observe: (result, seconds) => {
      metrics.preemptionRuns.inc({ result });
      metrics.preemptionSeconds.observe({ result }, seconds);
    },
  });
  const preemption = {
    clock, random, nominator, executor, extenders,
    pods: listers.pods,
    budgets: listers.budgets,
    observe: (victims: number) => {
      metrics.preemptionAttempts.inc();
      if (victims > 0) metrics.preemptionVictims.observe(victims);
    },
  };
  const shared: SharedPluginState = { claims: new AssumeCache(listers.claims), volumes: new AssumeCache(listers.volumes) };
  const profiles = new Map<string, Profile>();
  for (const profileOptions of options.profiles?.length ? options.profiles : [{}]) {
    const profile = new Profile(profileOptions, createPlugins(profileOptions, { client, clock, listers, preemption }, shared), extenders.length > 0);
    if (profiles.has(profile.schedulerName)) throw new KubeError('KUBE_SCHEDULER_CONFIG', `duplicate profile with scheduler name "${profile.schedulerName}"`);
    profiles.set(profile.schedulerName, profile);
  }
  const queue = new SchedulingQueue({
    clock, log, profiles, nominator,
    initialBackoffMilliseconds: (options.podInitialBackoffSeconds ?? 1) * 1000,
    maximumBackoffMilliseconds: (options.podMaxBackoffSeconds ?? 10) * 1000,
    observer: {
      incoming: (name, event) => metrics.incoming(name, event),
      rejected: (plugin, profile, change) => metrics.unschedulablePods.inc({ plugin, profile }, change),
      hint: (plugin, event, hint, seconds) => metrics.hint(plugin, event, hint, seconds),
      gated: ({ pod }, plugin) => {
        if (plugin === 'SchedulingGates') status.update(pod, { condition: GATED });
      },
    },
    onReady: () => loop.wake(),
  });
  const context: BindingContext = { clock, log, cache, queue, nominator, recorderOf, status, metrics, extenders, pods: listers.pods };
  const bindings = new Bindings(context);
  const chooser = new NodeChooser({ clock, random, log, nominator, extenders, metrics, percentageOfNodesToScore: options.percentageOfNodesToScore ?? 0 });
  const cycle = new SchedulingCycle(context, chooser, bindings);
  const loop = new SchedulingLoop(clock, log, () => queue.pop(), (pod) => cycle.attempt(pod), () => bindings.congestion());
  const removeHandlers = addEventHandlers({ clock, cache, queue, metrics, status, cancelPreBind, isResponsible: (pod) => profiles.has(pod.spec?.schedulerName ?? '') }, listers);
  const detach = (): void => {
    removeHandlers();
    shared.claims.close();
    shared.volumes.close();
  };
  return { queue, loop, bindings, status, detach };
}

/** The API server sets this on new pods; pods that got their gates otherwise have it from here. */
const GATED = { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'Scheduling is blocked due to non-empty scheduling gates' } as const;
