import { silentLogger } from '../base/log.js';
import type { Client } from '../client/index.js';
import type { ControllerDescriptor } from './controller.js';
import { CONTROLLERS } from './descriptors.js';
import { createControllerManager, enabledControllers } from './manager.js';
import { FakeApi } from './testing/fake-api.js';
import { testControllerOptions } from './testing/test-context.js';

const descriptor = (name: string, start: ControllerDescriptor['start'], enabledByDefault = true): ControllerDescriptor => ({ name, serviceAccount: name, enabledByDefault, start });
const idle = { stop: () => Promise.resolve() };

function manager(api: FakeApi, descriptors: readonly ControllerDescriptor[], clientFor: (account: string) => Client = () => api) {
  return createControllerManager({ client: api, clientFor, clock: api.clock, random: api.random, log: silentLogger, options: testControllerOptions, descriptors, informers: api });
}

test('the table has no name twice', () => {
  expect(() => enabledControllers(CONTROLLERS, ['*'])).not.toThrow();
});

test('controllers are chosen as upstream does', () => {
  const table = [descriptor('a', () => idle), descriptor('b', () => idle), descriptor('off', () => idle, false)];
  const names = (list: readonly string[]): string[] => enabledControllers(table, list).map(({ name }) => name);
  expect(names(['*'])).toEqual(['a', 'b']);
  expect(names(['*', '-a', 'off'])).toEqual(['b', 'off']);
  expect(names(['b'])).toEqual(['b']);
  expect(() => names(['typo'])).toThrow('there is no controller named typo; known are a, b, off');
  expect(() => enabledControllers([...table, descriptor('a', () => idle)], ['*'])).toThrow('two controllers are named a');
});

test('a controller that fails is restarted alone, and each acts as its own account', async () => {
  const api = new FakeApi();
  const starts: string[] = [];
  let fail = (): void => undefined;
  const accounts: string[] = [];
  const component = manager(api, [
    descriptor('refuses', () => {
      starts.push('refuses');
      if (starts.filter((name) => name === 'refuses').length < 3) throw new Error('not yet');
      return idle;
    }),
    descriptor('dies', () => {
      starts.push('dies');
      return { failed: new Promise<never>((_, reject) => (fail = () => reject(new Error('dead')))), stop: () => Promise.resolve(void starts.push('dies stopped')) };
    }),
    descriptor('steady', () => {
      starts.push('steady');
      return idle;
    }),
  ], (account) => {
    accounts.push(account);
    return api;
  });
  await component.start(new AbortController().signal);
  expect(starts).toEqual(['refuses', 'dies', 'steady']);
  fail();
  await api.clock.advance(10_000);
  expect(starts.filter((name) => name === 'steady')).toHaveLength(1);
  expect(starts.filter((name) => name === 'refuses')).toHaveLength(3);
  expect(starts.filter((name) => name.startsWith('dies'))).toEqual(['dies', 'dies stopped', 'dies']);
  expect(new Set(accounts)).toEqual(new Set(['refuses', 'dies', 'steady']));
  await component.stop(1000);
  await component.stop(1000);
  expect(starts.filter((name) => name === 'dies stopped')).toHaveLength(2);
});
