import { RESOURCES } from '../../api/facts/resources.js';
import { pathNotFoundError } from '../../api/status-error.js';
import type { ApiRequest, ApiResponse } from '../handler/api-request.js';
import { wantsPretty } from '../handler/respond.js';
import { methodError } from '../handler/method-error.js';
import type { NonResourceRoutes } from '../http/nonresource-routes.js';
import type { OpenApi } from '../openapi/openapi.js';
import type { Discovery } from './discovery.js';
import type { DocumentRequest, DocumentResponse } from './document.js';

const BUILT_IN: ReadonlySet<string> = new Set(RESOURCES.map(({ group }) => group));

/** Adds discovery and the OpenAPI documents to the paths that are no resources. */
export function addDocumentRoutes(routes: NonResourceRoutes, discovery: Discovery, openApi: OpenApi): void {
  const discover = async (request: ApiRequest) => {
    const { path } = request.info;
    const answered = await answer(request, (wanted) => discovery.handle(path, { ...wanted, routed: isRouted(path) }));
    if (!isRouted(path)) return answered;
    if (answered === undefined) throw pathNotFoundError();
    if (request.method !== 'GET') throw methodError();
    return answered;
  };
  for (const path of ['/api', '/api/*', '/apis', '/apis/*']) routes.add({ path, handle: discover });
  const describe = (request: ApiRequest) => answer(request, (wanted) => openApi.handle(request.info.path, request.query, wanted));
  for (const path of ['/openapi/v2', '/openapi/v3', '/openapi/v3/*']) routes.add({ path, handle: describe });
}

/** Upstream's router has the core group and the versions of those that are built in; other documents have handlers that do not look at the method. */
function isRouted(path: string): boolean {
  const [root, group = '', version] = path.split('/').slice(1);
  // A second slash behind a group leaves its handler, but means nothing to the router.
  return root === 'api' || (group !== '' && BUILT_IN.has(group) && (Boolean(version) || path.endsWith('//')));
}

async function answer(request: ApiRequest, respond: (request: DocumentRequest) => Promise<DocumentResponse | undefined>): Promise<ApiResponse | undefined> {
  const response = await respond({
    accept: request.accept,
    ...(request.headers?.['if-none-match'] === undefined ? {} : { ifNoneMatch: request.headers['if-none-match'] }),
    ...(request.headers?.['accept-encoding'] === undefined ? {} : { acceptEncoding: String(request.headers['accept-encoding']) }),
    pretty: wantsPretty(request),
  });
  if (response === undefined) return undefined;
  const { 'Content-Type': mediaType, ...headers } = response.headers;
  if (response.chunks) return { type: 'stream', code: response.status, mediaType: mediaType ?? '', chunks: response.chunks, headers };
  return { type: 'bytes', code: response.status, mediaType: mediaType ?? '', bytes: response.bytes, headers };
}
