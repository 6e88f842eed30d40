import type { V1Service } from '../../api/generated/types.js';
import type { ResourceClient } from '../../client/index.js';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

/** The service waits for the removal of its load balancer. */
export function hasFinalizer(service: V1Service): boolean {
  return service.metadata?.finalizers?.includes(FINALIZER) ?? false;
}

/** Keeps the service until its load balancer is gone. By way of the status, for which alone the controller has the right. */
export async function addFinalizer(client: ResourceClient<V1Service>, service: V1Service): Promise<void> {
  if (!hasFinalizer(service)) await patch(client, service, { finalizers: [FINALIZER] });
}

/** Lets the service go. */
export async function removeFinalizer(client: ResourceClient<V1Service>, service: V1Service): Promise<void> {
  if (hasFinalizer(service)) await patch(client, service, { '$deleteFromPrimitiveList/finalizers': [FINALIZER] });
}

async function patch(client: ResourceClient<V1Service>, { metadata }: V1Service, change: Readonly<Record<string, readonly string[]>>): Promise<void> {
  await client.patch(metadata?.namespace ?? '', metadata?.name ?? '', 'strategic', { metadata: { uid: metadata?.uid, ...change } }, 'status');
}
