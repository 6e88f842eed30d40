import type { V1Namespace, V1Pod } from '../../api/generated/types.js';
import { NAMESPACES, PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import type { ReconcileResult } from '../../reconcile/index.js';
import type { ControllerContext, ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';
import { deletionConditions } from './conditions.js';
import { deleteContent, type ContentReport } from './content.js';

/** The finalizer in `spec.finalizers` that this controller takes off. */
const FINALIZER = 'kubernetes';

/** Empties namespaces that are being deleted, then lets them go. */
export const namespaceController: ControllerDescriptor = {
  name: 'namespace-controller',
  serviceAccount: 'namespace-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'namespace');
    const namespaces = context.informers.informer(NAMESPACES);
    const pods = context.informers.informer(PODS);
    const attempts = new Map<string, number>();
    const enqueue = (namespace: V1Namespace): void => {
      if (namespace.metadata?.deletionTimestamp) queue.add(namespace.metadata.name ?? '');
    };
    const podGone = ({ metadata = {} }: V1Pod): void => {
      const namespace = metadata.namespace ?? '';
      if (!namespaces.get('', namespace)?.metadata?.deletionTimestamp || pods.list(namespace).length > 0) return;
      // The last pod: what waited for it goes on at once.
      attempts.delete(namespace);
      queue.add(namespace);
    };
    const cleanup = [
      namespaces.addHandler({ add: enqueue, update: enqueue, delete: (namespace) => void attempts.delete(namespace.metadata?.name ?? '') }),
      pods.addHandler({ delete: podGone }),
    ];
    return controllerLoop(context, queue, {
      name: 'namespace',
      workers: 10,
      informers: [namespaces, pods],
      cleanup,
      reconcile: (name) => reconcile(context, name, namespaces.get('', name), attempts),
    });
  },
};

async function reconcile(context: ControllerContext, name: string, known: V1Namespace | undefined, attempts: Map<string, number>): Promise<ReconcileResult> {
  if (!known?.metadata?.deletionTimestamp) return undefined;
  const client = context.client.resource(NAMESPACES);
  let namespace: V1Namespace;
  try {
    namespace = await client.get('', name);
  } catch (error) {
    if (StatusError.is(error, 'NotFound')) return undefined;
    throw error;
  }
  if (namespace.metadata?.uid !== known.metadata.uid || !namespace.metadata?.deletionTimestamp) return undefined;
  if (namespace.status?.phase !== 'Terminating') namespace = await client.updateStatus({ ...namespace, status: { ...namespace.status, phase: 'Terminating' } });
  if (!(namespace.spec?.finalizers ?? []).includes(FINALIZER)) return undefined;

  const now = context.clock.now();
  const deletedSeconds = (now - (parseTimestamp(namespace.metadata?.deletionTimestamp) ?? now)) / 1000;
  const report = await deleteContent(context.client, name, deletedSeconds);
  namespace = await writeConditions(context, namespace, report);
  if (report.discoveryFailure !== undefined || report.errors.length > 0) throw new Error([report.discoveryFailure, ...report.errors].filter((text) => text !== undefined).join('; '));
  if (report.estimateSeconds > 0) {
    const attempt = (attempts.get(name) ?? 0) + 1;
    attempts.set(name, attempt);
    return { requeueAfterMilliseconds: Math.min(report.estimateSeconds / 2 + 1, 2 ** (attempt - 1)) * 1000 };
  }
  attempts.delete(name);
  await finalize(context, namespace);
  return undefined;
}

async function writeConditions(context: ControllerContext, namespace: V1Namespace, report: ContentReport): Promise<V1Namespace> {
  const conditions = deletionConditions(namespace.status?.conditions, report, context.clock.now());
  if (conditions === namespace.status?.conditions) return namespace;
  const clean = report.discoveryFailure === undefined && report.errors.length === 0 && report.remaining.size === 0;
  const lastFinalizer = (namespace.spec?.finalizers ?? []).every((finalizer) => finalizer === FINALIZER) && (namespace.metadata?.finalizers ?? []).length === 0;
  // A namespace that goes away in the same breath needs no report.
  if (clean && lastFinalizer) return namespace;
  try {
    return await context.client.resource(NAMESPACES).updateStatus({ ...namespace, status: { ...namespace.status, conditions } });
  } catch (error) {
    // Conditions that cannot be written (webhooks may refuse them) keep no namespace from going.
    context.log.warn('the conditions of a namespace cannot be written', { namespace: namespace.metadata?.name ?? '', error: errorMessage(error) });
    return namespace;
  }
}

async function finalize(context: ControllerContext, namespace: V1Namespace): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  try {
    await context.client.resource(NAMESPACES).updateSubresource('', namespace.metadata?.name ?? '', 'finalize', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: namespace.metadata,
      spec: { ...namespace.spec, finalizers },
    });
  } catch (error) {
    if (!StatusError.is(error, 'NotFound')) throw error;
  }
}
