import { atOnce } from '../../base/steps.js';
import { Codec } from '../../api/codec/codec.js';
import { RESOURCES } from '../../api/facts/resources.js';
import { KINDS } from '../../api/kinds.js';
import { Scheme } from '../../api/scheme/scheme.js';
import type { ApiRequest } from './api-request.js';
import { SchemaBodyCodec } from './schema-body-codec.js';

const codec = new SchemaBodyCodec(new Scheme(KINDS, RESOURCES), new Codec());

test('bodies of kinds that are not stored are read with pauses, as those of objects are', () => {
  const body = { type: 'bytes', mediaType: 'application/json', bytes: Buffer.from('{"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":2}}') };
  const steps = codec.decodeKind({ body } as unknown as ApiRequest, 'autoscaling', 'v1', 'Scale', 'Strict');
  let pauses = 0;
  for (let step = steps.next(); ; step = steps.next(), pauses++) {
    if (step.done !== true) continue;
    expect(step.value).toMatchObject({ spec: { replicas: 2 } });
    break;
  }
  expect(pauses).toBeGreaterThan(2);
});

test.each([
  ['autoscaling/v1', 'Scale', 'autoscaling/v2', 'Scale', 'Scale in version "v2" cannot be handled as a Scale: no kind "Scale" is registered for version "autoscaling/v2" in scheme "pkg/api/legacyscheme/scheme.go:30"'],
  ['v1', 'Binding', 'v1', 'Pod', 'Pod in version "v1" cannot be handled as a Binding: converting (v1.Pod) to (core.Binding): unknown conversion'],
  ['policy/v1', 'Eviction', 'policy/v1beta1', 'Eviction', undefined],
  ['meta.k8s.io/v1', 'DeleteOptions', 'apps/v1', 'DeleteOptions', undefined],
  ['meta.k8s.io/v1', 'DeleteOptions', 'v1', 'Foo', 'no kind "Foo" is registered for version "v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"'],
])('a body for %s %s that says %s %s', (wanted, kind, apiVersion, said, message) => {
  const [version, group = ''] = wanted.split('/').reverse() as [string, string?];
  const body = { type: 'bytes', mediaType: 'application/json', bytes: Buffer.from(JSON.stringify({ kind: said, apiVersion })) };
  const decode = (): unknown => atOnce(codec.decodeKind({ body } as unknown as ApiRequest, group, version, kind, 'Strict'));
  if (message === undefined) expect(decode).not.toThrow();
  else expect(decode).toThrow(message);
});
