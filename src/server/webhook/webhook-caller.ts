/** Where a webhook is, as webhook configurations and custom resource definitions say it: exactly one of `url` and `service`. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        /** Default 443. */
        readonly port?: number | undefined;
      }
    | undefined;
  /** Base64 of a PEM bundle that signed the webhook's certificate; absent: the system's authorities. */
  readonly caBundle?: string | undefined;
}

/** How one call is made. */
export interface WebhookCallOptions {
  /** The call fails when there is no whole answer after this. */
  readonly timeoutMilliseconds: number;
  /** Ends the call when the request that caused it ends. */
  readonly signal?: AbortSignal | undefined;
  /** A longer answer is a failure; default 16 MiB. */
  readonly maxAnswerBytes?: number;
}

/** A review as it is sent: JSON in parts, of which several calls may share some. */
export class EncodedReview {
  constructor(readonly parts: readonly Buffer[]) {}
}

/** Calls the webhooks of admission and of conversion. */
export interface WebhookCaller {
  /**
   * Posts `review`, as JSON unless it is encoded, and resolves with the parsed JSON answer. Rejects with a {@link WebhookCallError} when the webhook
   * cannot be reached, does not answer in time, or answers with anything but 200 and JSON; nothing else is checked.
   */
  call(config: WebhookClientConfig, review: object | EncodedReview, options: WebhookCallOptions): Promise<unknown>;
}

/**
 * A webhook that could not be asked. `message` is what upstream's texts have behind `failed calling webhook "…": failed to call webhook: `
 * and `conversion webhook for … failed: `.
 */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';

  /**
   * @param code what the failure counts as: the status code of an answer, 503 when there was none.
   * @param stage `client`: the configuration itself cannot be called; nothing was sent.
   */
  constructor(
    message: string,
    readonly code = 503,
    readonly stage: 'client' | 'call' = 'call',
  ) {
    super(message);
  }
}
