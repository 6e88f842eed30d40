import { validateBinding } from '../../../api/core/binding.js';
import type { V1Binding, V1Pod } from '../../../api/generated/types.js';
import { withCondition } from '../../../api/helpers/conditions.js';
import { badRequestError, conflictError, notFoundError, plainError } from '../../../api/status-error.js';
import { PODS } from '../../../api/resource-refs.js';
import type { CustomHandler } from '../../handler/subresource.js';
import type { ServerContext } from '../../server-context.js';
import { timestamp } from '../../../api/meta/timestamp.js';
import { SUCCESS, virtualHandler, type VirtualRequest } from '../virtual.js';
import { updatePodAsIs } from './pod-update.js';
import { aggregateText } from '../../../api/helpers/aggregate-text.js';

const KIND = { group: '', version: 'v1', kind: 'Binding' };
/** How upstream names the resource in conflicts. */
const POD_BINDINGS = { group: '', resource: 'pods/binding' };

/** Assigns pods to nodes: `pods/binding`, and the older `bindings`. */
export function bindingHandlers(context: ServerContext): CustomHandler[] {
  return ['/pods/binding', '/bindings'].map((path) =>
    virtualHandler<V1Binding>(context, { path, kind: KIND, keepsSystemFields: true, run: (call) => bind(context, call) }));
}

async function bind(context: ServerContext, { request, object, dryRun, validate }: VirtualRequest<V1Binding>): Promise<typeof SUCCESS> {
  const name = object.metadata?.name ?? '';
  if (request.info.subresource === 'binding' && request.info.name !== name) throw badRequestError('name in URL does not match name in Binding object');
  const errors = validateBinding(object as V1Binding);
  if (errors.length > 0) {
    const texts = errors.map((error) => `${error.field}: ${error.message}`);
    throw plainError(aggregateText(texts));
  }
  await validate();
  const { namespace } = request.info;
  await updatePodAsIs(context, request, namespace, name, dryRun, (pod) => {
    if (!pod) throw notFoundError(PODS, name);
    checkPreconditions(context, object as V1Binding, pod);
    return boundPod(pod, object as V1Binding, timestamp(context.clock.now()));
  });
  return SUCCESS;
}

function checkPreconditions(context: ServerContext, { metadata }: V1Binding, pod: V1Pod): void {
  const stored = pod.metadata ?? {};
  const check = (what: string, where: string, wanted: string | undefined, actual: string | undefined): void => {
    if (!wanted || wanted === actual) return;
    const key = context.storeKey(PODS, stored.namespace ?? '', stored.name ?? '');
    throw conflictError(PODS, stored.name ?? '', `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${wanted}, ${what} in ${where}: ${actual ?? ''}`);
  };
  check('UID', 'object meta', metadata?.uid, stored.uid);
  check('ResourceVersion', 'object meta', metadata?.resourceVersion, stored.resourceVersion);
}

/** The pod on its node. Throws 409 when it cannot be assigned. */
function boundPod(pod: V1Pod, binding: V1Binding, now: string): V1Pod {
  const { name = '', deletionTimestamp } = pod.metadata ?? {};
  const refuse = (why: string): Error => conflictError(POD_BINDINGS, name, why);
  if (deletionTimestamp !== undefined) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if (pod.spec?.schedulingGates?.length) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const { annotations, labels } = binding.metadata ?? {};
  const { nominatedNodeName: _nominated, ...status } = pod.status ?? {};
  const metadata = {
    ...pod.metadata,
    ...(annotations ? { annotations: { ...pod.metadata?.annotations, ...annotations } } : {}),
    ...(labels ? { labels: { ...pod.metadata?.labels, ...labels } } : {}),
  };
  return {
    ...pod,
    metadata,
    spec: { ...pod.spec!, nodeName: binding.target.name ?? '' },
    status: { ...status, conditions: withCondition(status.conditions, { type: 'PodScheduled', status: 'True', lastTransitionTime: now }) },
  };
}
