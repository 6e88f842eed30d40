import { quote } from '../../api/meta/field-error.js';
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

/** 405 as upstream's handlers say it of a verb that the router lets through; that of an unknown method is empty. */
export function methodNotSupportedError({ group, resource }: { readonly group: string; readonly resource: string }, verb: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${verb} is not supported on resources of kind ${quote(group === '' ? resource : `${resource}.${group}`)}`,
    reason: 'MethodNotAllowed',
    details: { ...(group === '' ? {} : { group }), kind: resource },
    code: 405,
  });
}
