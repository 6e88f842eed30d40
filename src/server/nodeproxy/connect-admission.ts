import type { Draft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { AdmissionAttributes } from '../admission/plugin.js';
import type { ApiRequest } from '../handler/api-request.js';
import type { ServerContext } from '../server-context.js';

/** Options of a stream or a proxied request; admission may change them. */
export type ConnectOptions<T> = Draft<KubeObject & T>;

/** Asks admission about a request that opens a connection (CONNECT). Throws what it refuses with; otherwise gives the options as admission leaves them. */
export async function admitConnect<T extends object>(context: ServerContext, request: ApiRequest, kind: string, options: T): Promise<ConnectOptions<T>> {
  const { info } = request;
  const { admission } = context.core();
  const object = { kind, apiVersion: 'v1', ...options } as ConnectOptions<T>;
  const attributes: AdmissionAttributes = {
    operation: 'CONNECT',
    kind: { group: '', version: 'v1', kind },
    resource: { group: info.group, version: info.version, resource: info.resource },
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    object: object as Draft<KubeObject>,
    oldObject: undefined,
    options: {},
    dryRun: false,
    user: request.user,
    signal: () => request.signal,
    warn: (text) => request.warn(text),
  };
  await admission.admit(attributes);
  await admission.validate(attributes);
  return object;
}

/** A switch in the query: on unless it is absent, `0` or `false`. */
export function switchParam(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}
