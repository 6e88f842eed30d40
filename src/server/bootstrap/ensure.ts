import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { WriteOptions } from '../../client/index.js';
import type { ServerContext } from '../server-context.js';

/** Creates an object; that another server was faster is fine. */
export async function createIfAbsent<T extends KubeObject>(context: ServerContext, ref: ResourceRef<T>, object: T, options: WriteOptions = {}): Promise<T | undefined> {
  const { namespace = '', name = '' } = object.metadata ?? {};
  const present = context.view.get(ref, namespace, name);
  if (present) return present;
  try {
    return await context.loopback.resource(ref).create(object, options);
  } catch (error) {
    if (StatusError.is(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}

/**
 * Creates an object, or updates it when `merge` returns something; that another server wrote at the same time is fine, since it wrote the same.
 * `merge` makes the object to write from the stored one, undefined when that is right already. `options` say as whom it writes.
 */
export async function ensure<T extends KubeObject>(context: ServerContext, ref: ResourceRef<T>, wanted: T, merge: (stored: T) => T | undefined, options: WriteOptions = {}): Promise<void> {
  const { namespace = '', name = '' } = wanted.metadata ?? {};
  const stored = context.view.get(ref, namespace, name);
  if (!stored) {
    await createIfAbsent(context, ref, wanted, options);
    return;
  }
  const changed = merge(stored);
  if (!changed) return;
  try {
    await context.loopback.resource(ref).update(changed, options);
  } catch (error) {
    if (!StatusError.is(error, 'Conflict') && !StatusError.is(error, 'NotFound')) throw error;
  }
}
