import type { Clock } from '../../../base/clock.js';
import { endsByItself, type SimContainer } from './records.js';

/** 128 + SIGKILL. */
const KILLED = 137;
/** 128 + SIGTERM. */
const TERMINATED = 143;

/** Starts, ends and kills simulated containers. `changed` is told of every step. */
export class ContainerLife {
  constructor(
    private readonly clock: Clock,
    private readonly completionMilliseconds: number,
    private readonly changed: (type: 'started' | 'stopped' | 'changed', container: SimContainer) => void,
  ) {}

  start(container: SimContainer): void {
    const now = this.clock.now();
    container.state = 'running';
    container.startedAt = now;
    this.arm(container, now);
    this.changed('started', container);
  }

  /** Sets the timers of a running container, as if `now` were that long after its start. */
  arm(container: SimContainer, now: number): void {
    const { behaviour } = container;
    const age = now - container.startedAt;
    const duration = this.duration(container);
    if (duration !== Infinity) {
      container.cancelExit = this.clock.setTimeout(() => this.endByItself(container), Math.max(0, duration - age), { unref: true });
    }
    const untilReady = behaviour.readyMilliseconds - age;
    if (untilReady > 0) {
      container.cancelReady = this.clock.setTimeout(() => {
        container.cancelReady = undefined;
        this.changed('changed', container);
      }, untilReady, { unref: true });
    }
  }

  /** Asks it to end; resolves once it has. */
  stop(container: SimContainer, timeoutMilliseconds: number): Promise<void> {
    if (container.state !== 'running') {
      if (container.state === 'created') this.finish(container, KILLED, 'Error');
      return Promise.resolve();
    }
    const done = new Promise<void>((resolve) => (container.waiters ??= []).push(resolve));
    const { behaviour } = container;
    const ends = behaviour.ignoreTermination ? Infinity : behaviour.stopMilliseconds;
    const killAt = this.clock.now() + timeoutMilliseconds;
    if (killAt >= container.killAt) return done;
    container.killAt = killAt;
    container.cancelStop?.();
    const code = endsByItself(container.config) ? TERMINATED : 0;
    const graceful = ends <= timeoutMilliseconds;
    const end = (): void => (graceful ? this.finish(container, code, code === 0 ? 'Completed' : 'Error') : this.finish(container, KILLED, 'Error'));
    const delay = Math.min(ends, timeoutMilliseconds);
    if (delay <= 0) end();
    else container.cancelStop = this.clock.setTimeout(end, delay, { unref: true });
    return done;
  }

  kill(container: SimContainer): void {
    if (container.state !== 'exited') this.finish(container, KILLED, 'Error');
  }

  /** Forgets timers without ending it. */
  disarm(container: SimContainer): void {
    container.cancelExit?.();
    container.cancelStop?.();
    container.cancelReady?.();
    container.cancelExit = container.cancelStop = container.cancelReady = undefined;
  }

  private duration(container: SimContainer): number {
    const { behaviour, run, config } = container;
    if (behaviour.exitAfter !== undefined) return behaviour.exitAfter;
    if (run) return run.duration;
    // An exit code without a time means soon.
    if (endsByItself(config) || behaviour.exitCode !== undefined) return this.completionMilliseconds;
    return Infinity;
  }

  private endByItself(container: SimContainer): void {
    const { behaviour, run } = container;
    if (behaviour.oomKilled) return this.finish(container, KILLED, 'OOMKilled');
    const code = behaviour.exitCode ?? (behaviour.exitAfter === undefined ? run?.exitCode : undefined) ?? 0;
    this.finish(container, code, code === 0 ? 'Completed' : 'Error');
  }

  private finish(container: SimContainer, exitCode: number, reason: string): void {
    this.disarm(container);
    container.state = 'exited';
    container.finishedAt = this.clock.now();
    container.exitCode = exitCode;
    container.reason = reason;
    container.message = container.behaviour.terminationMessage ?? container.run?.terminationMessage ?? '';
    const waiters = container.waiters ?? [];
    container.waiters = undefined;
    for (const waiter of waiters) waiter();
    this.changed('stopped', container);
  }
}
