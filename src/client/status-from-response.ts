import { StatusError, type StatusReason } from '../api/status-error.js';
import type { V1Status } from '../api/generated/types.js';

const REASONS: Readonly<Record<number, readonly [StatusReason, string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', 'the server does not allow access to the requested resource'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: ['NotAcceptable', 'the server was unable to respond with a content type that the client supports'],
  409: ['Conflict', 'the server reported a conflict'],
  410: ['Expired', 'the requested resource is no longer available'],
  413: ['RequestEntityTooLarge', 'Request entity too large'],
  415: ['UnsupportedMediaType', 'the body of the request was in an unknown format'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  500: ['InternalError', 'an error on the server has prevented the request from succeeding'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted, but may still be processing the request'],
};

/** True for a decoded `Status` object. */
function isStatus(body: unknown): body is V1Status {
  return typeof body === 'object' && body !== null && (body as { kind?: unknown }).kind === 'Status';
}

/**
 * The error of an answer with a failure code: the server's own `Status`, or one made up from the code when a
 * proxy or a broken server answered something else (its text becomes the message).
 */
export function statusErrorFrom(code: number, body: unknown, retryAfterSeconds = 0): StatusError {
  if (isStatus(body)) {
    if (retryAfterSeconds > 0 && !body.details?.retryAfterSeconds) return new StatusError({ ...body, details: { ...body.details, retryAfterSeconds } });
    return new StatusError(body);
  }
  const [reason, general] = REASONS[code] ?? (code >= 500 ? REASONS[500]! : (['', `the server responded with the status code ${code} but did not return more information`] as const));
  const text = typeof body === 'string' ? body.trim().slice(0, 1024) : '';
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text === '' ? general : `${general} (${text})`,
    ...(reason === '' ? {} : { reason }),
    ...(retryAfterSeconds > 0 ? { details: { retryAfterSeconds } } : {}),
    code,
  });
}
