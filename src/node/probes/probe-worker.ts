import type { V1Container, V1Probe } from '../../api/generated/types.js';
import type { CancelTimer, Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { ContainerStatus, ProbeKind, ProbeOutcome } from '../runtime/index.js';

export interface ProbeWorkerContext {
  readonly clock: Clock;
  run(container: V1Container, containerId: string, kind: ProbeKind, probe: V1Probe): Promise<ProbeOutcome>;
  /** Whether the startup probe of this instance is through. */
  isStarted(containerId: string): boolean;
  /** A result has changed. */
  changed(): void;
  /** An event about the container. */
  unhealthy(container: V1Container, message: string): void;
  /** A success that looks odd, as an event. */
  warn?(container: V1Container, message: string): void;
  /** Spreads the first probes of containers that run already, over so many milliseconds. Default: they are probed at once. */
  jitter?(milliseconds: number): number;
}

const NAMES: Readonly<Record<ProbeKind, string>> = { startup: 'Startup', readiness: 'Readiness', liveness: 'Liveness' };

/** What the pod's status tells of an instance. */
export interface ReportedHealth {
  readonly started: boolean;
  readonly ready: boolean;
}

/** Probes one container of one pod in one way, instance after instance. */
export class ProbeWorker {
  /** Undefined: not known yet. */
  result: boolean | undefined;
  private containerId = '';
  private streak = 0;
  private lastOutcome: boolean | undefined;
  private onHold = false;
  private cancel: CancelTimer | undefined;
  private busy = false;

  constructor(
    readonly container: V1Container,
    readonly kind: ProbeKind,
    private readonly probe: V1Probe,
    private readonly context: ProbeWorkerContext,
  ) {}

  /** The instance that is probed now. */
  get instance(): string {
    return this.containerId;
  }

  /** The result for one instance; undefined when it has none yet. */
  resultOf(containerId: string): boolean | undefined {
    return containerId === this.containerId ? this.result : undefined;
  }

  /**
   * Tells which instance runs now, if any, and what was reported of it. Of an instance that ran before this program did, what was reported holds until a probe says
   * otherwise: a restart of the node agent changes no container's status (KEP-4781).
   */
  observe(status: ContainerStatus | undefined, reported?: ReportedHealth): void {
    if (!status || status.state !== 'running') {
      if (this.containerId !== '' && this.kind !== 'liveness') this.result = false;
      this.stop();
      return;
    }
    if (status.id === this.containerId && this.cancel) return;
    if (status.id !== this.containerId) {
      this.containerId = status.id;
      this.result = this.kind === 'liveness' ? true : this.kind === 'readiness' ? (reported?.ready ?? false) : reported?.started ? true : undefined;
      this.streak = 0;
      this.lastOutcome = undefined;
      this.onHold = this.kind === 'startup' && this.result === true;
    }
    if (this.onHold || (this.kind !== 'startup' && !this.context.isStarted(status.id))) return;
    const first = status.startedAt + (this.probe.initialDelaySeconds ?? 0) * 1000 - this.context.clock.now();
    this.schedule(first >= 0 ? first : Math.min(this.context.jitter?.(this.period) ?? 0, -first));
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  private schedule(milliseconds: number): void {
    this.cancel?.();
    this.cancel = this.context.clock.setTimeout(() => void this.tick(), milliseconds, { unref: true });
  }

  private async tick(): Promise<void> {
    const id = this.containerId;
    if (this.busy) return this.schedule(this.period);
    this.busy = true;
    const begun = this.context.clock.monotonic();
    try {
      const outcome = await this.context.run(this.container, id, this.kind, this.probe);
      if (id === this.containerId && this.cancel) this.take(outcome);
    } catch (error) {
      if (id === this.containerId && this.cancel) this.context.unhealthy(this.container, `${NAMES[this.kind]} probe errored and resulted in unknown state: ${errorMessage(error)}`);
    } finally {
      this.busy = false;
    }
    if (this.cancel && !this.onHold) this.schedule(Math.max(0, this.period - (this.context.clock.monotonic() - begun)));
  }

  private get period(): number {
    return (this.probe.periodSeconds ?? 10) * 1000;
  }

  private take(outcome: ProbeOutcome): void {
    if (outcome.success && outcome.warning) this.context.warn?.(this.container, `${NAMES[this.kind]} probe warning: ${outcome.output}`);
    if (!outcome.success) this.context.unhealthy(this.container, `${NAMES[this.kind]} probe failed: ${outcome.output}`);
    this.streak = outcome.success === this.lastOutcome ? this.streak + 1 : 1;
    this.lastOutcome = outcome.success;
    const threshold = outcome.success ? (this.probe.successThreshold ?? 1) : (this.probe.failureThreshold ?? 3);
    if (this.streak < threshold) return;
    const before = this.result;
    this.result = outcome.success;
    // Nothing more to learn about this instance: it is started, or it will be killed.
    if (this.kind === 'startup' || (this.kind === 'liveness' && !outcome.success)) {
      this.onHold = true;
      this.streak = 0;
      this.stop();
    }
    if (before !== this.result) this.context.changed();
  }
}
