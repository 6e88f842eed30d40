import { Histogram, type Registry } from 'prom-client';

interface Series<T extends string> {
  readonly labels: Readonly<Record<T, string>>;
  /** Observations per bucket, not cumulative; the last one is above all bounds. */
  readonly counts: number[];
  sum: number;
}

type Values<T extends string> = Awaited<ReturnType<Histogram<T>['get']>>;

/** A histogram for busy places; see `KeyedCounter`. */
export class KeyedHistogram<T extends string> extends Histogram<T> {
  private readonly series = new Map<string, Series<T>>();

  constructor(
    private readonly metricName: string,
    private readonly helpText: string,
    labelNames: readonly T[],
    private readonly bounds: readonly number[],
    registry: Registry,
  ) {
    super({ name: metricName, help: helpText, labelNames: [...labelNames], buckets: [...bounds], registers: [registry] });
  }

  /** Adds an observation to the series of `key`; `labels` is asked for when the series is new. */
  record(key: string, labels: () => Readonly<Record<T, string>>, value: number): void {
    let series = this.series.get(key);
    if (!series) {
      series = { labels: labels(), counts: new Array<number>(this.bounds.length + 1).fill(0), sum: 0 };
      this.series.set(key, series);
    }
    let i = 0;
    while (i < this.bounds.length && value > this.bounds[i]!) i++;
    series.counts[i]!++;
    series.sum += value;
  }

  /** What both forms of the registry's output are made from. */
  async getForPromString(): Promise<Pick<Values<T>, 'name' | 'help' | 'values'> & { readonly type: string; readonly aggregator: string }> {
    const values = [...this.series.values()].flatMap((series) => this.valuesOf(series));
    return { name: this.metricName, help: this.helpText, type: 'histogram', aggregator: 'sum', values };
  }

  private valuesOf(series: Series<T>): Values<T>['values'] {
    const values: Values<T>['values'] = [];
    let total = 0;
    series.counts.forEach((count, i) => {
      total += count;
      const le = i < this.bounds.length ? this.bounds[i]! : '+Inf';
      values.push({ metricName: `${this.metricName}_bucket`, labels: { le, ...series.labels }, value: total });
    });
    values.push({ metricName: `${this.metricName}_sum`, labels: series.labels, value: series.sum });
    values.push({ metricName: `${this.metricName}_count`, labels: series.labels, value: total });
    return values;
  }
}
