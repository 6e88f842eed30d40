import { forbiddenError, type StatusError } from '../../api/status-error.js';
import type { AdmissionAttributes } from './plugin.js';

/** The name in messages: on create it may be known from the object only, or be a prefix. */
function requestedName(a: AdmissionAttributes): string {
  return a.name || a.object?.metadata?.name || a.object?.metadata?.generateName || 'Unknown';
}

/** The 403 with which a plugin refuses a request. */
export function refusal(a: AdmissionAttributes, why: string): StatusError {
  return forbiddenError({ group: a.resource.group, resource: a.resource.resource }, requestedName(a), why);
}

/** Whether the request is about the resource itself, not a subresource. */
export function concerns(a: AdmissionAttributes, group: string, resource: string, subresource = ''): boolean {
  return a.resource.resource === resource && a.resource.group === group && a.subresource === subresource;
}

/** Whether the request is about an object in a namespace, the namespace itself not included. */
export function inNamespace(a: AdmissionAttributes): boolean {
  return a.namespace !== '' && !(a.kind.kind === 'Namespace' && a.kind.group === '');
}
