import type { ResourceRef } from '../api/resource-refs.js';

/** Query parameters; absent, empty and false ones are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Path of a resource, an object or a subresource: `/apis/apps/v1/namespaces/default/deployments/web/scale?dryRun=All`.
 * An empty `namespace` means all namespaces; it is ignored for cluster-scoped resources.
 */
export function resourcePath(ref: ResourceRef, namespace: string, name = '', subresource = '', query?: QueryValues): string {
  let path = ref.group === '' ? `/api/${ref.version}` : `/apis/${ref.group}/${ref.version}`;
  if (ref.namespaced && namespace !== '') path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${ref.resource}`;
  if (name !== '') path += `/${encodeURIComponent(name)}`;
  if (subresource !== '') path += `/${subresource}`;
  return query ? path + queryText(query) : path;
}

/** `?a=1&b=x`, or the empty string. */
function queryText(query: QueryValues): string {
  let text = '';
  for (const key of Object.keys(query)) {
    const value = query[key];
    if (value === undefined || value === '' || value === false) continue;
    text += `${text === '' ? '?' : '&'}${key}=${encodeURIComponent(String(value))}`;
  }
  return text;
}
