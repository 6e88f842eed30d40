import {
  API_GROUP, API_GROUP_LIST, API_RESOURCE_LIST, API_VERSIONS, OBJECT_TYPES, VERSION_INFO, type Operation, type PathOperations, type Payload,
} from './operation.js';
import { groupVersionId, groupVersionTag } from './resource-paths.js';

/** Paths that are no resources, by the name under which OpenAPI v3 publishes them. */
export interface ServerPaths {
  /** `api`, `apis`, `apis/apps`, `version`, … */
  readonly name: string;
  readonly paths: readonly PathOperations[];
}

function page(path: string, tag: string, operationId: string, description: string, payload: Payload, produces: readonly string[], consumes = produces): PathOperations {
  const operation: Operation = { method: 'get', operationId, description, tag, parameters: [], responses: [{ code: 200, description: 'OK', payload }], consumes, produces };
  return { path, subject: '', operations: [operation] };
}

/** Discovery of a group version: the page above its resources. */
export function groupVersionPath(group: string, version: string): PathOperations {
  const path = group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`;
  return page(path, groupVersionTag(group, version), `get${groupVersionId(group, version)}APIResources`, 'get available resources', { definition: API_RESOURCE_LIST }, OBJECT_TYPES);
}

/** Everything else that the server answers and that is worth a description. */
export function serverPaths(groups: readonly string[]): ServerPaths[] {
  const json = ['application/json'];
  return [
    { name: 'api', paths: [page('/api/', 'core', 'getCoreAPIVersions', 'get available API versions', { definition: API_VERSIONS }, OBJECT_TYPES)] },
    { name: 'apis', paths: [page('/apis/', 'apis', 'getAPIVersions', 'get available API versions', { definition: API_GROUP_LIST }, OBJECT_TYPES)] },
    ...groups.map((group) => ({
      name: `apis/${group}`,
      paths: [page(`/apis/${group}/`, groupVersionTag(group), `get${groupVersionId(group)}APIGroup`, 'get information of a group', { definition: API_GROUP }, OBJECT_TYPES)],
    })),
    {
      name: '.well-known/openid-configuration',
      paths: [page('/.well-known/openid-configuration/', 'WellKnown', 'getServiceAccountIssuerOpenIDConfiguration', 'get the OpenID configuration of the issuer of service account tokens', 'string', json, [])],
    },
    {
      name: 'openid/v1/jwks',
      paths: [page('/openid/v1/jwks/', 'openid', 'getServiceAccountIssuerOpenIDKeyset', 'get the public keys that verify service account tokens', 'string', ['application/jwk-set+json'], [])],
    },
    { name: 'version', paths: [page('/version/', 'version', 'getCodeVersion', 'get the version of this server', { definition: VERSION_INFO }, json)] },
  ];
}
