import type { ApiRequest, ApiResponse } from '../handler/api-request.js';
import type { NonResourceRoutes } from '../http/nonresource-routes.js';
import { textResponse } from '../http/text-response.js';
import type { OpenApi } from '../openapi/openapi.js';
import type { Discovery } from './discovery.js';
import type { DocumentRequest, DocumentResponse } from './document.js';

/** Adds discovery and the OpenAPI documents to the paths that are no resources. */
export function addDocumentRoutes(routes: NonResourceRoutes, discovery: Discovery, openApi: OpenApi): void {
  const discover = (request: ApiRequest) => answer(request, (wanted) => discovery.handle(request.info.path, wanted));
  for (const path of ['/api', '/api/*', '/apis', '/apis/*']) routes.add({ path, handle: discover });
  const describe = (request: ApiRequest) => answer(request, (wanted) => openApi.handle(request.info.path, request.query, wanted));
  for (const path of ['/openapi/v2', '/openapi/v3', '/openapi/v3/*']) routes.add({ path, handle: describe });
}

async function answer(request: ApiRequest, respond: (request: DocumentRequest) => Promise<DocumentResponse | undefined>): Promise<ApiResponse | undefined> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return textResponse(405, '405: Method Not Allowed');
  const response = await respond({
    accept: request.accept,
    ...(request.headers?.['if-none-match'] === undefined ? {} : { ifNoneMatch: request.headers['if-none-match'] }),
    ...(request.headers?.['accept-encoding'] === undefined ? {} : { acceptEncoding: String(request.headers['accept-encoding']) }),
  });
  if (response === undefined) return undefined;
  const { 'Content-Type': mediaType, ...headers } = response.headers;
  if (response.chunks) return { type: 'stream', code: response.status, mediaType: mediaType!, chunks: response.chunks, headers };
  return { type: 'bytes', code: response.status, mediaType: mediaType!, bytes: response.bytes, headers };
}
