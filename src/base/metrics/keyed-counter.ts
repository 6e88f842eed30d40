import { Counter, type Registry } from 'prom-client';

interface Series<T extends string> {
  readonly labels: Readonly<Record<T, string>>;
  value: number;
}

/**
 * A counter for busy places: the caller names a series by one string of its own, and the labels are put together
 * once per series rather than once per event.
 */
export class KeyedCounter<T extends string> extends Counter<T> {
  private readonly series = new Map<string, Series<T>>();

  constructor(name: string, help: string, labelNames: readonly T[], registry: Registry) {
    super({ name, help, labelNames: [...labelNames], registers: [registry] });
  }

  /** Adds to the series of `key`; `labels` is asked for when the series is new. */
  add(key: string, labels: () => Readonly<Record<T, string>>, value = 1): void {
    const series = this.series.get(key);
    if (series) series.value += value;
    else this.series.set(key, { labels: labels(), value });
  }

  override async get(): ReturnType<Counter<T>['get']> {
    const base = await super.get();
    return { ...base, values: [...this.series.values()].map(({ labels, value }) => ({ labels, value })) };
  }
}
