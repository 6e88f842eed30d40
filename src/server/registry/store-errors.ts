import { errorCode, errorMessage } from '../../base/errors.js';
import { internalError, serviceUnavailableError, StatusError, timeoutError } from '../../api/status-error.js';

/** What a client is told when the store fails; other errors come back as they are. */
export function storeError(error: unknown): unknown {
  switch (errorCode(error)) {
    case 'KUBE_STORE_OUTCOME_UNKNOWN':
      return timeoutError(`request did not complete within the allotted timeout: ${errorMessage(error)}`);
    case 'KUBE_STORE_UNAVAILABLE':
    case 'KUBE_STORE_CLOSED':
    case 'KUBE_STORE_FULL':
      return serviceUnavailableError(errorMessage(error));
    case 'KUBE_STORE_TOO_LARGE':
      // In upstream's form: without a reason.
      return tooLarge(error);
    case 'KUBE_STORE_DENIED':
    case 'KUBE_STORE_DAMAGED':
    case 'KUBE_STORE_FORMAT':
    case 'KUBE_STORE_LOCKED':
      return internalError(errorMessage(error));
    default:
      return error;
  }
}

function tooLarge(error: unknown): StatusError {
  const result = new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: errorMessage(error), code: 500 });
  result.cause = error;
  return result;
}

/** Whether this is what became of a store's complaint that an object is too large. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof StatusError && errorCode(error.cause) === 'KUBE_STORE_TOO_LARGE';
}

/** The error as a Status: anything unforeseen is an internal error. */
export function statusErrorOf(error: unknown): StatusError {
  const known = storeError(error);
  return known instanceof StatusError ? known : internalError(errorMessage(known));
}
