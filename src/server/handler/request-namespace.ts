import type { Target } from './api-core.js';
import type { ApiRequest } from './api-request.js';

/** The namespace in which the object of a request is: empty for cluster-scoped resources, namespaces themselves included. */
export function namespaceOf(request: ApiRequest, target: Target): string {
  return target.resource.facts.namespaced ? request.info.namespace : '';
}
