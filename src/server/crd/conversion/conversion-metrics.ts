import { Counter, exponentialBuckets, Histogram, type Registry } from 'prom-client';

/** What a failed conversion is counted as. */
export type ConversionFailure =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

/** One conversion that has ended. */
export interface Conversion {
  readonly definition: string;
  /** Bare versions: `v1`. */
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  /** Undefined: it succeeded. */
  readonly failure: ConversionFailure | undefined;
}

/** Numbers of conversion webhooks, under upstream's names. */
export class ConversionMetrics {
  private readonly durations: Histogram;
  private readonly requests: Counter;
  private readonly latencies: Histogram;

  constructor(registry: Registry) {
    this.durations = new Histogram({
      name: 'apiserver_crd_conversion_webhook_duration_seconds',
      help: 'CRD webhook conversion duration in seconds',
      labelNames: ['crd_name', 'from_version', 'to_version', 'succeeded'],
      buckets: exponentialBuckets(0.001, 2, 15),
      registers: [registry],
    });
    this.requests = new Counter({
      name: 'apiserver_conversion_webhook_request_total',
      help: 'Counter for conversion webhook requests with success/failure and failure error type',
      labelNames: ['result', 'failure_type'],
      registers: [registry],
    });
    this.latencies = new Histogram({
      name: 'apiserver_conversion_webhook_duration_seconds',
      help: 'Conversion webhook request latency',
      labelNames: ['result', 'failure_type'],
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
      registers: [registry],
    });
  }

  observe({ definition, from, to, seconds, failure }: Conversion): void {
    const labels = { result: failure === undefined ? 'success' : 'failure', failure_type: failure ?? '' };
    this.requests.inc(labels);
    this.latencies.observe(labels, seconds);
    this.durations.observe({ crd_name: definition, from_version: from, to_version: to, succeeded: String(failure === undefined) }, seconds);
  }
}
