import { ENDPOINT_SLICES } from '../../api/resource-refs.js';
import { MemoryInformers } from '../testing/memory-informers.js';
import { slice } from '../testing/objects.js';
import { ServiceSource } from './service-source.js';

test.each(['service.kubernetes.io/headless', 'service.kubernetes.io/service-proxy-name'])('slices with the label %s are left alone, also when it is added or taken away later', (label) => {
  const informers = new MemoryInformers();
  const nothing = (): void => undefined;
  const source = new ServiceSource(informers, 'node-1', { serviceChanged: nothing, endpointsChanged: nothing, changed: nothing });
  const plain = slice('web', ['10.0.0.1']);
  const marked = { ...plain, metadata: { ...plain.metadata, labels: { ...plain.metadata!.labels, [label]: '' } } };
  const seen = [plain, marked, plain].map((object) => {
    informers.put(ENDPOINT_SLICES, object);
    return [source.slicesOf('default/web').length, source.take().keys];
  });
  expect(seen).toEqual([[1, ['default/web']], [0, ['default/web']], [1, ['default/web']]]);
  source.stop();
});
