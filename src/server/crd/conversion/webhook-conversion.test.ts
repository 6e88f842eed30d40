import { Registry } from 'prom-client';
import { SystemClock } from '../../../base/clock.js';
import { SeededRandom } from '../../../base/random.js';
import type { CustomVersion } from '../../../api/apiextensions/structural/custom-version.js';
import type { V1CustomResourceDefinition } from '../../../api/generated/types.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { ConversionMetrics } from './conversion-metrics.js';
import { WebhookConversion } from './webhook-conversion.js';

const V2 = 'example.com/v2';

test('work that meets the conversion of a definition that has changed meanwhile comes to its end', async () => {
  let calls = 0;
  const environment = {
    caller: {
      call: (_config: object, review: object): Promise<unknown> => {
        calls++;
        const { request } = review as { readonly request: { readonly uid: string; readonly objects: readonly KubeObject[] } };
        const convertedObjects = request.objects.map((object) => ({ ...object, apiVersion: V2 }));
        return Promise.resolve({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: { uid: request.uid, result: { status: 'Success' }, convertedObjects } });
      },
    },
    clock: new SystemClock(), random: new SeededRandom(), metrics: new ConversionMetrics(new Registry()),
  };
  const definition = { metadata: { name: 'things.example.com' }, spec: { conversion: { webhook: { conversionReviewVersions: ['v1'] } } } } as unknown as V1CustomResourceDefinition;
  const versions = new Map(['example.com/v1', V2].map((name) => [name, { tidy: () => undefined } as unknown as CustomVersion]));
  const [before, after] = [0, 1].map(() => new WebhookConversion(definition, versions, () => environment)) as [WebhookConversion, WebhookConversion];
  const object = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a', uid: 'u' } };
  const other = { ...object, metadata: { name: 'b', uid: 'v' } };
  await expect(before.settle(() => [before.converted(object, V2), after.converted(other, V2)])).resolves.toMatchObject([{ apiVersion: V2, metadata: { name: 'a' } }, { apiVersion: V2, metadata: { name: 'b' } }]);
  expect(calls).toBe(2);
});
