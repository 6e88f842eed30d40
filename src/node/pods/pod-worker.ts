import type { V1Pod, V1PodStatus } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { isPodTerminal } from '../../api/helpers/pod-state.js';
import type { CancelTimer } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { ProbeResult } from '../probes/probe-metrics.js';
import { runProbe, type ProbeTarget } from '../probes/prober.js';
import { PodProbes } from '../probes/pod-probes.js';
import type { ProbeOutcome } from '../runtime/index.js';
import type { WaitingReason } from '../status/container-statuses.js';
import { generateStatus, podResources, type PodResources, type StatusInput } from '../status/generate.js';
import { couldRestartAll } from '../status/restart-rules.js';
import { readPodView, type PodRuntimeView } from '../status/runtime-view.js';
import { terminatedStatus } from '../status/terminate.js';
import type { StatusSource } from '../status/writer.js';
import { BackoffTable } from './backoff.js';
import { Grace } from './grace.js';
import type { NodeContext } from './node-context.js';
import { planPod } from './plan.js';
import type { PodEnd, PodRun } from './pod-run.js';
import { needsRestart } from './resize/pod-resize.js';
import { PodResizer, type ResizerOwner } from './resize/resizer.js';
import { newer } from './resource-version.js';
import { POD_STEPS } from './steps/index.js';

/** First and longest wait after a pass that failed, in milliseconds. */
const RETRY = { first: 1000, longest: 120_000 } as const;

/** Milliseconds after which a pass that goes on (a long pull) reports what it has reached. */
const REFRESH = 50;

