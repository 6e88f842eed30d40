import type { V1OwnerReference } from '../generated/types.js';
import type { KubeObject } from '../meta/object.js';

/** The owner reference with `controller: true`, if there is one. */
export function controllerOf(object: KubeObject): V1OwnerReference | undefined {
  const references = object.metadata?.ownerReferences;
  if (references === undefined) return undefined;
  for (const reference of references) if (reference.controller === true) return reference;
  return undefined;
}

/** True when `owner` is the controller of `object`. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata?.uid;
}

/** A controller reference to `owner`, which must have its apiVersion, kind, name and uid. Deletion of the owner in the foreground waits for the dependent. */
export function controllerReference(owner: KubeObject): V1OwnerReference {
  return {
    apiVersion: owner.apiVersion ?? '',
    kind: owner.kind ?? '',
    name: owner.metadata?.name ?? '',
    uid: owner.metadata?.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}
