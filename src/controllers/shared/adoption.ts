import type { V1OwnerReference } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { LabelSelector } from '../../api/selectors/label-selector.js';
import { StatusError } from '../../api/status-error.js';
import type { ResourceClient } from '../../client/index.js';
import { controllerOf } from '../../api/helpers/owner-references.js';

/** What {@link claim} needs. */
export interface ClaimOptions<O extends KubeObject, T extends KubeObject> {
  readonly owner: O;
  /** What owned objects say: see `controllerReference`. */
  readonly reference: V1OwnerReference;
  readonly selector: LabelSelector;
  /** Objects of the owner and orphans of its namespace. */
  readonly candidates: readonly T[];
  /** A further condition on objects to adopt or keep; default: none. */
  readonly filter?: (object: T) => boolean;
  readonly owners: ResourceClient<O>;
  readonly objects: ResourceClient<T>;
  /** A finalizer that owned objects carry: adopted ones get it, released ones lose it. */
  readonly finalizer?: string;
}

/**
 * The objects that belong to the owner. Orphans that its selector matches are adopted, owned ones that it no longer
 * matches are released, unless the owner (or the orphan) is being deleted. Before the first adoption the owner is read
 * from the server, since the informer may still show an owner that was deleted.
 */
export async function claim<O extends KubeObject, T extends KubeObject>(options: ClaimOptions<O, T>): Promise<T[]> {
  const { owner, selector, candidates, filter = () => true } = options;
  const uid = owner.metadata?.uid ?? '';
  const deleting = owner.metadata?.deletionTimestamp !== undefined;
  const claimed: T[] = [];
  let mayAdopt: Promise<void> | undefined;
  let failure: unknown;
  for (const object of candidates) {
    const reference = controllerOf(object);
    const matches = selector.matches(object.metadata?.labels) && filter(object);
    if (reference) {
      if (reference.uid !== uid) continue;
      if (matches) claimed.push(object);
      else if (!deleting) await attempt(() => release(options.objects, object, uid, options.finalizer));
      continue;
    }
    if (deleting || !matches || object.metadata?.deletionTimestamp !== undefined || object.metadata?.namespace !== owner.metadata?.namespace) continue;
    await attempt(async () => {
      await (mayAdopt ??= checkOwner(options.owners, owner));
      claimed.push(await adopt(options.objects, object, options.reference, options.finalizer));
    });
  }
  if (failure !== undefined) throw failure;
  return claimed;

  async function attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      // Gone meanwhile: nothing to claim.
      if (!StatusError.is(error, 'NotFound')) failure ??= error;
    }
  }
}

/** Throws when the owner was replaced or is being deleted. */
async function checkOwner<O extends KubeObject>(owners: ResourceClient<O>, owner: O): Promise<void> {
  const { namespace = '', name = '', uid } = owner.metadata ?? {};
  const fresh = await owners.get(namespace, name);
  if (fresh.metadata?.uid !== uid) throw new Error(`original ${owner.kind ?? ''} ${namespace}/${name} is gone: got uid ${fresh.metadata?.uid ?? ''}, wanted ${uid ?? ''}`);
  if (fresh.metadata?.deletionTimestamp) throw new Error(`${namespace}/${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`);
}

/** Makes `reference` the controller of an orphan, and adds the finalizer. */
function adopt<T extends KubeObject>(objects: ResourceClient<T>, object: T, reference: V1OwnerReference, finalizer?: string): Promise<T> {
  const { namespace = '', name = '', uid } = object.metadata ?? {};
  return objects.patch(namespace, name, 'strategic', { metadata: { uid, ownerReferences: [reference], ...(finalizer ? { finalizers: [finalizer] } : {}) } });
}

/** Takes the owner's reference (and the finalizer) off an object; that the object is gone or was replaced is fine. */
async function release<T extends KubeObject>(objects: ResourceClient<T>, object: T, ownerUid: string, finalizer?: string): Promise<void> {
  const { namespace = '', name = '', uid } = object.metadata ?? {};
  try {
    await objects.patch(namespace, name, 'strategic', {
      metadata: { uid, ownerReferences: [{ $patch: 'delete', uid: ownerUid }], ...(finalizer ? { '$deleteFromPrimitiveList/finalizers': [finalizer] } : {}) },
    });
  } catch (error) {
    // Invalid: the object of this name has another UID or no owners any more.
    if (!StatusError.is(error, 'NotFound') && !StatusError.is(error, 'Invalid')) throw error;
  }
}
