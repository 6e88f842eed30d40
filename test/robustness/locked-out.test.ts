import { jest } from '@jest/globals';
import { silentLogger } from '../../src/base/log.js';
import { SystemClock } from '../../src/base/clock.js';
import { VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../src/api/resource-refs.js';
import { Cluster } from '../../src/run/cluster.js';
import { systemEnvironment } from '../../src/run/environment.js';
import { DEFAULT_SETTINGS } from '../../src/run/options.js';
import { memoryPkiStore } from '../../src/run/pki.js';
import { MemoryStore } from '../../src/storage/index.js';

jest.setTimeout(120_000);

const LOCK = {
  apiVersion: 'admissionregistration.k8s.io/v1' as const,
  kind: 'ValidatingWebhookConfiguration' as const,
  metadata: { name: 'lock' },
  webhooks: [{
    name: 'lock.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Fail', clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
  }],
};

test('a cluster whose webhook lets nothing through starts again, and goes on when that is mended', async () => {
  const store = new MemoryStore(new SystemClock());
  const settings = { ...DEFAULT_SETTINGS, server: { ...DEFAULT_SETTINGS.server, securePort: 0, store: 'memory' as const }, node: { ...DEFAULT_SETTINGS.node, containerRuntime: 'sim' as const, simulatedNodes: 1 } };
  const make = (): Cluster => new Cluster(settings, { store, pki: memoryPkiStore() }, systemEnvironment(silentLogger));
  const never = new AbortController().signal;
  const first = make();
  await first.start(never);
  await first.waitForNodes(60_000, never);
  await first.client.resource(VALIDATING_WEBHOOK_CONFIGURATIONS).create(LOCK);
  await first.stop(5_000);

  const second = make();
  try {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late' } };
    await second.start(never, async () => {
      await expect(second.client.raw('POST', '/api/v1/namespaces', namespace)).rejects.toThrow('failed calling webhook "lock.example.com"');
      await second.client.resource(VALIDATING_WEBHOOK_CONFIGURATIONS).delete('', 'lock');
      await second.client.raw('POST', '/api/v1/namespaces', namespace);
    });
    await second.waitForNodes(60_000, never);
  } finally {
    await second.stop(5_000);
    await store.close();
  }
}, 150_000);
