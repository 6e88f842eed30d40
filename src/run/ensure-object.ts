import type { KubeObject } from '../api/meta/object.js';
import type { ResourceRef } from '../api/resource-refs.js';
import { StatusError } from '../api/status-error.js';
import type { Client } from '../client/index.js';

/**
 * Creates an object where it is missing; one that is there is left as it is. It looks before it writes: a webhook that denies all writes must
 * not keep a cluster from being started again.
 */
export async function ensureObject<T extends KubeObject>(client: Client, ref: ResourceRef<T>, object: T): Promise<void> {
  const { namespace = '', name = '' } = object.metadata ?? {};
  try {
    await client.resource(ref).get(namespace, name);
    return;
  } catch (error) {
    if (!StatusError.is(error, 'NotFound')) throw error;
  }
  try {
    await client.resource(ref).create(object);
  } catch (error) {
    if (!StatusError.is(error, 'AlreadyExists')) throw error;
  }
}
