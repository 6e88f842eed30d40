import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../base/clock.js';
import { SystemRandom } from '../../base/random.js';
import { claimAddresses, type PoolRequest } from './address-pool.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pool-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const request = (id: string, more: Partial<PoolRequest> = {}): PoolRequest => ({
  folder: join(folder, 'run'), clusterId: id, dataDir: `/data/${id}`, memory: join(folder, `${id}.json`), wanted: {}, clock: new SystemClock(), random: new SystemRandom(), hostAddresses: () => [], ...more,
});

test('clusters get ranges of their own, the same ones on every start', async () => {
  const [a, b] = await Promise.all([claimAddresses(request('aaaaaaaa')), claimAddresses(request('bbbbbbbb'))]);
  expect([a.clusterCidr, b.clusterCidr].sort()).toEqual(['10.244.0.0/16', '10.245.0.0/16']);
  expect(new Set([a.hostAddress, b.hostAddress, a.serviceClusterIpRange, b.serviceClusterIpRange]).size).toBe(4);
  await rm(join(folder, 'run'), { recursive: true });
  expect(await claimAddresses(request('bbbbbbbb'))).toEqual(b);
  expect(await claimAddresses(request('aaaaaaaa'))).toEqual(a);
});

test('ranges that hold an address of the host are passed over', async () => {
  expect((await claimAddresses(request('aaaaaaaa', { hostAddresses: () => ['10.244.7.1', '10.97.0.5', 'fd00::2'] }))).clusterCidr).toBe('10.246.0.0/16');
});

test('ranges that the user names are taken as they are; an overlap with another cluster is an error that names it', async () => {
  expect(await claimAddresses(request('aaaaaaaa', { wanted: { clusterCidr: '172.20.0.0/16' } }))).toMatchObject({ clusterCidr: '172.20.0.0/16', serviceClusterIpRange: '10.96.0.0/16' });
  await expect(claimAddresses(request('bbbbbbbb', { wanted: { clusterCidr: '172.20.128.0/17' } }))).rejects.toThrow('/data/aaaaaaaa');
});

test('a cluster whose ranges were taken meanwhile says by whom', async () => {
  await claimAddresses(request('aaaaaaaa'));
  await rm(join(folder, 'run'), { recursive: true });
  await claimAddresses(request('bbbbbbbb'));
  await expect(claimAddresses(request('aaaaaaaa'))).rejects.toThrow('taken by the cluster in /data/bbbbbbbb');
});
