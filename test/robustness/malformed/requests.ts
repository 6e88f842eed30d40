import fc from 'fast-check';
import type { Endpoint } from './endpoints.js';
import { brokenText, deepTexts, jsonPatch, mergePatch, mutated, oddValue, yamlTexts } from './bodies.js';
import { query, segment } from './queries.js';

/** One request that no sane client sends. */
export interface BadRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_TYPE = 'application/json';
const PATCHES = ['application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/json-patch+json', 'application/apply-patch+yaml'];
const TYPES = [JSON_TYPE, 'application/yaml', 'application/vnd.kubernetes.protobuf', 'text/plain', '', ';', 'application/json; charset=latin1', 'application/json;stream=watch', '*/*', 'application/cbor', 'multipart/form-data', 'x'.repeat(3000), ...PATCHES];
const ACCEPTS = ['', '*/*', 'text/html', ';q=', 'application/json;as=Table;v=v1;g=meta.k8s.io', 'application/json;as=Table;v=v9;g=x', 'application/json;as=Nonsense', 'application/yaml', 'application/vnd.kubernetes.protobuf', ','.repeat(1000), 'application/json;q=x', 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const PROTOBUF_MAGIC = Buffer.from('k8s\0', 'latin1');

const text = (value: unknown): string => JSON.stringify(value) ?? '';

/** Deletions only pretend, so that there is something left to ask for. */
const safe = (method: string, path: string): string => (method === 'DELETE' ? `${path}${path.includes('?') ? '&' : '?'}dryRun=All` : path);

function anyBody(endpoint: Endpoint): fc.Arbitrary<Pick<BadRequest, 'body' | 'headers'>> {
  const typed = (body: fc.Arbitrary<string | Buffer>, types: readonly string[]): fc.Arbitrary<Pick<BadRequest, 'body' | 'headers'>> =>
    fc.tuple(body, fc.constantFrom(...types)).map(([content, type]) => ({ body: content, headers: { 'Content-Type': type } }));
  const named = (value: unknown): string => text({ apiVersion: endpoint.apiVersion, kind: endpoint.kind, metadata: { name: 'something' }, ...(typeof value === 'object' && !Array.isArray(value) ? value : { spec: value }) });
  return fc.oneof(
    typed(brokenText, [JSON_TYPE, ...TYPES]),
    typed(oddValue.map(named), [JSON_TYPE, JSON_TYPE, ...PATCHES]),
    typed(fc.constantFrom(...yamlTexts.filter((yaml) => yaml.length < 5000)), ['application/yaml', 'application/apply-patch+yaml']),
    typed(jsonPatch.map(text), ['application/json-patch+json']),
    typed(fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([PROTOBUF_MAGIC, bytes])), ['application/vnd.kubernetes.protobuf']),
    typed(fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)), TYPES),
  );
}

/** Requests to one endpoint: every method, with bodies, queries and headers that do not fit. */
export function endpointRequests(endpoint: Endpoint, seed: number, perMethod: number): BadRequest[] {
  return METHODS.flatMap((method, i) => {
    const request = fc.tuple(anyBody(endpoint), fc.option(query, { freq: 2 }), fc.constantFrom('application/json', ...ACCEPTS)).map(([{ body, headers }, search, accept]) => {
      const path = safe(method, search === null ? endpoint.path : `${endpoint.path}?${search}`);
      const bodiless = method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || method === 'TRACE';
      return { method, path, headers: { ...(bodiless ? {} : headers), Accept: accept }, ...(bodiless || body === undefined ? {} : { body }) };
    });
    return fc.sample(request, { seed: seed + i, numRuns: perMethod });
  });
}

/** Requests about a valid object with something wrong in it. */
export function objectRequests(endpoint: Endpoint, seed: number, each: number): BadRequest[] {
  const { object, path } = endpoint;
  if (!object) return [];
  const collection = path.slice(0, path.lastIndexOf('/'));
  const sample = <T>(arbitrary: fc.Arbitrary<T>, offset: number): T[] => fc.sample(arbitrary, { seed: seed + offset, numRuns: each });
  const patch = (type: string) => (value: unknown): BadRequest => ({ method: 'PATCH', path, body: text(value), headers: { 'Content-Type': type } });
  return [
    ...sample(mutated(object), 0).map((value): BadRequest => ({ method: 'POST', path: `${collection}?dryRun=All`, body: text(value) })),
    ...sample(mutated(object), 1).map((value): BadRequest => ({ method: 'PUT', path, body: text(value) })),
    ...sample(mutated(object), 2).map((value): BadRequest => ({ method: 'PUT', path: `${path}/status`, body: text(value) })),
    ...sample(mergePatch(object), 3).map(patch('application/merge-patch+json')),
    ...sample(mergePatch(object), 4).map(patch('application/strategic-merge-patch+json')),
    ...sample(jsonPatch, 5).map(patch('application/json-patch+json')),
  ];
}

/** Bodies that are too deep, too large or that grow, sent in every way to one endpoint. */
export function hugeRequests(endpoint: Endpoint): BadRequest[] {
  const { path } = endpoint;
  const collection = path.slice(0, path.lastIndexOf('/'));
  const ways: readonly (readonly [string, string])[] = [['POST', collection], ['PUT', path], ['PATCH', path]];
  const all: BadRequest[] = [];
  for (const [method, to] of ways) {
    const types = method === 'PATCH' ? PATCHES : [JSON_TYPE];
    for (const type of types) for (const body of deepTexts) all.push({ method, path: to, body, headers: { 'Content-Type': type } });
    for (const body of yamlTexts) all.push({ method, path: to, body, headers: { 'Content-Type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/yaml' } });
  }
  all.push({ method: 'DELETE', path, body: deepTexts[2]!, headers: { 'Content-Type': JSON_TYPE } });
  return all;
}

/** Paths with parts that are no names. */
export function pathRequests(seed: number, count: number): BadRequest[] {
  const shape = fc.constantFrom('/api/v1/namespaces/$/configmaps', '/api/v1/namespaces/default/configmaps/$', '/api/v1/namespaces/default/pods/$/log', '/api/v1/namespaces/default/$/x', '/api/$/pods', '/apis/$/v1/deployments', '/apis/apps/$/deployments', '/api/v1/nodes/$', '/api/v1/namespaces/default/pods/$/proxy/$', '/api/v1/namespaces/default/services/$:$/proxy/$', '/$', '/$/$', '//$', '/api/v1/$', '/api/v1/watch/$', '/api/v1/watch/namespaces/$/pods?timeoutSeconds=1', '/openapi/v3/$', '/healthz/$', '/readyz/$?exclude=$', '/apis/$', '/api/v1/namespaces/$/status', '/api/v1/namespaces/$/finalize', '/livez?verbose=$');
  const request = fc.tuple(fc.constantFrom('GET', 'PUT', 'PATCH', 'DELETE', 'POST'), shape, fc.array(segment, { minLength: 3, maxLength: 3 })).map(([method, pattern, parts]): BadRequest => {
    let i = 0;
    const path = pattern.replace(/\$/g, () => parts[i++]!);
    const bodiless = method === 'GET';
    return { method, path: safe(method, path), ...(bodiless ? {} : { body: '{}', headers: { 'Content-Type': method === 'PATCH' ? PATCHES[0]! : JSON_TYPE } }) };
  });
  return fc.sample(request, { seed, numRuns: count });
}
