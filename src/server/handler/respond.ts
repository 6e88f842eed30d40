import type { V1Status } from '../../api/generated/types.js';
import { badRequestError, notAcceptableError } from '../../api/status-error.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import type { CacheEntry } from '../registry/cache-entry.js';
import type { View } from '../registry/view.js';
import { PROTOBUF_TYPE } from '../registry/protobuf-view.js';
import type { Answers, Negotiated } from './accept.js';
import type { ApiCore } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { prettyBytes } from './pretty-json.js';
import { includeObjectOption } from './write-options.js';

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';

/** How an answer about objects of a resource is to be written. `list`: a list or a watch is asked for. Throws a 406 `Status`. */
export function negotiateFor(core: ApiCore, request: ApiRequest, resource: ServedResource, list = false): Negotiated {
  return core.negotiator.negotiate(request.accept, resource.custom !== undefined ? 'custom' : list ? 'list' : 'object');
}

/** The view that a request wants of objects of a resource. `list`: the answer is a list. Throws a 406 `Status`. */
export function requestedView(core: ApiCore, request: ApiRequest, resource: ServedResource, negotiated: Negotiated, list: boolean): View {
  const { target } = negotiated;
  const encoding = negotiated.format === 'protobuf' ? 'protobuf' : 'json';
  if (target === undefined) return core.views.get(resource, undefined, 'Metadata', encoding);
  const { kind, version } = target;
  if (kind === 'Table') return core.views.get(resource, { kind, version }, includeObjectOption(request.query));
  if (list !== (kind === 'PartialObjectMetadataList')) {
    if (resource.custom && !list) throw badRequestError('content is not a list');
    // As upstream calls the type in its memory.
    const type = resource.custom ? '*unstructured.Unstructured' : `*${resource.storage.group === '' ? 'core' : resource.storage.group.split('.')[0]}.${resource.kind.kind}`;
    throw notAcceptableError(list
      ? `you requested PartialObjectMetadata, but the requested object is a list (${type}List)`
      : `you requested PartialObjectMetadataList, but the requested object is not a list (${type})`);
  }
  return core.views.get(resource, { kind: 'PartialObjectMetadata', version }, 'Metadata', encoding);
}

/** Answers with one object of a resource. */
export async function respondEntry(core: ApiCore, request: ApiRequest, resource: ServedResource, code: number, entry: CacheEntry): Promise<ApiResponse> {
  const negotiated = negotiateFor(core, request, resource);
  const view = requestedView(core, request, resource, negotiated, false);
  if (request.inProcess) return { type: 'object', code, object: view.object(entry) };
  const bytes = view.bytes(entry);
  if (negotiated.format === 'yaml') return { type: 'bytes', code, mediaType: YAML_TYPE, bytes: await core.yaml.write(bytes) };
  return { type: 'bytes', code, mediaType: view.mediaType, bytes: negotiated.format === 'json' && isPretty(request, negotiated) ? await prettyBytes(bytes) : bytes };
}

/** Answers with an object that is in no cache: a Status, a Scale, a review. `answers`: what may be negotiated. */
export async function respondObject(core: ApiCore, request: ApiRequest, code: number, object: unknown, answers: Answers = 'object'): Promise<ApiResponse> {
  if (request.inProcess) return { type: 'object', code, object };
  const negotiated = core.negotiator.negotiate(request.accept, answers);
  return { type: 'bytes', code, ...(await objectBody(core, negotiated, isPretty(request, negotiated), object)) };
}

/** The body of an error, in the form that the client accepts; as JSON for people when it accepts none. */
export async function statusBody(core: ApiCore, status: V1Status, wanted: Pick<ApiRequest, 'accept' | 'query' | 'userAgent'>): Promise<Body> {
  const negotiated = core.negotiator.negotiateStatus(wanted.accept);
  if (negotiated === undefined) return { mediaType: JSON_TYPE, bytes: Buffer.from(JSON.stringify(status, undefined, 2)) };
  return objectBody(core, negotiated, isPretty(wanted, negotiated), status);
}

interface Body {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

async function objectBody(core: ApiCore, negotiated: Negotiated, pretty: boolean, object: unknown): Promise<Body> {
  switch (negotiated.format) {
    case 'yaml':
      return { mediaType: YAML_TYPE, bytes: await core.yaml.write(Buffer.from(JSON.stringify(object))) };
    case 'protobuf':
      return { mediaType: PROTOBUF_TYPE, bytes: core.codec.toProtobuf(object) };
    case 'json':
      return { mediaType: JSON_TYPE, bytes: Buffer.from(`${JSON.stringify(object, undefined, pretty ? 2 : 0)}\n`) };
  }
}

/** Indents JSON for people: when `pretty` says so, or nothing says otherwise and the client is a browser or the like. */
export function isPretty(request: Pick<ApiRequest, 'query' | 'userAgent'>, negotiated: Negotiated): boolean {
  return negotiated.pretty || wantsPretty(request);
}

/** The same without what the media type says. */
export function wantsPretty(request: Pick<ApiRequest, 'query' | 'userAgent'>): boolean {
  const asked = request.query.get('pretty');
  if (asked !== null && asked !== '') return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(asked);
  return request.userAgent.startsWith('curl') || request.userAgent.startsWith('Wget') || request.userAgent.startsWith('Mozilla/5.0');
}
