import { StatusError } from '../../api/status-error.js';
import { negotiateFor, requestedView } from './respond.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { deleteOne } from './delete.js';
import { deleteOptions } from './delete-options.js';
import { listResponse, readPage } from './list.js';
import { listOptions, selectionOf } from './list-options.js';

/** Objects deleted at the same time. */
const PARALLEL = 16;

/** DELETE of a collection: everything selected, one by one; the answer is the list of what was there. */
export async function handleDeleteCollection(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  const negotiated = negotiateFor(core, request, target.resource);
  const view = requestedView(core, request, target.resource, negotiated, true);
  const list = listOptions(request.info, request.query, target.resource);
  const options = await deleteOptions(core, request);
  const selection = selectionOf(list, target.resource, request.info.namespace, target.registry.readField);
  const page = await readPage(core, target, selection, list);
  for (let i = 0; i < page.entries.length; i += PARALLEL) {
    await Promise.all(page.entries.slice(i, i + PARALLEL).map(async (entry) => {
      try {
        await deleteOne(core, requestFor(request, entry.namespace), target, entry.name, options, '');
      } catch (error) {
        if (!StatusError.is(error, 'NotFound')) throw error;
      }
    }));
  }
  if (request.inProcess) return { type: 'object', code: 200, object: view.listObject(page.metadata, page.entries) };
  return listResponse(core, request, negotiated, view, page.metadata, page.entries);
}

/** A deletion across namespaces deletes each object in its own. */
function requestFor(request: ApiRequest, namespace: string): ApiRequest {
  if (request.info.namespace === namespace || namespace === '') return request;
  return {
    info: { ...request.info, namespace },
    method: request.method,
    query: request.query,
    accept: request.accept,
    inProcess: request.inProcess,
    body: request.body,
    user: request.user,
    userAgent: request.userAgent,
    signal: request.signal,
    warn: (text) => request.warn(text),
  };
}
