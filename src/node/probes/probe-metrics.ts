import type { V1Pod } from '../../api/generated/types.js';
import type { ProbeKind } from '../runtime/index.js';

/** Upper bounds of the histogram, in seconds: the usual ones of Prometheus. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type ProbeResult = 'successful' | 'failed' | 'unknown';

interface Series {
  readonly kind: ProbeKind;
  readonly container: string;
  readonly pod: string;
  readonly namespace: string;
  readonly uid: string;
  readonly results: Map<ProbeResult, number>;
  readonly buckets: number[];
  sum: number;
  count: number;
}

const NAMES: Readonly<Record<ProbeKind, string>> = { startup: 'Startup', readiness: 'Readiness', liveness: 'Liveness' };

/** Counts probes by container, for `/metrics/probes`. A pod's counts go with it. */
export class ProbeMetrics {
  private readonly pods = new Map<string, Map<string, Series>>();

  /** A probe was run; `seconds` is how long it took. */
  record(pod: V1Pod, container: string, kind: ProbeKind, result: ProbeResult, seconds: number): void {
    const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
    const own = this.pods.get(uid) ?? new Map<string, Series>();
    this.pods.set(uid, own);
    const key = `${kind}/${container}`;
    const series = own.get(key) ?? { kind, container, pod: name, namespace, uid, results: new Map(), buckets: BOUNDS.map(() => 0), sum: 0, count: 0 };
    own.set(key, series);
    series.results.set(result, (series.results.get(result) ?? 0) + 1);
    if (result === 'failed') return;
    series.sum += seconds;
    series.count += 1;
    BOUNDS.forEach((bound, index) => {
      if (seconds <= bound) series.buckets[index]! += 1;
    });
  }

  forget(podUid: string): void {
    this.pods.delete(podUid);
  }

  /** The metrics in Prometheus' text form. */
  toString(): string {
    const totals: string[] = [];
    const durations: string[] = [];
    for (const series of [...this.pods.values()].flatMap((own) => [...own.values()])) {
      const { container, namespace, pod, uid, kind } = series;
      for (const [result, value] of series.results) {
        totals.push(`prober_probe_total{container="${container}",namespace="${namespace}",pod="${pod}",pod_uid="${uid}",probe_type="${NAMES[kind]}",result="${result}"} ${value}`);
      }
      const labels = `container="${container}",namespace="${namespace}",pod="${pod}",probe_type="${NAMES[kind]}"`;
      BOUNDS.forEach((bound, index) => durations.push(`prober_probe_duration_seconds_bucket{${labels},le="${bound}"} ${series.buckets[index]}`));
      durations.push(`prober_probe_duration_seconds_bucket{${labels},le="+Inf"} ${series.count}`, `prober_probe_duration_seconds_sum{${labels}} ${series.sum}`, `prober_probe_duration_seconds_count{${labels}} ${series.count}`);
    }
    return [
      ...(durations.length > 0 ? ['# HELP prober_probe_duration_seconds [ALPHA] Duration in seconds for a probe response.', '# TYPE prober_probe_duration_seconds histogram', ...durations] : []),
      ...(totals.length > 0 ? ['# HELP prober_probe_total [BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.', '# TYPE prober_probe_total counter', ...totals] : []),
      '',
    ].join('\n');
  }
}
