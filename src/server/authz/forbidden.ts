import { forbiddenError, type StatusError } from '../../api/status-error.js';
import { quote } from '../../api/meta/field-error.js';
import type { AuthorizationAttributes } from './authorizer.js';

/** Messages must not look like HTML, whatever stood in the path. */
const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The sentence that says what is not allowed: `User "x" cannot get resource "pods" in API group "" in the namespace "default"`. */
function forbiddenMessage(attributes: AuthorizationAttributes): string {
  const user = `User ${quote(attributes.user.name)} cannot ${attributes.verb}`;
  if (!attributes.isResourceRequest) return `${user} path ${quote(attributes.path)}`;
  const resource = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const scope = attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(attributes.namespace)}`;
  return `${user} resource ${quote(resource)} in API group ${quote(attributes.group)} ${scope}`;
}

/** The 403 for a request that no authorizer allowed. */
export function forbiddenRequestError(attributes: AuthorizationAttributes, reason: string): StatusError {
  const message = escape(forbiddenMessage(attributes));
  const { group, resource } = attributes;
  return forbiddenError({ group, resource }, attributes.name, reason === '' ? message : `${message}: ${reason}`);
}
