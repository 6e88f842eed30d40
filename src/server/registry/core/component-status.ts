import type { V1ComponentStatus } from '../../../api/generated/types.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { notFoundError } from '../../../api/status-error.js';
import { errorMessage } from '../../../base/errors.js';
import { listOptions, selectionOf } from '../../handler/list-options.js';
import { methodNotSupportedError } from '../../handler/method-error.js';
import { negotiateFor, requestedView, respondObject } from '../../handler/respond.js';
import type { CustomHandler } from '../../handler/subresource.js';
import type { ServerContext } from '../../server-context.js';
import { CacheEntry } from '../cache-entry.js';
import { StoredForm } from '../stored-form.js';
import type { ListMetadata } from '../view.js';

const STORE = 'etcd-0';
const FORM = new StoredForm('v1', 'ComponentStatus');
/** Upstream names the one where others are named by their resource. */
const IN_ERRORS = { group: '', resource: 'componentstatus' };
/** What is asked anew each time has no resource version. */
const NO_VERSION = {} as ListMetadata;

/** The health of what the server depends on, as far as it can tell: its store. Deprecated upstream, and asked for all the same. */
export function componentStatusHandler(context: ServerContext): CustomHandler {
  return {
    path: '/componentstatuses',
    verbs: ['get', 'list', 'watch'],
    handle: async (request) => {
      const core = context.core();
      const resource = core.scheme.resource('', 'v1', 'componentstatuses')!;
      const { name, verb } = request.info;
      if (verb === 'watch') throw methodNotSupportedError(resource.facts, verb);
      const listed = verb === 'list';
      const negotiated = negotiateFor(core, request, resource, listed);
      const view = negotiated.target && requestedView(core, request, resource, negotiated, listed);
      if (!listed && name !== STORE) throw notFoundError(IN_ERRORS, name);
      const entry = CacheEntry.detached(FORM, STORE, await storeStatus(context));
      if (!listed) return respondObject(core, request, 200, view?.object(entry) ?? entry.object);
      const selection = selectionOf(listOptions(request.info, request.query, resource), resource, '', readField);
      const entries = selection.matches(entry) ? [entry] : [];
      const list = view?.listObject(NO_VERSION, entries) ?? { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: entries.map(({ object }) => withoutKind(object)) };
      return respondObject(core, request, 200, list, 'list');
    },
  };
}

function withoutKind({ kind: _kind, apiVersion: _apiVersion, ...object }: KubeObject): object {
  return object;
}

/** Nothing but metadata can be selected by. */
function readField(object: KubeObject, field: string): string {
  return field === 'metadata.name' ? (object.metadata?.name ?? '') : '';
}

async function storeStatus(context: ServerContext): Promise<V1ComponentStatus> {
  const metadata = { name: STORE };
  try {
    await context.store.currentRevision();
    return { metadata, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] };
  } catch (error) {
    return { metadata, conditions: [{ type: 'Healthy', status: 'False', message: 'the store does not answer', error: errorMessage(error) }] };
  }
}
