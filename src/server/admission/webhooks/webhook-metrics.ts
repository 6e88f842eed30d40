import type { Registry } from 'prom-client';
import { KeyedCounter } from '../../../base/metrics/keyed-counter.js';
import { KeyedHistogram } from '../../../base/metrics/keyed-histogram.js';

/** `admit` of mutating webhooks, `validating` of the others. */
export type WebhookType = 'admit' | 'validating';

/** Why a webhook made a request fail. */
export type RejectionErrorType = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';

/** Seconds; upstream's buckets. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const MAX_CODE = 600;

/** The metrics of calls to admission webhooks, under upstream's names. */
export class WebhookMetrics {
  private readonly duration: KeyedHistogram<'name' | 'type' | 'operation' | 'rejected'>;
  private readonly requests: KeyedCounter<'name' | 'type' | 'operation' | 'code' | 'rejected'>;
  private readonly rejections: KeyedCounter<'name' | 'type' | 'operation' | 'error_type' | 'rejection_code'>;
  private readonly openFailures: KeyedCounter<'name' | 'type'>;

  constructor(registry: Registry) {
    this.duration = new KeyedHistogram('apiserver_admission_webhook_admission_duration_seconds', 'Latency of admission webhooks in seconds, by name, operation and type (validating or admit).', ['name', 'type', 'operation', 'rejected'], BUCKETS, registry);
    this.requests = new KeyedCounter('apiserver_admission_webhook_request_total', 'Requests to admission webhooks, by name, type (validating or admit), operation, status code and whether the request was rejected. Codes above 600 count as 600.', ['name', 'type', 'operation', 'code', 'rejected'], registry);
    this.rejections = new KeyedCounter('apiserver_admission_webhook_rejection_count', 'Requests that were rejected because of an admission webhook, by name, type, operation, kind of error and status code. Codes above 600 count as 600.', ['name', 'type', 'operation', 'error_type', 'rejection_code'], registry);
    this.openFailures = new KeyedCounter('apiserver_admission_webhook_fail_open_count', 'Failures of admission webhooks that were passed over, by name and type.', ['name', 'type'], registry);
  }

  /** A webhook has been called, or could not be. */
  observe(name: string, type: WebhookType, operation: string, code: number, rejected: boolean, seconds: number): void {
    const text = bounded(code);
    const key = `${name}/${type}/${operation}/${rejected}`;
    this.requests.add(`${key}/${text}`, () => ({ name, type, operation, code: text, rejected: String(rejected) }));
    this.duration.record(key, () => ({ name, type, operation, rejected: String(rejected) }), seconds);
  }

  rejected(name: string, type: WebhookType, operation: string, error: RejectionErrorType, code: number): void {
    const text = bounded(code);
    this.rejections.add(`${name}/${type}/${operation}/${error}/${text}`, () => ({ name, type, operation, error_type: error, rejection_code: text }));
  }

  failedOpen(name: string, type: WebhookType): void {
    this.openFailures.add(`${name}/${type}`, () => ({ name, type }));
  }
}

function bounded(code: number): string {
  return String(Math.min(code, MAX_CODE));
}
