import type { V1Container, V1Pod } from '../../api/generated/types.js';
import { PODS } from '../../api/resource-refs.js';
import { badRequestError, forbiddenError, notFoundError } from '../../api/status-error.js';
import type { ApiRequest } from '../handler/api-request.js';
import type { ServerContext } from '../server-context.js';
import { nodeEndpoint, type NodeEndpoint } from './node-endpoint.js';

/** The pod that a request names, or a 404. */
export function requestedPod(context: ServerContext, request: ApiRequest): V1Pod {
  const { namespace, name } = request.info;
  const pod = context.view.get(PODS, namespace, name);
  if (!pod) throw notFoundError(PODS, name);
  return pod;
}

/** The container that is meant: the one named, or the only one. Throws 400. */
export function requestedContainer(pod: V1Pod, container: string): string {
  const name = pod.metadata?.name ?? '';
  const all: readonly V1Container[] = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? []), ...((pod.spec?.ephemeralContainers ?? []) as readonly V1Container[])];
  if (container !== '') {
    if (!all.some((candidate) => candidate.name === container)) throw badRequestError(`container ${container} is not valid for pod ${name}`);
    return container;
  }
  const regular = pod.spec?.containers ?? [];
  if (regular.length === 1) return regular[0]!.name;
  if (regular.length === 0) throw badRequestError(`a container name must be specified for pod ${name}`);
  throw badRequestError(`a container name must be specified for pod ${name}, choose one of: [${all.map((candidate) => candidate.name).join(' ')}]`);
}

/** The agent of the pod's node. Throws 400 while it has none. */
export function podEndpoint(context: ServerContext, pod: V1Pod): NodeEndpoint {
  const node = pod.spec?.nodeName ?? '';
  if (node === '') throw badRequestError(`pod ${pod.metadata?.name} does not have a host assigned`);
  return nodeEndpoint(context, node);
}

/** Streams that are opened with a GET (WebSocket) need the right to create, as those opened with a POST do. */
export async function requireCreate(context: ServerContext, request: ApiRequest): Promise<void> {
  if (request.method !== 'GET') return;
  const { info, user } = request;
  const { namespace, group, version, resource, subresource, name, path } = info;
  const decision = await context.authorize({ user, verb: 'create', isResourceRequest: true, namespace, group, version, resource, subresource, name, path });
  if (decision.decision === 'allow') return;
  throw forbiddenError(PODS, name, `User ${JSON.stringify(user.name)} cannot create resource "pods/${subresource}" in API group "" in the namespace "${namespace}"`);
}
