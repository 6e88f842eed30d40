import { Registry } from 'prom-client';
import { FakeClock } from '../../base/clock.js';
import { noFailpoints } from '../../base/failpoint.js';
import { silentLogger } from '../../base/log.js';
import { SeededRandom } from '../../base/random.js';
import { generateEcKeyPair } from '../../base/tls/keys.js';
import { MemoryStore } from '../../storage/index.js';
import type { ApiServerOptions, ServerContext } from '../server-context.js';
import { FakeClient } from './fake-client.js';
import { FakeView } from './fake-view.js';

/** Settings for tests; `overrides` replace defaults. */
export function testOptions(overrides: Partial<ApiServerOptions> = {}): ApiServerOptions {
  const pair = { certificate: '', key: '' };
  return {
    bindAddress: '127.0.0.1', securePort: 6443, advertiseAddress: '192.0.2.1', serving: pair, clientCa: '', servingCa: '',
    serviceAccountIssuer: 'https://kubernetes.default.svc.cluster.local', serviceAccountSigningKey: generateEcKeyPair().privateKey, serviceAccountKeys: [],
    apiAudiences: ['https://kubernetes.default.svc.cluster.local'], serviceClusterIpRange: '10.96.0.0/16', serviceNodePortRange: { from: 30000, to: 32767 },
    authorizationModes: ['Node', 'RBAC'], anonymousAuth: true, enableAdmissionPlugins: [], disableAdmissionPlugins: [], eventTtlSeconds: 3600,
    maxRequestBodyBytes: 3 * 1024 * 1024, requestTimeoutMilliseconds: 60_000, kubeletClient: { ...pair, ca: '' },
    ...overrides,
  };
}

/** What a test may look at besides the context itself. */
export interface TestContext extends ServerContext {
  readonly view: FakeView;
  readonly loopback: FakeClient;
  readonly clock: FakeClock;
}

/** A context over a hand-filled view. Everything is allowed unless `overrides` say otherwise. */
export function testContext(options: Partial<ApiServerOptions> = {}, overrides: Partial<ServerContext> = {}): TestContext {
  const view = new FakeView();
  const loopback = new FakeClient(view);
  const clock = new FakeClock();
  return {
    store: new MemoryStore(clock),
    random: new SeededRandom(),
    log: silentLogger,
    metrics: new Registry(),
    failpoints: noFailpoints,
    options: testOptions(options),
    authorize: () => ({ decision: 'allow', reason: '' }),
    authenticateToken: async () => undefined,
    storeKey: (ref, namespace, name) => `/registry/${ref.group === '' ? '' : `${ref.group}/`}${ref.resource}/${namespace === '' ? '' : `${namespace}/`}${name}`,
    core: () => {
      throw new TypeError('the fake context has no handlers');
    },
    encodeForStore: (_ref, object) => Buffer.from(JSON.stringify(object)),
    ...overrides,
    view,
    loopback,
    clock,
  };
}
