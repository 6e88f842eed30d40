import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, encode } from 'dns-packet';
import { SystemClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { AnswerCache } from './answer-cache.js';
import { parseResolvConf, parseServer, ResolvConf, type DnsServer } from './resolv-conf.js';

test('servers in text', () => {
  expect(['192.0.2.1', '192.0.2.1:5353', '::1', '[::1]:5353', '[::1]', 'fe80::1%eth0', 'dns.test', '192.0.2.1:0', '192.0.2.1:70000', ''].map((text) => parseServer(text))).toEqual([
    { address: '192.0.2.1', port: 53 }, { address: '192.0.2.1', port: 5353 }, { address: '::1', port: 53 }, { address: '::1', port: 5353 }, { address: '::1', port: 53 },
    { address: 'fe80::1%eth0', port: 53 }, undefined, undefined, undefined, undefined,
  ]);
  expect(parseResolvConf('# c\nsearch x\n nameserver\t192.0.2.1 \nnameserver ::1\nnameserver x\noptions ndots:5\n').map(({ address }) => address)).toEqual(['192.0.2.1', '::1']);
});

test("behind systemd's stub stand the real servers; both files are followed", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kube-resolv-'));
  const path = join(folder, 'resolv.conf');
  const realPath = join(folder, 'real.conf');
  await writeFile(path, 'nameserver 127.0.0.53\n');
  await writeFile(realPath, 'nameserver 192.0.2.1\n');
  let seen: readonly DnsServer[] = [];
  let wake: () => void = () => undefined;
  const next = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  const conf = new ResolvConf({ path, realPath, clock: new SystemClock(), log: silentLogger, changed: (servers) => {
    seen = servers;
    wake();
  } });
  await conf.start();
  expect(seen).toEqual([{ address: '192.0.2.1', port: 53 }]);
  let changed = next();
  await writeFile(realPath, 'nameserver 192.0.2.2\n');
  await changed;
  expect(seen).toEqual([{ address: '192.0.2.2', port: 53 }]);
  changed = next();
  await writeFile(`${path}.new`, 'nameserver 127.0.0.1\nnameserver 192.0.2.3\n');
  await rename(`${path}.new`, path);
  await changed;
  expect(seen.map(({ address }) => address)).toEqual(['127.0.0.1', '192.0.2.3']);
  conf.stop();
  await rm(folder, { recursive: true });
});

const answer = (ttl: number, rcode = 0, name = 'a.test') => encode({
  type: 'response', id: 1, flags: rcode, questions: [{ type: 'A', name }],
  ...(rcode === 0 ? { answers: [{ type: 'A', name, ttl, data: '192.0.2.1' }] } : { authorities: [{ type: 'SOA', name: 'test', ttl: 900, data: { mname: 'a', rname: 'b', minimum: ttl } }] }),
});

test('the cache runs TTLs down, lets go at the end, and keeps no failures', () => {
  let now = 0;
  const cache = new AnswerCache(() => now);
  cache.put('a', answer(10));
  now = 4000;
  expect(decode(cache.get('a')!).answers).toMatchObject([{ ttl: 6 }]);
  now = 10_000;
  expect(cache.get('a')).toBeUndefined();
  cache.put('long', answer(3600));
  now += 29_999;
  expect(decode(cache.get('long')!).answers).toMatchObject([{ ttl: 1 }]);
  now += 1;
  expect(cache.get('long')).toBeUndefined();
  cache.put('negative', answer(5, 3));
  now += 4999;
  expect(cache.get('negative')).toBeDefined();
  now += 1;
  expect(cache.get('negative')).toBeUndefined();
  cache.put('failure', answer(5, 2));
  cache.put('zero', answer(0));
  expect(cache.size).toBe(0);
});

test('the cache is bounded: the oldest go', () => {
  const cache = new AnswerCache(() => 0, 5000);
  for (let i = 0; i < 100; i++) cache.put(`k${i}`, answer(10, 0, `name-${i}.test`));
  expect(cache.size).toBeLessThan(12);
  expect(cache.get('k99')).toBeDefined();
  expect(cache.get('k0')).toBeUndefined();
});
