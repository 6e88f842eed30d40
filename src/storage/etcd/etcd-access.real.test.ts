import { jest } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSecureEtcd, type SecureEtcd } from '../../../test/harness/etcd-tls.js';
import { SystemClock } from '../../base/clock.js';
import { SystemRandom } from '../../base/random.js';
import { createCertificateAuthority } from '../../base/tls/authority.js';
import type { StoreWatchBatch } from '../store.js';
import { EtcdStore } from './etcd-store.js';
import type { EtcdOptions } from './options.js';

jest.setTimeout(60_000);

let secure: SecureEtcd;
const files: Record<string, Buffer> = {};

beforeAll(async () => {
  secure = await startSecureEtcd();
  for (const name of ['ca.crt', 'client.crt', 'client.key']) files[name] = await readFile(join(secure.folder, name));
});

afterAll(() => secure.remove());

function options(more: Partial<EtcdOptions> = {}): EtcdOptions {
  return {
    endpoints: [secure.etcd.url], prefix: '/kube', clock: new SystemClock(), connectMilliseconds: 500,
    ca: files['ca.crt']!, certificate: files['client.crt']!, key: files['client.key']!, user: 'kube', password: secure.password, ...more,
  };
}

const put = (key: string): Parameters<EtcdStore['transact']>[1] => [{ type: 'put', key, value: Buffer.from('1') }];

test('TLS with a client certificate, user and password; tokens that etcd has forgotten are made anew, also for the watch', async () => {
  const store = await EtcdStore.open(options());
  const batches: StoreWatchBatch[] = [];
  await store.watch({ start: '/', end: '0', fromRevision: (await store.currentRevision()) + 1, onBatch: (batch) => batches.push(batch), onEnd: () => undefined });
  await store.transact([], put('/a'));
  for (let round = 0; round < 2; round++) {
    await secure.etcd.kill();
    await secure.etcd.start();
    // Until the channel is there again nothing is written, and it is said so.
    for (;;) {
      const done = await store.transact([{ key: `/b${round}`, modRevision: 0 }], put(`/b${round}`)).catch((error: { code?: string }) => expect(error.code).toBe('KUBE_STORE_UNAVAILABLE'));
      if (done) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  for (let i = 0; i < 100 && batches.flatMap(({ events }) => events).length < 3; i++) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(batches.flatMap(({ events }) => events.map(({ key }) => key))).toEqual(['/a', '/b0', '/b1']);
  // Also when users are changed while it runs.
  secure.etcd.ctl('--user', 'root:root', 'role', 'add', 'other');
  expect((await store.transact([], put('/c'))).succeeded).toBe(true);
  expect((await store.range({ start: '/', end: '0' })).kvs).toHaveLength(4);
  await store.close();
});

test('what does not fit is told apart, with what to look at', async () => {
  const other = createCertificateAuthority({ commonName: 'another' }, { clock: new SystemClock(), random: new SystemRandom() });
  const { certificate: _certificate, key: _key, ...noCertificate } = options();
  const plain = options({ endpoints: [secure.etcd.url.replace('https', 'http')] });
  const failure = (wanted: EtcdOptions): Promise<string> => EtcdStore.open(wanted).then(() => 'opened', (error: { code: string; message: string }) => `${error.code} ${error.message}`);
  expect(await failure(options({ ca: Buffer.from(other.certificate) }))).toMatch(/^KUBE_STORE_UNAVAILABLE .*--etcd-cafile/);
  expect(await failure(noCertificate)).toMatch(/^KUBE_STORE_UNAVAILABLE .*--etcd-certfile/);
  expect(await failure(plain)).toMatch(/^KUBE_STORE_UNAVAILABLE .*https:\/\//);
  expect(await failure(options({ password: 'wrong' }))).toMatch(/^KUBE_STORE_DENIED .*authentication failed, invalid user ID or password/);
  expect(await failure(options({ prefix: '/elsewhere' }))).toMatch(/^KUBE_STORE_DENIED .*permission denied/);
});

test('a user that is removed while the store is open is refused, and goes on where it was when it is back', async () => {
  const store = await EtcdStore.open(options());
  const seen: string[] = [];
  await store.watch({ start: '/', end: '0', fromRevision: (await store.currentRevision()) + 1, onBatch: ({ events }) => seen.push(...events.map(({ key }) => key)), onEnd: (error) => seen.push(String(error)) });
  await store.transact([], put('/u1'));
  const root = (...args: readonly string[]): string => secure.etcd.ctl('--user', 'root:root', ...args);
  root('user', 'delete', 'kube');
  await expect(store.transact([{ key: '/u2', modRevision: 0 }], put('/u2'))).rejects.toMatchObject({ code: 'KUBE_STORE_DENIED' });
  await expect(store.get('/u1')).rejects.toMatchObject({ code: 'KUBE_STORE_DENIED' });
  // Somebody else writes meanwhile.
  root('put', '/kube/u3', '1');
  root('put', '/kube.revision', '1');
  root('user', 'add', `kube:${secure.password}`, '--interactive=false');
  root('user', 'grant-role', 'kube', 'kube');
  expect((await store.transact([{ key: '/u2', modRevision: 0 }], put('/u2'))).succeeded).toBe(true);
  for (let i = 0; i < 100 && seen.length < 3; i++) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(seen).toEqual(['/u1', '/u3', '/u2']);
  await store.close();
});
