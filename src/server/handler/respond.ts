import { notAcceptableError } from '../../api/status-error.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import type { CacheEntry } from '../registry/cache-entry.js';
import type { View } from '../registry/view.js';
import type { Negotiated } from './accept.js';
import type { ApiCore } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { includeObjectOption } from './write-options.js';

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';

/** The view that a request wants of objects of a resource. `list`: the answer is a list. Throws a 406 `Status`. */
export function requestedView(core: ApiCore, request: ApiRequest, resource: ServedResource, negotiated: Negotiated, list: boolean): View {
  const { target } = negotiated;
  if (target === undefined) return core.views.get(resource, undefined, 'Metadata');
  const { kind, version } = target;
  if (kind === 'Table') return core.views.get(resource, { kind, version }, includeObjectOption(request.query));
  if (list !== (kind === 'PartialObjectMetadataList')) {
    throw notAcceptableError(list
      ? `you requested PartialObjectMetadata, but the requested object is a list (${resource.kind.kind}List)`
      : `you requested PartialObjectMetadataList, but the requested object is not a list (${resource.kind.kind})`);
  }
  return core.views.get(resource, { kind: 'PartialObjectMetadata', version }, 'Metadata');
}

/** Answers with one object of a resource. */
export function respondEntry(core: ApiCore, request: ApiRequest, resource: ServedResource, code: number, entry: CacheEntry): ApiResponse {
  const negotiated = core.negotiator.negotiate(request.accept);
  const view = requestedView(core, request, resource, negotiated, false);
  if (request.inProcess) return { type: 'object', code, object: view.object(entry) };
  if (negotiated.format === 'yaml') return { type: 'bytes', code, mediaType: YAML_TYPE, bytes: core.codec.toYaml(view.object(entry)) };
  return { type: 'bytes', code, mediaType: JSON_TYPE, bytes: prettyWhenWanted(request, negotiated, view.bytes(entry)) };
}

/** Answers with an object that is in no cache: a Status, a Scale, a review. */
export function respondObject(core: ApiCore, request: ApiRequest, code: number, object: unknown): ApiResponse {
  if (request.inProcess) return { type: 'object', code, object };
  const negotiated = core.negotiator.negotiate(request.accept);
  if (negotiated.format === 'yaml') return { type: 'bytes', code, mediaType: YAML_TYPE, bytes: core.codec.toYaml(object) };
  return { type: 'bytes', code, mediaType: JSON_TYPE, bytes: Buffer.from(isPretty(request, negotiated) ? `${JSON.stringify(object, undefined, 2)}\n` : `${JSON.stringify(object)}\n`) };
}

/** Indents JSON for people: when `pretty` says so, or nothing says otherwise and the client is a browser or the like. */
export function isPretty(request: ApiRequest, negotiated: Negotiated): boolean {
  if (negotiated.pretty) return true;
  const asked = request.query.get('pretty');
  if (asked !== null && asked !== '') return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(asked);
  return request.userAgent.startsWith('curl') || request.userAgent.startsWith('Wget') || request.userAgent.startsWith('Mozilla/5.0');
}

export function prettyWhenWanted(request: ApiRequest, negotiated: Negotiated, bytes: Buffer): Buffer {
  return isPretty(request, negotiated) ? Buffer.from(`${JSON.stringify(JSON.parse(bytes.toString()), undefined, 2)}\n`) : bytes;
}
