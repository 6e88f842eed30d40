import type { KubeObject } from '../../../api/meta/object.js';
import { quote } from '../../../api/meta/field-error.js';
import { isObject } from '../../../api/patch/json.js';

const GROUP = 'apiextensions.k8s.io';
/** How upstream names what knows reviews. */
const SCHEME = 'k8s.io/apiserver/pkg/util/webhook/client.go:71';
/** Versions of the review that can be sent. */
const KNOWN: readonly string[] = ['v1', 'v1beta1'];

/** A review that is to be sent. */
export interface ConversionReviewRequest {
  readonly kind: 'ConversionReview';
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly KubeObject[] };
}

/** Why an answer is worth nothing; the text follows `conversion webhook for … failed: `. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
}

/** The review in the first of a definition's `conversionReviewVersions` that is known. Throws {@link ReviewError} when none is. */
export function conversionReview(versions: readonly string[], uid: string, desiredAPIVersion: string, objects: readonly KubeObject[]): ConversionReviewRequest {
  const version = versions.find((name) => KNOWN.includes(name));
  if (version === undefined) throw new ReviewError('no supported conversion review versions');
  return { kind: 'ConversionReview', apiVersion: `${GROUP}/${version}`, request: { uid, desiredAPIVersion, objects } };
}

/** The converted objects of an answer, unchecked. Throws {@link ReviewError} when the webhook says that it failed, or answered something else. */
export function convertedObjects({ apiVersion, request }: ConversionReviewRequest, answer: unknown): readonly unknown[] {
  const { kind, apiVersion: answered, response } = isObject(answer) ? answer : {};
  const told = { kind: typeof kind === 'string' ? kind : '', apiVersion: typeof answered === 'string' ? answered : '' };
  const sent = apiVersion.slice(GROUP.length + 1);
  // What an answer does not say is taken to be as asked for, at first.
  const meant = { kind: told.kind || 'ConversionReview', apiVersion: told.apiVersion || apiVersion };
  const version = meant.apiVersion.slice(GROUP.length + 1);
  if (meant.kind !== 'ConversionReview' || meant.apiVersion !== `${GROUP}/${version}` || !KNOWN.includes(version)) {
    throw new ReviewError(`no kind ${quote(meant.kind)} is registered for version ${quote(meant.apiVersion)} in scheme ${quote(SCHEME)}`);
  }
  if (version !== sent) throw new ReviewError(`converting (${version}.ConversionReview) to (${sent}.ConversionReview): unknown conversion`);
  if (sent === 'v1' && (told.kind === '' || told.apiVersion === '')) {
    throw new ReviewError(`expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${told.apiVersion || '/'}, Kind=${told.kind}`);
  }
  if (!isObject(response)) throw new ReviewError('no response provided');
  const { uid, result, convertedObjects: objects } = response;
  // The older form was never checked for it.
  if (sent === 'v1' && uid !== request.uid) throw new ReviewError(`expected response.uid=${quote(request.uid)}, got ${quote(typeof uid === 'string' ? uid : '')}`);
  const { status, message } = isObject(result) ? result : {};
  if (status !== 'Success') {
    throw new ReviewError(typeof message === 'string' && message !== '' ? message : `response.result.status was '${typeof status === 'string' ? status : ''}', not 'Success'`);
  }
  return Array.isArray(objects) ? (objects as readonly unknown[]) : [];
}
