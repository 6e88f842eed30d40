import { isIP } from 'node:net';
import { ENDPOINT_SLICES, PODS, SERVICES } from '../../api/resource-refs.js';
import { badRequestError, notFoundError, serviceUnavailableError } from '../../api/status-error.js';
import type { ApiRequest } from '../handler/api-request.js';
import type { CustomHandler } from '../handler/subresource.js';
import type { ServerContext } from '../server-context.js';
import { admitConnect } from './connect-admission.js';
import { proxyRequest, type ProxyTarget } from './http-proxy.js';
import { nodeEndpoint } from './node-endpoint.js';

/** Every method; those that stand for no verb, such as OPTIONS, have the empty one. */
const VERBS = ['get', 'create', 'update', 'patch', 'delete', ''];

/** What pods and services serve with is not the API server's to verify. */
const UNVERIFIED = { rejectUnauthorized: false } as const;

/** `pods/proxy`, `services/proxy` and `nodes/proxy`. */
export function proxyHandlers(context: ServerContext): CustomHandler[] {
  const handler = (path: string, kind: string, target: (request: ApiRequest) => ProxyTarget): CustomHandler => ({
    path,
    verbs: VERBS,
    async handle(request) {
      // Where the request goes in the end is in its path, which admission cannot change.
      const { rest, path } = request.info;
      await admitConnect(context, request, kind, rest === '' && !path.endsWith('/') ? {} : { path: `/${rest}` });
      return proxyRequest(request, target(request));
    },
  });
  return [
    handler('/pods/proxy', 'PodProxyOptions', (request) => podTarget(context, request)),
    handler('/services/proxy', 'ServiceProxyOptions', (request) => serviceTarget(context, request)),
    handler('/nodes/proxy', 'NodeProxyOptions', (request) => nodeTarget(context, request)),
  ];
}

/** Splits `name`, `name:port` or `scheme:name:port`; undefined when it is none of them. */
function splitName(text: string): { readonly scheme: string; readonly name: string; readonly port: string } | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme, name, port] = parts.length === 3 ? parts : ['', parts[0], parts[1] ?? ''];
  return name && (scheme === '' || scheme === 'http' || scheme === 'https') ? { scheme: scheme!, name, port: port! } : undefined;
}

function podTarget(context: ServerContext, request: ApiRequest): ProxyTarget {
  const id = splitName(request.info.name);
  if (!id) throw badRequestError(`invalid pod request ${JSON.stringify(request.info.name)}`);
  const pod = context.view.get(PODS, request.info.namespace, id.name);
  if (!pod) throw notFoundError(PODS, id.name);
  const first = pod.spec?.containers.find((container) => container.ports?.length)?.ports?.[0]?.containerPort;
  const host = pod.status?.podIP ?? '';
  if (!isGlobal(host)) throw badRequestError('address not allowed');
  return { host, port: id.port || (first === undefined ? '' : String(first)), secure: id.scheme === 'https', tls: UNVERIFIED };
}

function nodeTarget(context: ServerContext, request: ApiRequest): ProxyTarget {
  const id = splitName(request.info.name);
  if (!id) throw badRequestError(`invalid node request ${JSON.stringify(request.info.name)}`);
  const endpoint = nodeEndpoint(context, id.name);
  if (id.port === '' || id.port === String(endpoint.port)) return { host: endpoint.host, port: String(endpoint.port), secure: true, tls: endpoint.tls, headers: endpoint.headers };
  if (!isGlobal(endpoint.host)) throw badRequestError('address not allowed');
  return { host: endpoint.host, port: id.port, secure: id.scheme === 'https', tls: UNVERIFIED };
}

function serviceTarget(context: ServerContext, request: ApiRequest): ProxyTarget {
  const { namespace } = request.info;
  const id = splitName(request.info.name);
  if (!id) throw badRequestError(`invalid service request ${JSON.stringify(request.info.name)}`);
  const service = context.view.get(SERVICES, namespace, id.name);
  if (!service) throw notFoundError(SERVICES, id.name);
  let portName = id.port;
  if (/^\d+$/.test(id.port)) {
    const port = service.spec?.ports?.find((candidate) => candidate.port === Number(id.port));
    if (!port) throw serviceUnavailableError(`no service port ${id.port} found for service ${JSON.stringify(id.name)}`);
    portName = port.name ?? '';
  }
  const candidates: { readonly host: string; readonly port: number }[] = [];
  for (const slice of context.view.list(ENDPOINT_SLICES, namespace)) {
    if (slice.metadata?.labels?.['kubernetes.io/service-name'] !== id.name) continue;
    const port = slice.ports?.find((item) => (item.name ?? '') === portName)?.port;
    if (port === undefined) continue;
    for (const endpoint of slice.endpoints ?? []) {
      const host = endpoint.addresses[0];
      if (endpoint.conditions?.ready !== false && host && isGlobal(host)) candidates.push({ host, port });
    }
  }
  const chosen = candidates[Math.floor(context.random.float() * candidates.length)];
  if (!chosen) throw serviceUnavailableError(`no endpoints available for service ${JSON.stringify(request.info.name)}`);
  return { host: chosen.host, port: String(chosen.port), secure: id.scheme === 'https', tls: UNVERIFIED };
}

/** Neither loopback nor link-local nor multicast: the server must not be led to itself. */
function isGlobal(host: string): boolean {
  if (isIP(host) === 4) return !/^(127\.|0\.0\.0\.0$|169\.254\.|22[4-9]\.|23\d\.|255\.255\.255\.255$)/.test(host);
  return isIP(host) === 6 && !/^(::1?$|fe[89ab]|ff)/i.test(host);
}
