import type { V1Status } from '../../../api/generated/types.js';
import { StatusError } from '../../../api/status-error.js';

const MAX_HTTP_CODE = 999;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The answer to a request that a webhook denied: what the webhook said, made a failure where it is none. */
export function denial(webhook: string, status: V1Status | undefined): StatusError {
  const { message = '', reason = '', code = 0, details, metadata } = (status ?? {}) as { readonly message?: unknown; readonly reason?: unknown; readonly code?: unknown; readonly details?: unknown; readonly metadata?: unknown };
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const text = [message, reason].find((candidate): candidate is string => typeof candidate === 'string' && candidate !== '');
  const answer: Writable<V1Status> = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: typeof metadata === 'object' && metadata !== null ? (metadata as NonNullable<V1Status['metadata']>) : {},
    status: typeof status?.status === 'string' && status.status !== '' && status.status !== 'Success' ? status.status : 'Failure',
    message: text === undefined ? `${denied} without explanation` : `${denied}: ${text}`,
  };
  if (typeof reason === 'string' && reason !== '') answer.reason = reason;
  if (typeof details === 'object' && details !== null) answer.details = details;
  // Whatever the webhook says, a denial is no success, and HTTP has no such code.
  const given = typeof code === 'number' && Number.isInteger(code) && code >= 400 ? code : 400;
  answer.code = given > MAX_HTTP_CODE ? 500 : given;
  return new StatusError(answer);
}
