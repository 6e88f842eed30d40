import { KubeError } from '../../base/errors.js';
import { quote } from '../meta/field-error.js';
import type { GroupVersionKind } from '../meta/object.js';
import { badRequestError, type StatusError } from '../status-error.js';

/** A body that cannot be decoded; the message is upstream's, without what {@link decodeFailure} puts around it. */
export function decodeError(message: string): KubeError {
  return new KubeError('KUBE_CANNOT_DECODE', message);
}

/** True for what the decoders of this folder throw. */
export function isDecodeError(error: unknown): error is KubeError {
  return error instanceof KubeError && error.code === 'KUBE_CANNOT_DECODE';
}

/** The message of a body with unknown or duplicate fields under strict field validation. */
export function strictDecodingMessage(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`;
}

const YAML_ERRORS = 'yaml: unmarshal errors:\n';

/** Strict errors as the texts of warnings: what the YAML reader lists in one error becomes one warning each. */
export function strictWarnings(errors: readonly string[]): string[] {
  return errors.flatMap((error) => (error.startsWith(YAML_ERRORS) ? error.slice(YAML_ERRORS.length).split('\n').map((line) => line.trim()) : [error]));
}

/**
 * The answer to a body that cannot be decoded: 400, worded as upstream does. `actual` is what the body says it is, undefined when it does not even say
 * that; `expected` is the kind the path asks for.
 */
export function decodeFailure(message: string, actual: GroupVersionKind | undefined, expected: string, body: Buffer): StatusError {
  if (actual !== undefined && actual.kind !== '') {
    return badRequestError(`${actual.kind} in version ${quote(actual.version)} cannot be handled as a ${expected}: ${message}`);
  }
  return badRequestError(`the object provided is unrecognized (must be of type ${expected}): ${message} (${summary(body)})`);
}

const SUMMARY_BYTES = 30;

function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const start = body.subarray(0, SUMMARY_BYTES);
  const more = body.length > SUMMARY_BYTES ? ' ...' : '';
  return `${start[0] === 0x7b ? start.toString() : start.toString('hex')}${more}`;
}
