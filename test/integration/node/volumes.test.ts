import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Pod } from '../../../src/api/generated/types.js';
import { CONFIG_MAPS, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../../src/api/resource-refs.js';
import { SystemClock } from '../../../src/base/clock.js';
import { SystemRandom } from '../../../src/base/random.js';
import { until, volumeWorld, type VolumeWorld } from '../../../src/node/volumes/testing/volume-world.js';
import { startCluster, type RunningCluster } from '../../../src/run/start-cluster.js';

let cluster: RunningCluster;
let world: VolumeWorld<RunningCluster['client'] & { readonly clock: SystemClock; readonly random: SystemRandom }>;

beforeAll(async () => {
  cluster = await startCluster();
  const { client } = cluster;
  world = await volumeWorld({ resource: (ref) => client.resource(ref), raw: (...args) => client.raw(...args), clock: new SystemClock(), random: new SystemRandom() });
  await until(() => client.resource(SERVICE_ACCOUNTS).get('default', 'default').then(() => true, () => false));
}, 60_000);

afterAll(async () => {
  await world?.remove();
  await cluster?.stop();
});

const read = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

test('the volumes that the API server gives a pod: token, certificate, namespace; and files that follow their objects', async () => {
  const { client } = cluster;
  await client.resource(CONFIG_MAPS).create({ metadata: { name: 'settings', namespace: 'default' }, data: { a: '1' } });
  const pod: V1Pod = await client.resource(PODS).create({
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      securityContext: { runAsUser: 1000, fsGroup: 2000 },
      containers: [{ name: 'app', image: 'app', volumeMounts: [{ name: 'conf', mountPath: '/conf' }, { name: 'keys', mountPath: '/keys' }] }],
      volumes: [{ name: 'conf', configMap: { name: 'settings' } }, { name: 'keys', secret: { secretName: 'late', optional: true } }],
    },
  });
  const uid = pod.metadata!.uid!;
  await until(() => client.resource(CONFIG_MAPS).get('default', 'kube-root-ca.crt').then(() => true, () => false));
  await world.volumes.setUp(pod);
  const access = pod.spec!.volumes!.find(({ name }) => name.startsWith('kube-api-access-'))!;
  const folder = world.path(uid, 'projected', access.name);
  expect((await readdir(folder)).filter((name) => !name.startsWith('..')).sort()).toEqual(['ca.crt', 'namespace', 'token']);
  expect(await read(join(folder, 'namespace'))).toBe('default');
  expect(await read(join(folder, 'ca.crt'))).toContain('BEGIN CERTIFICATE');
  const claims = JSON.parse(Buffer.from((await read(join(folder, 'token')))!.split('.')[1]!, 'base64url').toString()) as { readonly sub: string; readonly 'kubernetes.io': { readonly pod: { readonly uid: string } } };
  expect([claims.sub, claims['kubernetes.io'].pod.uid]).toEqual(['system:serviceaccount:default:default', uid]);
  const token = await stat(join(folder, 'token'));
  expect([(token.mode & 0o777).toString(8), token.uid, token.gid]).toEqual(['640', 1000, 2000]);

  const [conf, keys] = [world.path(uid, 'configmap', 'conf'), world.path(uid, 'secret', 'keys')];
  await client.resource(CONFIG_MAPS).patch('default', 'settings', 'merge', { data: { a: '2', b: 'new' } });
  await until(async () => (await read(join(conf, 'a'))) === '2' && (await read(join(conf, 'b'))) === 'new');
  await client.resource(CONFIG_MAPS).patch('default', 'settings', 'merge', { data: { b: null } });
  await until(async () => (await read(join(conf, 'b'))) === undefined);
  await client.resource(SECRETS).create({ metadata: { name: 'late', namespace: 'default' }, stringData: { key: 'here' } });
  await until(async () => (await read(join(keys, 'key'))) === 'here');
  await world.volumes.tearDown(uid);
  expect(await world.mounted()).toEqual([]);
  expect(await readdir(join(world.folder, 'pods'))).toEqual([]);
}, 60_000);
