import type { GroupResource } from '../../api/meta/object.js';

/** All objects are stored under this prefix. */
export const STORE_PREFIX = '/registry/';
/** First key after all objects. */
export const STORE_END = '/registry0';

/** Store prefix of one resource: `/registry/apps/deployments/`, `/registry/core/pods/`. */
export function storePrefix(resource: GroupResource): string {
  return `${STORE_PREFIX}${resource.group === '' ? 'core' : resource.group}/${resource.resource}/`;
}

/** Key of an object within its resource. */
export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Splits a store key into the prefix of its resource and the rest; undefined for foreign keys. */
export function splitStoreKey(key: string): { readonly prefix: string; readonly rest: string } | undefined {
  if (!key.startsWith(STORE_PREFIX)) return undefined;
  const group = key.indexOf('/', STORE_PREFIX.length);
  const resource = group < 0 ? -1 : key.indexOf('/', group + 1);
  if (resource < 0) return undefined;
  return { prefix: key.slice(0, resource + 1), rest: key.slice(resource + 1) };
}

/** The range of keys of one namespace (all of the resource when it is empty). */
export function namespaceRange(namespace: string): { readonly start: string | undefined; readonly end: string | undefined } {
  // '0' is the character after '/'.
  return namespace === '' ? { start: undefined, end: undefined } : { start: `${namespace}/`, end: `${namespace}0` };
}
