import type { KubeObject } from '../../api/meta/object.js';
import { StatusError } from '../../api/status-error.js';
import type { ResourceClient } from '../../client/index.js';

/**
 * Writes a status; after a conflict once more on the newest object, unless that is another one (by UID).
 * `apply` gets the object to write to and returns it with the wanted status.
 */
export async function updateStatus<T extends KubeObject>(client: ResourceClient<T>, object: T, apply: (current: T) => T): Promise<T> {
  try {
    return await client.updateStatus(apply(object));
  } catch (error) {
    if (!StatusError.is(error, 'Conflict')) throw error;
    const fresh = await client.get(object.metadata?.namespace ?? '', object.metadata?.name ?? '');
    if (fresh.metadata?.uid !== object.metadata?.uid) throw error;
    return client.updateStatus(apply(fresh));
  }
}
