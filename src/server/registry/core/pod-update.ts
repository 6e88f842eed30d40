import type { V1Pod } from '../../../api/generated/types.js';
import { PODS } from '../../../api/resource-refs.js';
import { conflictError, optimisticLockMessage } from '../../../api/status-error.js';
import type { ApiRequest } from '../../handler/api-request.js';
import type { ServerContext } from '../../server-context.js';
import type { ObjectRegistry } from '../object-registry.js';
import { objectKey } from '../resource-key.js';

const ATTEMPTS = 100;

/** The registry of pods. */
export function podRegistry(context: ServerContext): ObjectRegistry {
  const core = context.core();
  return core.registry(core.scheme.resource(PODS.group, PODS.version, PODS.resource)!);
}

/**
 * Writes what `change` makes of the stored pod (undefined when there is none), without the rules for updates by clients. `change` is
 * called again when somebody else was faster. Returns the pod as written.
 */
export async function updatePodAsIs(context: ServerContext, request: ApiRequest, namespace: string, name: string, dryRun: boolean, change: (pod: V1Pod | undefined) => V1Pod): Promise<V1Pod> {
  const registry = podRegistry(context);
  const write = { namespace, name, user: request.user, dryRun, warn: (text: string) => request.warn(text) };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const old = registry.cache.get(objectKey(namespace, name));
    const next = change(old?.object as V1Pod | undefined);
    const entry = old && (await registry.replace(write, old, next));
    if (entry) return entry.object as V1Pod;
  }
  throw conflictError(PODS, name, optimisticLockMessage);
}
