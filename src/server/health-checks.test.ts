import { FakeClock } from '../base/clock.js';
import { API_SERVICES } from '../api/resource-refs.js';
import { MemoryStore } from '../storage/index.js';
import { localAvailability, localRegistration, localRegistrationCheck } from './bootstrap/api-services.js';
import { addLastChecks, addServerChecks } from './health-checks.js';
import { Health, type HealthEndpoint } from './http/health.js';
import { testContext } from './testing/context.js';

test('each check is red until what it stands for is done', async () => {
  const health = new Health();
  const progress = { cachesLoaded: false, admissionReady: false, definitionsFollowed: false, stopping: false };
  addServerChecks(health, new MemoryStore(new FakeClock()), new FakeClock(), progress);
  addLastChecks(health, [], progress);
  const red = async (endpoint: HealthEndpoint): Promise<string[]> => {
    const answer = await health.handle(`/${endpoint}`, new URLSearchParams('verbose'));
    const text = answer?.type === 'bytes' ? String(answer.bytes) : '';
    return [...text.matchAll(/^\[-\](\S+) /gm)].map(([, name]) => name!.replace('poststarthook/', ''));
  };
  const caches = ['generic-apiserver-start-informers', 'start-apiextensions-informers', 'crd-informer-synced', 'storage-readiness'];
  expect(new Set(await red('readyz'))).toEqual(new Set(['informer-sync', 'start-apiserver-admission-initializer', 'start-apiextensions-controllers', ...caches]));
  progress.cachesLoaded = true;
  expect(await red('livez')).toEqual(['start-apiserver-admission-initializer', 'start-apiextensions-controllers']);
  progress.admissionReady = true;
  progress.definitionsFollowed = true;
  expect([await red('healthz'), await red('readyz')]).toEqual([[], []]);
  progress.stopping = true;
  expect([await red('livez'), await red('readyz')]).toEqual([[], ['shutdown']]);
});

test('autoregister-completion is red until every local group version is available, and stays green', async () => {
  const context = testContext();
  const check = localRegistrationCheck(context.view);
  const { signal } = new AbortController();
  expect(check).toThrow(/^missing APIService: \[v1\. v1\.admissionregistration\.k8s\.io /);
  await localRegistration.run(context, signal);
  expect(check).toThrow('v1.apps');
  await localAvailability.run(context, signal);
  expect(check).not.toThrow();
  context.view.remove(API_SERVICES, '', 'v1.apps');
  expect(check).not.toThrow();
  expect(localRegistrationCheck(context.view)).toThrow('missing APIService: [v1.apps]');
});
