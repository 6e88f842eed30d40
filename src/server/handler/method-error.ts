import { StatusError } from '../../api/status-error.js';

/** 405 as upstream's router answers a method that it has not at a path. */
export function methodError(): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server does not allow this method on the requested resource',
    reason: 'MethodNotAllowed',
    details: {},
    code: 405,
  });
}
