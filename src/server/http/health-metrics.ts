import { Counter, Gauge, Registry } from 'prom-client';

/** The results of health checks, under upstream's names, in a registry of their own. */
export class HealthMetrics {
  readonly registry = new Registry();
  private readonly last = new Gauge({
    name: 'kubernetes_healthcheck',
    help: 'This metric records the result of a single healthcheck.',
    labelNames: ['name', 'type'],
    registers: [this.registry],
  });
  private readonly total = new Counter({
    name: 'kubernetes_healthchecks_total',
    help: 'This metric records the results of all healthcheck.',
    labelNames: ['name', 'type', 'status'],
    registers: [this.registry],
  });

  private readonly start = new Gauge({ name: 'process_start_time_seconds', help: 'Start time of the process since unix epoch in seconds.', registers: [this.registry] });

  /** Milliseconds since the Unix epoch. */
  startedAt(now: number): void {
    this.start.set(now / 1000);
  }

  /** `type`: the endpoint that was asked, such as `livez`. */
  observe(name: string, type: string, healthy: boolean): void {
    this.last.set({ name, type }, healthy ? 1 : 0);
    this.total.inc({ name, type, status: healthy ? 'success' : 'error' });
  }
}
