import { requestEntityTooLargeError, StatusError } from '../status-error.js';

/** A patch that is well formed but cannot be applied: 422; as upstream, the answer does not say why. `why` is for our own logs. */
export function inapplicableError(why: string): StatusError {
  const error = new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: {},
    code: 422,
  });
  error.cause = new Error(why);
  return error;
}

/** A patch that upstream answers with a bare 500; here it is 422 with the same message, since the request is at fault. */
export function wrongPatchError(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'Invalid', details: {}, code: 422 });
}

/** 413. */
export function tooManyOperationsError(limit: number, count: number): StatusError {
  return requestEntityTooLargeError(`Request entity too large: The allowed maximum operations in a JSON patch is ${limit}, got ${count}`);
}
