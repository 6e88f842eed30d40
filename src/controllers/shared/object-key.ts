import type { KubeObject } from '../../api/meta/object.js';

/** `namespace/name`, or the name alone for cluster-scoped objects: the key of a work queue. */
export function keyOf(object: KubeObject): string {
  const namespace = object.metadata?.namespace;
  const name = object.metadata?.name ?? '';
  return namespace ? `${namespace}/${name}` : name;
}

/** The parts of a key; the namespace is empty for cluster-scoped objects. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
