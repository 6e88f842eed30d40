import type { Registry } from 'prom-client';
import { issuerDocuments } from '../authn/issuer-discovery.js';
import type { ApiCore } from '../handler/api-core.js';
import type { ApiRequest, ApiResponse } from '../handler/api-request.js';
import type { ApiServerOptions } from '../server-context.js';
import type { NonResourceRoutes } from './nonresource-routes.js';
import { VERSION_INFO } from './version.js';

/** The two sets of metrics that a server shows. */
export interface ServerMetrics {
  readonly server: Registry;
  /** The results of health checks. */
  readonly health: Registry;
}

/** Adds what the server itself answers beside resources and health. */
export function addServerRoutes(routes: NonResourceRoutes, core: ApiCore, metrics: ServerMetrics, options: ApiServerOptions, port: () => number): void {
  routes.add({ path: '/version', getOnly: true, handle: (request) => version(core, request) });
  routes.add({ path: '/metrics', handle: () => exposition(metrics.server) });
  routes.add({ path: '/metrics/slis', handle: () => exposition(metrics.health) });
  const documents = () => issuerDocuments(options, port());
  routes.add({ path: '/.well-known/openid-configuration', getOnly: true, handle: () => json('application/json', documents().configuration) });
  routes.add({ path: '/openid/v1/jwks', getOnly: true, handle: () => json('application/jwk-set+json', documents().keySet) });
}

async function exposition(metrics: Registry): Promise<ApiResponse> {
  return { type: 'bytes', code: 200, mediaType: metrics.contentType, bytes: Buffer.from(await metrics.metrics()) };
}

/** Always indented, as upstream writes it. */
function version(core: ApiCore, request: ApiRequest): ApiResponse {
  core.negotiator.negotiate(request.accept, 'json');
  return { type: 'bytes', code: 200, mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(VERSION_INFO, undefined, 2)) };
}

function json(mediaType: string, value: unknown): ApiResponse {
  return { type: 'bytes', code: 200, mediaType, bytes: Buffer.from(JSON.stringify(value)), headers: { 'Cache-Control': 'public, max-age=3600' } };
}
