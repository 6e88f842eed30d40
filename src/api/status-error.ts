import type { V1Status, V1StatusCause } from './generated/types.js';
import { groupKindText, groupResourceText, type GroupResource } from './meta/object.js';
import type { FieldError } from './meta/field-error.js';
import { boundedStatus, listedErrors } from './bounded-status.js';
import { aggregateText } from './helpers/aggregate-text.js';

/** `reason` of a failed `Status`. */
export type StatusReason =
  | 'Unauthorized' | 'Forbidden' | 'NotFound' | 'AlreadyExists' | 'Conflict' | 'Gone' | 'Invalid' | 'ServerTimeout'
  | 'StoreReadError' | 'Timeout' | 'TooManyRequests' | 'BadRequest' | 'MethodNotAllowed' | 'NotAcceptable'
  | 'RequestEntityTooLarge' | 'UnsupportedMediaType' | 'InternalError' | 'Expired' | 'ServiceUnavailable' | '';

/** An error of the Kubernetes API: what the client gets is `status`. */
export class StatusError extends Error {
  readonly status: V1Status;

  /** Texts that are too long for an answer are cut off. */
  constructor(status: V1Status) {
    const bounded = boundedStatus(status);
    super(bounded.message ?? bounded.reason ?? 'unknown error');
    this.status = bounded;
    this.name = 'StatusError';
  }

  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): StatusReason {
    return (this.status.reason ?? '') as StatusReason;
  }

  /** True for a `Status` error with this reason. */
  static is(error: unknown, reason: StatusReason): error is StatusError {
    return error instanceof StatusError && error.reason === reason;
  }
}

function failure(code: number, reason: StatusReason, message: string, details?: V1Status['details']): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details ? { details } : {}),
    code,
  });
}

function detailsOf(gr: GroupResource, name: string): { name?: string; group?: string; kind?: string } {
  return {
    ...(name === '' ? {} : { name }),
    ...(gr.group === '' ? {} : { group: gr.group }),
    ...(gr.resource === '' ? {} : { kind: gr.resource }),
  };
}

/** 404: the object does not exist. */
export const notFoundError = (gr: GroupResource, name: string): StatusError =>
  failure(404, 'NotFound', `${groupResourceText(gr)} "${name}" not found`, detailsOf(gr, name));

/** 404: no such path or resource. */
export const pathNotFoundError = (): StatusError =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {});

export const alreadyExistsError = (gr: GroupResource, name: string): StatusError =>
  failure(409, 'AlreadyExists', `${groupResourceText(gr)} "${name}" already exists`, detailsOf(gr, name));

export const conflictError = (gr: GroupResource, name: string, why: string): StatusError =>
  failure(409, 'Conflict', `Operation cannot be fulfilled on ${groupResourceText(gr)} "${name}": ${why}`, detailsOf(gr, name));

/** The message of an update whose resourceVersion is not the newest one. */
export const optimisticLockMessage =
  'the object has been modified; please apply your changes to the latest version and try again';

export const forbiddenError = (gr: GroupResource, name: string, why: string): StatusError =>
  failure(
    403,
    'Forbidden',
    gr.resource === '' ? `forbidden: ${why}` : name === '' ? `${groupResourceText(gr)} is forbidden: ${why}` : `${groupResourceText(gr)} "${name}" is forbidden: ${why}`,
    detailsOf(gr, name),
  );

export const unauthorizedError = (message = 'Unauthorized'): StatusError => failure(401, 'Unauthorized', message);
export const badRequestError = (message: string): StatusError => failure(400, 'BadRequest', message);
export const goneError = (message: string): StatusError => failure(410, 'Expired', message);
export const internalError = (message: string): StatusError =>
  failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
/** 500 without a reason: how upstream answers errors that it did not foresee as part of the API. */
export const plainError = (message: string): StatusError => failure(500, '', message);
export const serviceUnavailableError = (message: string): StatusError => failure(503, 'ServiceUnavailable', message);
export const timeoutError = (message: string, retryAfterSeconds = 0): StatusError =>
  failure(504, 'Timeout', `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {});
export const tooManyRequestsError = (message: string, retryAfterSeconds = 0, causes?: V1StatusCause[]): StatusError =>
  failure(429, 'TooManyRequests', message, { ...(causes ? { causes } : {}), ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}) });
export const notAcceptableError = (message: string): StatusError => failure(406, 'NotAcceptable', message);
export const unsupportedMediaTypeError = (message: string): StatusError => failure(415, 'UnsupportedMediaType', message);
export const requestEntityTooLargeError = (message: string): StatusError => failure(413, 'RequestEntityTooLarge', message);

export const methodNotAllowedError = (gr: GroupResource, action: string): StatusError =>
  failure(405, 'MethodNotAllowed', `${action} is not supported on resources of kind "${groupResourceText(gr)}"`, detailsOf(gr, ''));

/** 422 with one cause per field error; very many are not all listed. `errors` must not be empty. */
export function invalidError(gk: { readonly group: string; readonly kind: string }, name: string, errors: readonly FieldError[]): StatusError {
  const { listed, more } = listedErrors(errors);
  const causes: V1StatusCause[] = listed.map((error) => ({ reason: error.type, message: error.message, field: error.field }));
  const unique = [...new Set(listed.map((error) => `${error.field}: ${error.message}`))];
  if (more !== undefined) {
    causes.push({ message: more, field: '<nil>' });
    unique.push(more);
  }
  const text = aggregateText(unique);
  return failure(422, 'Invalid', `${groupKindText(gk)} "${name}" is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(gk.group === '' ? {} : { group: gk.group }),
    kind: gk.kind,
    causes,
  });
}
