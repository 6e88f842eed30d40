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
