import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { WriteOptions } from '../../client/index.js';
import type { ServerContext } from '../server-context.js';

/** A write that loses against other servers this often is left to them. */
const ATTEMPTS = 5;

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
 * Creates an object, or updates it when `merge` returns something; when another server writes at the same time, what it wrote is looked at.
 * `merge` makes the object to write from the stored one, undefined when that is right already. `options` say as whom it writes.
 */
export async function ensure<T extends KubeObject>(context: ServerContext, ref: ResourceRef<T>, wanted: T, merge: (stored: T) => T | undefined, options: WriteOptions = {}): Promise<void> {
  const { namespace = '', name = '' } = wanted.metadata ?? {};
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Of what another server was faster with, its part may be missing: then the view has it after the failed write.
    const stored = context.view.get(ref, namespace, name);
    if (!stored) {
      await createIfAbsent(context, ref, wanted, options);
      continue;
    }
    const changed = merge(stored);
    if (!changed) return;
    try {
      await context.loopback.resource(ref).update(changed, options);
      return;
    } catch (error) {
      if (!StatusError.is(error, 'Conflict') && !StatusError.is(error, 'NotFound')) throw error;
    }
  }
}
