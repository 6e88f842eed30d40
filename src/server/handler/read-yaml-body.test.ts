import { Codec } from '../../api/codec/codec.js';
import { decodeYaml } from '../../api/codec/decode-yaml.js';
import { isDecodeError } from '../../api/codec/decode-error.js';
import { RESOURCES } from '../../api/facts/resources.js';
import { KINDS } from '../../api/kinds.js';
import { Scheme } from '../../api/scheme/scheme.js';
import { StatusError } from '../../api/status-error.js';
import { atOnce } from '../../base/steps.js';
import type { ReadYaml } from '../yaml/thread/questions.js';
import type { ApiRequest, RequestBody } from './api-request.js';
import { hasLargeBody } from './breathe.js';
import { SchemaBodyCodec } from './schema-body-codec.js';

const scheme = new Scheme(KINDS, RESOURCES);
const codec = new SchemaBodyCodec(scheme, new Codec());
const configMaps = scheme.resource('', 'v1', 'configmaps')!;

function requestWith(body: RequestBody): ApiRequest & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return { body, warnings, warn: (text: string) => void warnings.push(text) } as unknown as ApiRequest & { readonly warnings: string[] };
}

/** What the thread makes of a text. */
function read(bytes: Buffer): ReadYaml {
  try {
    const { value, strictErrors } = decodeYaml(bytes);
    return { json: Uint8Array.from(Buffer.from(JSON.stringify(value))), ...(strictErrors ? { strictErrors } : {}) };
  } catch (error) {
    if (isDecodeError(error)) return { wrong: error.message };
    throw error;
  }
}

function outcome(request: ReturnType<typeof requestWith>, validation: 'Strict' | 'Warn'): unknown {
  try {
    return { object: atOnce(codec.decodeObject(request, configMaps, validation)), warnings: request.warnings };
  } catch (error) {
    return error instanceof StatusError ? error.status : error;
  }
}

test.each(['kind: ConfigMap\ndata: {a: "b", c: é}\n', 'kind: ConfigMap\nkind: ConfigMap\ndata: {}\nfoo: 1\n', 'a: [', 'null', 'kind: Pod\n', 'data: 1\n'])('%j: it makes no difference where YAML was read', (text) => {
  const bytes = Buffer.from(text);
  const body = { type: 'bytes', mediaType: 'application/yaml', bytes } as const;
  for (const validation of ['Strict', 'Warn'] as const) {
    expect(outcome(requestWith({ ...body, read: read(bytes) }), validation)).toEqual(outcome(requestWith(body), validation));
  }
});

test('a short text that aliases make long counts as a large body', () => {
  const bytes = Buffer.from(`a: &a ${'x'.repeat(2000)}\nb: [${Array(100).fill('*a').join(', ')}]\n`);
  const body = { type: 'bytes', mediaType: 'application/yaml', bytes } as const;
  expect(hasLargeBody(requestWith(body))).toBe(false);
  expect(hasLargeBody(requestWith({ ...body, read: read(bytes) }))).toBe(true);
});
