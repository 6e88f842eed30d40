import type { Draft } from '../draft.js';
import type { AuthenticationV1TokenRequest } from '../generated/types.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';

/** The shortest life of a token that may be asked for, in seconds. */
export const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** One hour when nothing is said. */
export function defaultTokenRequest(draft: Draft<AuthenticationV1TokenRequest>): void {
  draft.spec ??= {};
  draft.spec.expirationSeconds ??= 3600;
}

/** Rules of the `token` subresource of service accounts. */
export function validateTokenRequest(object: AuthenticationV1TokenRequest): FieldError[] {
  const seconds = object.spec?.expirationSeconds ?? 0;
  const path = FieldPath.of('spec', 'expirationSeconds');
  if (seconds < MIN_TOKEN_SECONDS) return [invalid(path, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > MAX_TOKEN_SECONDS ? [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : [];
}
