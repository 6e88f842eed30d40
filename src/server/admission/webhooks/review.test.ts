import { CONFIG_MAPS } from '../../../api/resource-refs.js';
import { attributesFor } from '../../testing/attributes.js';
import type { Invocation } from './hook-source.js';
import { admissionReview } from './review.js';

test('an object is encoded once for all webhooks that hear of it', () => {
  let read = 0;
  const object = {
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' },
    get data() {
      read++;
      return { k: 'ü"' };
    },
  };
  const a = attributesFor(CONFIG_MAPS, { metadata: { name: 'a', namespace: 'ns' } });
  const reviews = ['one', 'two'].map((uid) => admissionReview('v1', uid, { resource: a.resource, kind: a.kind } as Invocation, a, { object, oldObject: undefined }));
  expect(reviews.map(({ parts }) => JSON.parse(Buffer.concat(parts).toString()) as object)).toMatchObject(['one', 'two'].map((uid) => ({
    apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview',
    request: { uid, name: 'a', namespace: 'ns', operation: 'CREATE', dryRun: false, options: {}, object: { kind: 'ConfigMap', data: { k: 'ü"' } }, oldObject: null },
  })));
  expect(read).toBe(1);
});
