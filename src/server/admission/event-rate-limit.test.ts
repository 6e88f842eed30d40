import type { CoreV1Event } from '../../api/generated/types.js';
import { EVENTS } from '../../api/resource-refs.js';
import { simpleUser } from '../authn/users.js';
import { attributesFor } from '../testing/attributes.js';
import { testContext } from '../testing/context.js';
import { runPlugin } from '../testing/run-plugin.js';
import type { EventLimit } from './config/event-rate-limit.js';
import { EventRateLimit } from './event-rate-limit.js';

const event = (namespace: string, about: string): CoreV1Event => ({ metadata: { namespace, name: 'e' }, involvedObject: { kind: 'Pod', namespace, name: about, uid: 'u', apiVersion: 'v1' }, source: { component: 'kubelet', host: 'n' } });

function setup(...eventRateLimit: EventLimit[]) {
  const context = testContext({ admissionConfiguration: { eventRateLimit } });
  const plugin = new EventRateLimit(context);
  const send = (namespace: string, about: string, user = 'jane', dryRun = false) =>
    runPlugin(plugin, attributesFor(EVENTS, event(namespace, about), { user: simpleUser(user, []), dryRun }));
  return { context, send };
}

test('a bucket for each namespace, filled again with time', async () => {
  const { context, send } = setup({ type: 'Namespace', qps: 2, burst: 2, cacheSize: 0 });
  expect([await send('a', 'x'), await send('a', 'x', 'jane', true), await send('a', 'y')]).toEqual([undefined, undefined, undefined]);
  expect(await send('a', 'z')).toBe('429 Too many requests: limit reached on type Namespace for key a');
  expect(await send('b', 'z')).toBeUndefined();
  await context.clock.advance(500);
  expect([await send('a', 'x'), await send('a', 'x')]).toEqual([undefined, '429 Too many requests: limit reached on type Namespace for key a']);
});

test('limits of the server, of users and of what events are about count together; buckets are forgotten', async () => {
  const { send } = setup({ type: 'Server', qps: 1, burst: 5, cacheSize: 0 }, { type: 'User', qps: 1, burst: 2, cacheSize: 1 }, { type: 'SourceAndObject', qps: 1, burst: 1, cacheSize: 9 });
  expect(await send('a', 'x')).toBeUndefined();
  expect(await send('a', 'x')).toBe('429 Too many requests: limit reached on type SourceAndObject for key kubeletnPodaxuv1');
  expect(await send('a', 'y')).toBe('429 Too many requests: limit reached on type User for key jane');
  // Another user's bucket takes the place of the only one that is kept.
  expect(await send('a', 'z', 'tom')).toBeUndefined();
  expect(await send('a', 'w')).toBeUndefined();
  expect(await send('a', 'x')).toBe('429 Too many requests: [limit reached on type Server for key , limit reached on type SourceAndObject for key kubeletnPodaxuv1]');
});
