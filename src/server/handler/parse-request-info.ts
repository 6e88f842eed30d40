import { FieldSelector } from '../../api/selectors/field-selector.js';
import { pathSegmentName } from '../../api/meta/validation/names.js';
import { badRequestError } from '../../api/status-error.js';
import type { RequestInfo } from './request-info.js';

const VERBS: Readonly<Record<string, string>> = { POST: 'create', GET: 'get', HEAD: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

export const EMPTY_QUERY = new URLSearchParams();

/** A path cut off its query. */
export interface SplitUrl {
  /** As received. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Splits what stands in the request line. */
export function splitUrl(url: string): SplitUrl {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, query: EMPTY_QUERY };
  return { path: url.slice(0, mark), query: new URLSearchParams(readableQuery(url.slice(mark + 1))) };
}

/** Upstream reads over parameters that are not well-formed; semicolons are no separators. */
function readableQuery(query: string): string {
  if (!/[;%]/.test(query)) return query;
  return query.split('&').filter((pair) => !pair.includes(';') && isWellFormed(pair)).join('&');
}

/** Each percent sign has two hexadecimal digits behind it. */
export function isWellFormed(text: string): boolean {
  return !/%(?![\da-f]{2})/i.test(text);
}

/**
 * Reads what a request asks for from its method, path and query: `/api/v1/namespaces/x/pods/y/log`, `/apis/apps/v1/deployments`,
 * the old `/api/v1/watch/…`, and anything else as a non-resource path. Throws a 400 `Status` for broken percent-encoding.
 */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = splitPath(path);
  const groupless = parts[0] === 'api';
  if (!(groupless && parts.length >= 3) && !(parts[0] === 'apis' && parts.length >= 4)) return nonResource(method, path);
  let at = groupless ? 1 : 2;
  const group = groupless ? '' : parts[1]!;
  const version = parts[at++]!;
  let verb = VERBS[method] ?? '';
  let watchByPath = false;
  if ((parts[at] === 'watch' || parts[at] === 'proxy') && parts.length > at + 1) {
    // The old paths know one method; with any other they stand for nothing.
    verb = method === 'GET' ? parts[at]! : '';
    at++;
    watchByPath = true;
  }
  let namespace = '';
  if (parts[at] === 'namespaces' && parts.length > at + 1) {
    namespace = parts[at + 1]!;
    if (parts.length > at + 2 && !NAMESPACE_SUBRESOURCES.has(parts[at + 2]!)) at += 2;
  }
  const resource = parts[at] ?? '';
  let name = parts[at + 1] ?? '';
  const subresource = verb === 'proxy' ? '' : (parts[at + 2] ?? '');
  const rest = parts.length <= at + 3 ? '' : /%2f/i.test(path) ? parts.slice(at + 3).map(encodeURIComponent).join('/') : restOf(path, at + 3);
  if (name === '') {
    if (verb === 'get') {
      verb = query !== EMPTY_QUERY && isWatch(query) ? 'watch' : 'list';
      name = selectedName(query);
    } else if (verb === 'delete') verb = 'deletecollection';
  } else if (verb === 'get' && subresource === '' && watchByPath) verb = 'watch';
  return { isResourceRequest: true, path, verb, apiPrefix: parts[0]!, group, version, namespace, resource, subresource, name, rest };
}

/** `watch=…`: everything but `false` and `0` means yes. */
export function isWatch(query: URLSearchParams): boolean {
  const value = query.get('watch');
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

function selectedName(query: URLSearchParams): string {
  const text = query === EMPTY_QUERY ? null : query.get('fieldSelector');
  if (!text?.includes('metadata.name')) return '';
  try {
    const name = FieldSelector.parse(text).requiredValue('metadata.name') ?? '';
    return name !== '' && pathSegmentName(name).length === 0 ? name : '';
  } catch {
    // The handler reports what is wrong with the selector.
    return '';
  }
}

function nonResource(method: string, path: string): RequestInfo {
  return { isResourceRequest: false, path: decode(path), verb: method.toLowerCase(), apiPrefix: '', group: '', version: '', namespace: '', resource: '', subresource: '', name: '', rest: '' };
}

/** An escaped slash separates parts, too. */
function splitPath(path: string): string[] {
  const text = decode(path);
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === 47) start++;
  while (end > start && text.charCodeAt(end - 1) === 47) end--;
  return start === end ? [] : text.slice(start, end).split('/');
}

/** The raw path from the part with this index on. */
function restOf(path: string, index: number): string {
  let at = 0;
  while (path.charCodeAt(at) === 47) at++;
  for (let i = 0; i < index; i++) at = path.indexOf('/', at) + 1;
  return path.slice(at);
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    if (!isWellFormed(text)) throw badRequestError(`invalid URL escape in path ${JSON.stringify(text)}`);
    // It is no UTF-8.
    return Buffer.from(text.replace(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16))), 'latin1').toString();
  }
}
