import { FieldPath } from '../../api/meta/field-path.js';
import { validateDomainPrefixedPath } from '../../api/meta/validation/text.js';
import type { UserInfo } from '../authn/authenticator.js';
import { aggregateText } from '../../api/helpers/aggregate-text.js';

/** Why narrow modes of impersonation refuse keys and values of `extra`; undefined when they do not. */
export function extraRefusal(extra: UserInfo['extra']): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const errors = validateDomainPrefixedPath(key, FieldPath.of('extra', 'key')).map(({ field, message }) => `${field}: ${message}`);
    if (errors.length > 0) return `impersonating an invalid key in extra is not allowed: ${aggregateText(errors)}`;
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
    if (values.length === 0) return 'impersonating empty values in extra is not allowed';
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}
