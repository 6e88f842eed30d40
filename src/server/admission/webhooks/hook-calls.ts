import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/log.js';
import type { Random } from '../../../base/random.js';
import { badRequestError, internalError, timeoutError } from '../../../api/status-error.js';
import { WebhookCallError, type EncodedReview, type WebhookCaller } from '../../webhook/webhook-caller.js';
import type { AdmissionAttributes } from '../plugin.js';
import { denial } from './denial.js';
import { HookFailure, HookRejection } from './hook-failure.js';
import type { Invocation } from './hook-source.js';
import { admissionReview, reviewVersion, type ReviewObjects } from './review.js';
import { readVerdict, VerdictError, type Verdict } from './verdict.js';
import type { WebhookMetrics, WebhookType } from './webhook-metrics.js';

/** What calls need of the server. */
export interface HookCallEnvironment {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** Calls webhooks about requests, and counts how that goes. */
export class HookCalls {
  constructor(
    private readonly environment: HookCallEnvironment,
    private readonly caller: WebhookCaller,
    private readonly metrics: WebhookMetrics,
    private readonly type: WebhookType,
  ) {}

  /**
   * Runs one call. What it throws is judged by the failure policy: undefined when the failure is passed over, otherwise the `StatusError` for the client is
   * thrown. `work` throws {@link HookFailure}, {@link HookRejection}, or a `StatusError` when the fault is ours.
   */
  async judged<T>({ hook }: Invocation, a: AdmissionAttributes, work: () => Promise<T>): Promise<T | undefined> {
    const { clock, log } = this.environment;
    const began = clock.monotonic();
    const observe = (code: number, rejected: boolean): void => this.metrics.observe(hook.name, this.type, a.operation, code, rejected, (clock.monotonic() - began) / 1000);
    try {
      const result = await work();
      observe(200, false);
      return result;
    } catch (error) {
      if (error instanceof HookRejection) {
        this.metrics.rejected(hook.name, this.type, a.operation, 'no_error', error.status.code);
        observe(error.status.code, true);
        throw error.status;
      }
      if (!(error instanceof HookFailure)) {
        this.metrics.rejected(hook.name, this.type, a.operation, 'apiserver_internal_error', 0);
        observe(0, true);
        throw error;
      }
      observe(error.code, !hook.ignoresFailures);
      const about = { configuration: hook.configuration, webhook: hook.name, error: error.message };
      if (!hook.ignoresFailures) {
        if (!error.canceled) this.metrics.rejected(hook.name, this.type, a.operation, 'calling_webhook_error', error.code);
        log.warn('webhook not called, the request fails', about);
        throw internalError(error.message);
      }
      if (error.canceled) throw timeoutError('request did not complete within requested timeout');
      this.metrics.failedOpen(hook.name, this.type);
      log.warn('webhook not called, the request goes on', about);
      return undefined;
    }
  }

  /** Asks a webhook. Throws {@link HookFailure}, {@link HookRejection} and, where dry runs are not supported, a 400 `StatusError`. */
  async ask(invocation: Invocation, a: AdmissionAttributes, objects: ReviewObjects): Promise<Verdict> {
    const { hook } = invocation;
    const { sideEffects } = hook.spec;
    if (a.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') throw badRequestError(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
    const version = reviewVersion(hook.spec.admissionReviewVersions);
    if (!version) throw new HookFailure(hook.name, 'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)', 400);
    const uid = this.environment.random.uuid();
    const answer = await this.post(invocation, a, admissionReview(version, uid, invocation, a, objects));
    let verdict: Verdict;
    try {
      verdict = readVerdict(answer, version, uid, this.type === 'admit');
    } catch (error) {
      if (!(error instanceof VerdictError)) throw error;
      throw new HookFailure(hook.name, `${error.stage === 'invalid' ? 'received invalid webhook response' : 'failed to call webhook'}: ${error.message}`, 503);
    }
    for (const text of verdict.warnings) if (text !== '') a.warn(text);
    if (!verdict.allowed) throw new HookRejection(denial(hook.name, verdict.status));
    return verdict;
  }

  private async post({ hook }: Invocation, a: AdmissionAttributes, review: EncodedReview): Promise<unknown> {
    const signal = a.signal?.();
    try {
      return await this.caller.call(hook.client, review, { timeoutMilliseconds: (hook.spec.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000, signal });
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      const what = error.stage === 'client' ? 'could not get REST client' : 'failed to call webhook';
      throw new HookFailure(hook.name, `${what}: ${error.message}`, error.code, signal?.aborted === true);
    }
  }
}