const DEADLINE = { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' } as const;

/** Who a worker tells what becomes of it. */
export interface PodWorkerOwner {
  /** Nothing of the pod runs any more, and nothing will. */
  ended(worker: PodWorker): void;
  /** The pod may ask for other resources than it was granted. */
  resized(worker: PodWorker): void;
  /** The object is gone too: the worker is done. */
  discarded(worker: PodWorker): void;
}

/**
 * Runs one pod on its node, from its first appearance until nothing of it is left:
 *
 * ```
 * syncing --(deleted, removed, all containers done, deadline)--> terminating --(all stopped)--> terminated
 * ```
 *
 * Passes never overlap: whatever happens meanwhile (a new state of the object, an event of the runtime, a probe, a timer)
 * asks for one more.
 */
export class PodWorker implements StatusSource, ResizerOwner {
  latest: V1Pod;
  private state: 'syncing' | 'terminating' | 'terminated' = 'syncing';
  private status: V1PodStatus | undefined;
  private removed = false;
  private readonly ends = new AbortController();
  private eviction: StatusInput['eviction'];
  private readonly grace = new Grace();
  private readonly reasons = new Map<string, WaitingReason>();
  private readonly backoff = new BackoffTable();
  private readonly probes: PodProbes;
  private running = false;
  private dirty = false;
  private stopped = false;
  private failures = 0;
  private wakeAt = Infinity;
  private cancelWake: CancelTimer | undefined;
  readonly resizer: PodResizer;
  private knownResources: { readonly generation: number | undefined; readonly revision: unknown; readonly value: PodResources } | undefined;

  constructor(
    private readonly node: NodeContext,
    pod: V1Pod,
    private readonly owner: PodWorkerOwner,
  ) {
    this.latest = pod;
    this.resizer = new PodResizer(node, this);
    this.probes = new PodProbes({
      clock: node.clock,
      changed: () => this.trigger(),
      run: (container, containerId, kind, probe) => this.probe({ container, containerId, kind, probe, podIp: this.podIp, clock: node.clock }),
      unhealthy: (container, message) => node.events.container(this.latest, container.name, 'Warning', 'Unhealthy', message),
      warn: (container, message) => node.events.container(this.latest, container.name, 'Warning', 'ProbeWarning', message),
      // What runs since before this agent would be probed all at the same time.
      ...(node.local ? { jitter: (milliseconds: number) => node.random.float() * milliseconds } : {}),
    });
    if (isPodTerminal(pod)) {
      // It ended before this agent knew it: there is nothing to run and nothing to report.
      this.state = 'terminated';
      this.status = pod.status;
    } else node.runtime.containers.adopt?.(pod);
  }

  get uid(): string {
    return this.latest.metadata?.uid ?? '';
  }

  get finished(): boolean {
    return this.state === 'terminated';
  }

  /** The newest status, also what is not reported yet. */
  get current(): V1PodStatus | undefined {
    return this.status;
  }

  /** Takes up resources of the node. */
  get active(): boolean {
    return this.state !== 'terminated';
  }

  /** A final phase is not reported while something may still run. */
  get desired(): V1PodStatus | undefined {
    const { status } = this;
    if (this.removed || !status || this.finished || (status.phase !== 'Failed' && status.phase !== 'Succeeded') || isPodTerminal(this.latest)) return this.removed ? undefined : status;
    const { reason: _reason, message: _message, ...rest } = status;
    const { phase = 'Pending', reason, message } = this.latest.status ?? {};
    return { ...rest, phase, ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
  }

  /** A new state of the object came from the API. */
  update(pod: V1Pod): void {
    const before = this.latest;
    if (!newer(pod, before)) {
      // The informer's copy of what a write answered: one of them is enough.
      if (pod.metadata?.resourceVersion === before.metadata?.resourceVersion) this.latest = pod;
      return;
    }
    this.latest = pod;
    if (this.state === 'syncing') this.node.volumes.follow(pod);
    if (pod.metadata?.deletionTimestamp) this.grace.shorten(pod.metadata.deletionGracePeriodSeconds ?? 0);
    if (this.mustEnd) this.ends.abort();
    if (pod.metadata?.generation !== before.metadata?.generation && !deepEqual(resourcesOf(pod), resourcesOf(before))) {
      if (this.node.local) this.owner.resized(this);
      else void this.view().then((view) => this.resizer.pretend(view));
    }
    if (needsPass(pod, before)) this.trigger();
    // Somebody wrote the status, mostly this agent itself: it is compared with what it should be.
    else if (!this.running) this.node.statuses.enqueue(this);
  }

  /** The object is gone from the API. */
  remove(pod: V1Pod): void {
    this.removed = true;
    const seconds = pod.metadata?.deletionGracePeriodSeconds;
    if (seconds !== undefined) this.grace.shorten(seconds);
    this.ends.abort();
    this.trigger();
  }

  /** Ends the pod as failed, for its own or its node's sake. It keeps what it has once it is ending. */
  evict(eviction: NonNullable<StatusInput['eviction']>, graceSeconds: number): void {
    if (this.state !== 'syncing' || this.eviction) return;
    this.eviction = eviction;
    this.grace.shorten(graceSeconds);
    this.ends.abort();
    this.trigger();
  }

  written(pod: V1Pod): void {
    if (!newer(pod, this.latest)) return;
    this.latest = pod;
    if (this.state === 'syncing') this.node.volumes.follow(pod);
  }

  gone(): void {
    // The informer says so too; until then the pod goes on.
  }

  /** Asks for a pass. */
  trigger(): void {
    this.dirty = true;
    if (this.running || this.stopped) return;
    this.running = true;
    void this.run();
  }

  /** Ends the worker; what runs in the runtime goes on. */
  stop(): void {
    this.stopped = true;
    this.probes.stop();
    this.cancelWake?.();
  }

  private async probe(target: ProbeTarget): Promise<ProbeOutcome> {
    const { clock, runtime, probeMetrics } = this.node;
    const begun = clock.monotonic();
    const done = (result: ProbeResult): void => probeMetrics?.record(this.latest, target.container.name, target.kind, result, (clock.monotonic() - begun) / 1000);
    try {
      const outcome = await runProbe(runtime.containers, target);
      done(outcome.success ? 'successful' : 'failed');
      return outcome;
    } catch (error) {
      done('unknown');
      throw error;
    }
  }

  private get podIp(): string {
    return this.status?.podIP ?? this.latest.status?.podIP ?? '';
  }

  private async run(): Promise<void> {
    while (this.dirty && !this.stopped) {
      this.dirty = false;
      try {
        await this.pass();
        this.failures = 0;
      } catch (error) {
        this.failures += 1;
        const { namespace, name } = this.latest.metadata ?? {};
        this.node.log.warn('pod pass failed', { pod: `${namespace}/${name}`, node: this.node.nodeName, error: errorMessage(error), failures: this.failures });
        if (error instanceof TypeError) this.node.log.error('a bug in the pod worker', { stack: error.stack });
        this.wake(Math.min(RETRY.longest, RETRY.first * 2 ** (this.failures - 1)));
      }
    }
    this.running = false;
  }

  /** It ends, or is to. */
  get ending(): boolean {
    return this.state !== 'syncing' || this.mustEnd;
  }

  private get mustEnd(): boolean {
    return this.removed || this.latest.metadata?.deletionTimestamp !== undefined || this.eviction !== undefined || isPodTerminal(this.latest);
  }

  private async pass(): Promise<void> {
    if (this.state === 'syncing') await this.sync();
    if (this.state === 'terminating') await this.end();
    if (this.state !== 'terminated') return;
    if (this.removed) await this.discard();
    else this.node.statuses.enqueue(this);
  }

  private async sync(): Promise<void> {
    const view = await this.view();
    this.probes.observe(this.latest, view);
    this.checkDeadline();
    const status = this.report(view, false);
    if (status.phase === 'Failed' || status.phase === 'Succeeded' || this.mustEnd) {
      this.state = 'terminating';
      return;
    }
    const pod = this.resizer.allocated;
    const changes = this.resizer.changes(view);
    const anew = new Set(changes.filter(needsRestart).map((change) => change.status.id));
    const restartingAll = couldRestartAll(pod.spec!) && status.conditions?.some((condition) => condition.type === 'AllContainersRestarting' && condition.status === 'True') === true;
    let cancelRefresh: CancelTimer = () => undefined;
    const run: PodRun = {
      node: this.node, pod, probes: this.probes, backoff: this.backoff, view, reasons: this.reasons, sandbox: undefined,
      plan: planPod(pod, view, this.probes, restartingAll, anew),
      ending: () => this.mustEnd,
      ends: this.ends.signal,
      wake: (milliseconds) => this.wake(milliseconds),
      refresh: () => {
        cancelRefresh = this.node.clock.setTimeout(() => void this.refresh(), REFRESH, { unref: true });
      },
    };
    const before = [...this.reasons.values()];
    try {
      if (await this.resizer.actuate(pod, view, changes)) this.report(view, false);
      for (const step of POD_STEPS) {
        await step.prepare(run);
        if (this.mustEnd) break;
      }
    } finally {
      cancelRefresh();
    }
    if (this.node.local && run.plan.start.length > 0) this.resizer.startedFrom(pod, await this.view());
    if (this.resizer.inProgress && !this.mustEnd) {
      const now = await this.view();
      if (this.resizer.complete(now)) this.report(now, false);
    }
    const after = [...this.reasons.values()];
    if (after.length !== before.length || after.some((reason, index) => reason !== before[index])) this.report(await this.view(), false);
    if (this.mustEnd) this.dirty = true;
  }

  private async refresh(): Promise<void> {
    const view = await this.view();
    if (this.state === 'syncing') this.report(view, false);
  }

  private async end(): Promise<void> {
    const view = await this.view();
    this.report(view, false);
    this.probes.stopLiveness();
    const end: PodEnd = {
      node: this.node, pod: this.latest, view,
      graceSeconds: () => this.grace.current,
      onShorterGrace: (listener) => this.grace.onShorter(listener),
    };
    try {
      for (const step of [...POD_STEPS].reverse()) await step.teardown(end);
    } catch (error) {
      this.node.events.pod(this.latest, 'Warning', 'FailedKillPod', `error killing pod: ${errorMessage(error)}`);
      throw error;
    }
    this.probes.stop();
    this.node.probeMetrics?.forget(this.uid);
    const after = await this.view();
    const alive = after.containers.filter((container) => container.state === 'running');
    if (alive.length > 0) throw new Error(`containers still run after they were stopped: ${alive.map((container) => container.name).join(', ')}`);
    this.cancelWake?.();
    this.report(after, true);
    this.state = 'terminated';
    this.owner.ended(this);
  }

  /** Removes what is left in the runtime, logs too. */
  private async discard(): Promise<void> {
    const view = await this.view();
    for (const sandbox of view.sandboxes) await this.node.runtime.containers.removePodSandbox(sandbox.id);
    this.stop();
    this.owner.discarded(this);
  }

  private view(): Promise<PodRuntimeView> {
    return readPodView(this.node.runtime.containers, this.uid);
  }

  private report(view: PodRuntimeView, ending: boolean): V1PodStatus {
    const { node } = this;
    const status = generateStatus({
      pod: this.resizer.allocated, previous: this.status ?? this.latest.status, view,
      ...this.resizer.reported, runtimeName: node.runtimeName, hostIps: node.hostIps, reasons: this.reasons,
      probes: this.probes, ending, eviction: this.eviction, now: node.clock.now(), resources: this.resources(),
    });
    this.status = ending ? terminatedStatus(status) : status;
    if (!ending && !this.removed) node.statuses.enqueue(this);
    return this.status;
  }

  /** Changes with the spec and with what was granted only. */
  private resources(): PodResources {
    const generation = this.latest.metadata?.generation;
    const { revision } = this.resizer;
    const known = this.knownResources;
    if (known && generation !== undefined && known.generation === generation && known.revision === revision) return known.value;
    this.knownResources = { generation, revision, value: podResources(this.resizer.allocated) };
    return this.knownResources.value;
  }

  private checkDeadline(): void {
    const seconds = this.latest.spec?.activeDeadlineSeconds;
    const start = this.status?.startTime ?? this.latest.status?.startTime;
    if (seconds === undefined || this.eviction) return;
    const left = (start ? Date.parse(start) : this.node.clock.now()) + seconds * 1000 - this.node.clock.now();
    if (left > 0) return this.wake(left);
    this.eviction = DEADLINE;
    this.node.events.pod(this.latest, 'Normal', DEADLINE.reason, DEADLINE.message);
  }

  /** Asks for a pass after so many milliseconds at the latest. */
  wake(milliseconds: number): void {
    const at = this.node.clock.monotonic() + milliseconds;
    if (at >= this.wakeAt || this.stopped) return;
    this.cancelWake?.();
    this.wakeAt = at;
    this.cancelWake = this.node.clock.setTimeout(() => {
      this.wakeAt = Infinity;
      this.cancelWake = undefined;
      this.trigger();
    }, milliseconds, { unref: true });
  }
}

/** Whether a change of the object can change what the agent does or reports; an echo of its own status cannot. */
function needsPass(pod: V1Pod, before: V1Pod): boolean {
  const { metadata } = pod;
  return metadata?.generation !== before.metadata?.generation || metadata?.generation === undefined || metadata.deletionTimestamp !== before.metadata?.deletionTimestamp
    || metadata.deletionGracePeriodSeconds !== before.metadata?.deletionGracePeriodSeconds || isPodTerminal(pod) !== isPodTerminal(before)
    || (pod.spec?.readinessGates !== undefined && !deepEqual(pod.status?.conditions, before.status?.conditions))
    || findCondition(pod.status?.conditions, 'DisruptionTarget')?.status !== findCondition(before.status?.conditions, 'DisruptionTarget')?.status;
}

function resourcesOf(pod: V1Pod): unknown {
  return [pod.spec?.resources, ...[...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map((container) => container.resources)];
}
