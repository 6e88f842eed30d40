import { decodeJsonObject, parseJsonSteps } from '../../api/codec/decode-json.js';
import { decodeYaml } from '../../api/codec/decode-yaml.js';
import { MAX_DEPTH } from '../../api/codec/json-parser.js';
import { scanJson } from '../../api/codec/json-scan.js';
import type { Steps } from '../../base/steps.js';
import { errorMessage } from '../../base/errors.js';
import { WebhookCallError } from './webhook-caller.js';

/** An answer as it came. */
export interface RawAnswer {
  readonly code: number;
  readonly contentType: string;
  readonly body: Buffer;
}

const GENERAL: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
const MAX_TEXT = 2048;
/** What is no plain JSON is looked at more closely up to this size: doing so takes 50 milliseconds per 200 KB, in which nothing else is answered. */
const MAX_CAREFUL_BYTES = 256 * 1024;
/** Longer ones are parsed in steps. */
const LONG_CHARACTERS = 256 * 1024;

/** The parsed JSON of a good answer, read with pauses. Throws a {@link WebhookCallError} in the words of upstream's clients for any other. */
export function* readAnswer({ code, contentType, body }: RawAnswer): Steps<unknown> {
  if (code < 200 || code > 206) throw new WebhookCallError((yield* statusMessage(body)) ?? generalMessage(code, contentType, body), code);
  if (body.length === 0) throw new WebhookCallError(`0-length response with status code: ${code} and content type: ${contentType}`);
  try {
    return yield* parsed(body);
  } catch {
    return parsedWithCare(body);
  }
}

/** Throws when it is no JSON, or nested so deeply that it could be neither compared nor written again. */
function* parsed(body: Buffer): Steps<unknown> {
  const text = body.toString();
  yield;
  if (text.length > LONG_CHARACTERS) return yield* parseJsonSteps(text);
  if (text.length > MAX_DEPTH && scanJson(text).depth > MAX_DEPTH) throw new SyntaxError('nested too deeply');
  return JSON.parse(text);
}

/** What does not begin as a JSON object is read as YAML, as upstream's clients do. */
function parsedWithCare(body: Buffer): unknown {
  if (body.length > MAX_CAREFUL_BYTES) throw new WebhookCallError(`the response body of ${body.length} bytes is no JSON, or nested more than ${MAX_DEPTH} levels deep`);
  try {
    return (/^\s*\{/.test(body.subarray(0, 64).toString()) ? decodeJsonObject(body) : decodeYaml(body)).value;
  } catch (error) {
    throw new WebhookCallError(errorMessage(error));
  }
}

/** The message of a body that is a failed `Status`. */
function* statusMessage(body: Buffer): Steps<string | undefined> {
  try {
    const { kind, status, message } = (yield* parsed(body)) as { readonly kind?: unknown; readonly status?: unknown; readonly message?: unknown };
    return kind === 'Status' && status !== 'Success' && typeof message === 'string' && message !== '' ? message : undefined;
  } catch {
    return undefined;
  }
}

function generalMessage(code: number, contentType: string, body: Buffer): string {
  const general = GENERAL[code];
  if (general !== undefined) return general;
  const text = contentType.startsWith('text/') ? body.subarray(0, MAX_TEXT).toString().trim() : 'unknown';
  if (code === 403 || code === 415) return text;
  if (code === 406) return text === '' || text === 'unknown' ? 'the server was unable to respond with a content type that the client supports' : text;
  if (code >= 500) return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}
