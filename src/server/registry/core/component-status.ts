import type { V1ComponentStatus } from '../../../api/generated/types.js';
import { COMPONENT_STATUSES } from '../../../api/resource-refs.js';
import { notFoundError } from '../../../api/status-error.js';
import { errorMessage } from '../../../base/errors.js';
import { respondObject } from '../../handler/respond.js';
import type { CustomHandler } from '../../handler/subresource.js';
import type { ServerContext } from '../../server-context.js';

const STORE = 'etcd-0';

/** The health of what the server depends on, as far as it can tell: its store. Deprecated upstream, and asked for all the same. */
export function componentStatusHandler(context: ServerContext): CustomHandler {
  return {
    path: '/componentstatuses',
    verbs: ['get', 'list'],
    handle: async (request) => {
      const core = context.core();
      core.negotiator.negotiate(request.accept, request.info.name === '' ? 'list' : 'object');
      const { name } = request.info;
      if (name !== '' && name !== STORE) throw notFoundError(COMPONENT_STATUSES, name);
      const status = await storeStatus(context);
      const head = { kind: 'ComponentStatus', apiVersion: 'v1' };
      return respondObject(core, request, 200, name === '' ? { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: [status] } : { ...head, ...status }, name === '' ? 'list' : 'object');
    },
  };
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
