import type { PressureCondition } from './signals.js';

/** The kubelet's `evictionPressureTransitionPeriod`, in milliseconds: a condition outlives its cause by so much. */
const TRANSITION_PERIOD = 5 * 60_000;

/** In the order in which messages name them. */
const ALL: readonly PressureCondition[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** Which conditions of pressure a node has. They begin at once and end slowly, so that pods do not come back to a node that is just below its limit. */
export class Pressure {
  private readonly lastSeen = new Map<PressureCondition, number>();
  private active: readonly PressureCondition[] = [];

  constructor(private readonly transitionMilliseconds = TRANSITION_PERIOD) {}

  get conditions(): readonly PressureCondition[] {
    return this.active;
  }

  /** Takes what is seen at a moment (monotonic milliseconds); true when the conditions have changed. */
  observe(seen: ReadonlySet<PressureCondition>, now: number): boolean {
    for (const condition of seen) this.lastSeen.set(condition, now);
    const before = this.active;
    this.active = ALL.filter((condition) => {
      const at = this.lastSeen.get(condition);
      return at !== undefined && now - at < this.transitionMilliseconds;
    });
    return before.join() !== this.active.join();
  }
}
