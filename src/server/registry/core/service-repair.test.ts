import { IP_ADDRESSES, SERVICES } from '../../../api/resource-refs.js';
import { testContext } from '../../testing/context.js';
import { ipAddressFor } from './service-addresses.js';
import { repairServiceAllocations } from './service-repair.js';

test('allocations without a service go, services without allocation get theirs', async () => {
  const context = testContext();
  const port = (number: number) => context.store.get(`/nodeports/${number}`).then(({ kv }) => kv?.value.toString());
  await context.store.transact([], [{ type: 'put', key: '/nodeports/30001', value: Buffer.from('{"namespace":"ns","name":"gone"}') }]);
  const stale = ipAddressFor({ namespace: 'ns', name: 'gone' }, { family: 4, value: 0x0a600001n }, 'u', '2026-01-01T00:00:00Z');
  const key = context.storeKey(IP_ADDRESSES, '', '10.96.0.1');
  const { revision } = await context.store.transact([], [{ type: 'put', key, value: context.encodeForStore(IP_ADDRESSES, stale) }]);
  const users = { ...stale, metadata: { name: '10.96.0.9' } };
  context.view.put(IP_ADDRESSES, { ...stale, metadata: { ...stale.metadata, resourceVersion: String(revision) } }, users);
  context.view.put(SERVICES, { metadata: { namespace: 'ns', name: 's' }, spec: { type: 'NodePort', clusterIPs: ['10.96.0.5'], ports: [{ port: 80, nodePort: 30002 }] } });
  await repairServiceAllocations.run(context, new AbortController().signal);
  expect(await port(30001)).toBeUndefined();
  expect(await port(30002)).toBe('{"namespace":"ns","name":"s"}');
  expect((await context.store.get(key)).kv).toBeUndefined();
  const added = (await context.store.get(context.storeKey(IP_ADDRESSES, '', '10.96.0.5'))).kv;
  expect(JSON.parse(added!.value.toString())).toMatchObject({ metadata: { name: '10.96.0.5' }, spec: { parentRef: { resource: 'services', namespace: 'ns', name: 's' } } });
});
