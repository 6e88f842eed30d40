import { badRequestError, StatusError } from '../../api/status-error.js';
import { objectKey } from '../registry/resource-key.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { EMPTY_QUERY } from './parse-request-info.js';
import { booleanParam, invalidRevisionError, parseRevision } from './query-values.js';
import { namespaceOf } from './request-namespace.js';
import { negotiateFor, respondEntry } from './respond.js';

/** GET of one object (also of its `status`, which is the same object). */
export async function handleGet(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  const { info, query } = request;
  negotiateFor(core, request, target.resource);
  if (query !== EMPTY_QUERY) {
    if (booleanParam(query, 'export')) throw badRequestError('the export parameter, deprecated since v1.14, is no longer supported');
    await waitForRevision(core, target, query.get('resourceVersion') ?? '');
  }
  await core.cacher.fresh();
  const entry = await target.registry.current(objectKey(namespaceOf(request, target), info.name));
  if (!entry) throw target.registry.notFound(info.name);
  return respondEntry(core, request, target.resource, 200, entry);
}

/** Waits until the cache is not older than what the client has seen; throws 400 for nonsense and 504 for the far future. */
async function waitForRevision(core: ApiCore, target: Target, text: string): Promise<void> {
  if (text === '') return;
  const revision = parseRevision(text);
  // Upstream has no cache of events.
  if (revision === undefined) throw invalidRevisionError(text, target.resource.definition.kind === 'Event' ? 'invalid resource version: ' : '');
  if (!(await core.cacher.reach(revision))) throw tooLargeRevisionError(revision, core.cacher.revision);
}

/** 504 for a revision that the server has not come to. */
export function tooLargeRevisionError(wanted: number, current: number): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
    code: 504,
  });
}
