import type { Clock } from '../../../base/clock.js';
import { errorMessage } from '../../../base/errors.js';
import type { Random } from '../../../base/random.js';
import type { CustomVersion } from '../../../api/apiextensions/structural/custom-version.js';
import type { V1CustomResourceDefinition } from '../../../api/generated/types.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { ConversionPending, type LateConversion } from '../../../api/scheme/late-conversion.js';
import { StatusError } from '../../../api/status-error.js';
import type { WebhookCaller, WebhookClientConfig } from '../../webhook/webhook-caller.js';
import type { ConversionFailure, ConversionMetrics } from './conversion-metrics.js';
import { conversionReview, convertedObjects, ReviewError, type ConversionReviewRequest } from './conversion-review.js';
import { acceptConverted, ConvertedObjectError } from './converted-object.js';

/** Upstream's limit of every call of a webhook. */
const TIMEOUT_MILLISECONDS = 30_000;
/** Conversions that one piece of work may need: more are a fault of our own. */
const MAX_ROUNDS = 1_000;

/** What conversions need from the server. */
export interface ConversionEnvironment {
  readonly caller: WebhookCaller;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: ConversionMetrics;
}

/** What has been converted for the work that runs just now. When its definition changes meanwhile, the work may meet the conversions of both. */
let session: Map<string, KubeObject> | undefined;

/** The conversion of the objects of a definition by its webhook. Source: upstream's `apiextensions` conversion. */
export class WebhookConversion implements LateConversion {
  private readonly client: WebhookClientConfig;
  private readonly reviewVersions: readonly string[];

  constructor(
    private readonly definition: V1CustomResourceDefinition,
    /** By `apiVersion`. */
    private readonly versions: ReadonlyMap<string, CustomVersion>,
    private readonly environment: () => ConversionEnvironment,
  ) {
    const { clientConfig = {}, conversionReviewVersions = [] } = definition.spec.conversion?.webhook ?? {};
    const bundle = clientConfig.caBundle;
    // Nothing but white space is no bundle.
    this.client = { ...clientConfig, caBundle: bundle === undefined || Buffer.from(bundle, 'base64').toString().trim() === '' ? undefined : bundle };
    this.reviewVersions = conversionReviewVersions;
  }

  async convert(objects: readonly KubeObject[], apiVersion: string): Promise<KubeObject[]> {
    const result = [...objects];
    const places = objects.flatMap((object, i) => (object.apiVersion === apiVersion ? [] : [i]));
    if (places.length === 0) return result;
    const originals = places.map((i) => objects[i]!);
    for (const { apiVersion: from = '' } of originals) if (!this.versions.has(from)) throw plainError(`request to convert CR from an invalid group/version: ${from}`);
    const target = this.versions.get(apiVersion);
    if (target === undefined) throw plainError(`request to convert CR to an invalid group/version: ${apiVersion}`);
    const converted = await this.ask(originals, apiVersion, target);
    places.forEach((place, i) => (result[place] = converted[i]!));
    return result;
  }

  async settle<T>(work: () => T): Promise<T> {
    const converted = new Map<string, KubeObject>();
    for (let round = 0; ; round++) {
      const pending = attempt(work, converted);
      if (!(pending instanceof ConversionPending)) return pending.value;
      if (round >= MAX_ROUNDS) throw new TypeError('the work needs other conversions each time');
      const [object] = await pending.by.convert([pending.object], pending.apiVersion);
      converted.set(pending.key, object!);
    }
  }

  converted(object: KubeObject, apiVersion: string): KubeObject {
    if (object.apiVersion === apiVersion) return object;
    // What nobody has set yet is the same in all versions.
    if (isEmpty(object)) return { ...object, apiVersion };
    const key = `${apiVersion} ${JSON.stringify(object)}`;
    const known = session?.get(key);
    if (known === undefined) throw new ConversionPending(object, apiVersion, key, this);
    return known;
  }

  private async ask(originals: readonly KubeObject[], apiVersion: string, target: CustomVersion): Promise<KubeObject[]> {
    const { caller, clock, random, metrics } = this.environment();
    const begun = clock.now();
    const from = originals[0]!.apiVersion!;
    const about = `conversion webhook for ${from}, Kind=${originals[0]!.kind}`;
    const ended = (failure?: ConversionFailure): void =>
      metrics.observe({ definition: this.definition.metadata!.name!, from: versionOf(from), to: versionOf(apiVersion), seconds: (clock.now() - begun) / 1000, failure });
    const failed = (failure: ConversionFailure, text: string): StatusError => {
      ended(failure);
      return plainError(text);
    };
    let review: ConversionReviewRequest;
    let answer: unknown;
    try {
      review = conversionReview(this.reviewVersions, random.uuid(), apiVersion, originals);
    } catch (error) {
      throw plainError(errorMessage(error));
    }
    try {
      answer = await caller.call(this.client, review, { timeoutMilliseconds: TIMEOUT_MILLISECONDS });
    } catch (error) {
      throw failed('conversion_webhook_call_failure', `${about} failed: ${errorMessage(error)}`);
    }
    let answered: readonly unknown[];
    try {
      answered = convertedObjects(review, answer);
    } catch (error) {
      if (!(error instanceof ReviewError)) throw error;
      throw failed('conversion_webhook_malformed_response_failure', `${about} failed: ${error.message}`);
    }
    if (answered.length !== originals.length) {
      throw failed('conversion_webhook_partial_response_failure', `${about} returned ${answered.length} objects, expected ${originals.length}`);
    }
    const converted = answered.map((object, i) => {
      try {
        const accepted = acceptConverted(originals[i]!, object, apiVersion);
        target.tidy(accepted);
        return accepted as KubeObject;
      } catch (error) {
        if (!(error instanceof ConvertedObjectError)) throw error;
        const prefix = error.alone ? '' : `conversion webhook for ${originals[i]!.apiVersion}, Kind=${originals[i]!.kind} `;
        throw failed('conversion_webhook_invalid_converted_object_failure', prefix + error.message);
      }
    });
    ended();
    return converted;
  }
}

function attempt<T>(work: () => T, converted: Map<string, KubeObject>): ConversionPending | { readonly value: T } {
  const outer = session;
  session = converted;
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof ConversionPending) return error;
    throw error;
  } finally {
    session = outer;
  }
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

function isEmpty({ kind: _kind, apiVersion: _apiVersion, metadata, ...rest }: KubeObject): boolean {
  return Object.keys(rest).length === 0 && Object.keys(metadata ?? {}).length === 0;
}

/** Upstream does not tell such errors from faults of its own. */
function plainError(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
