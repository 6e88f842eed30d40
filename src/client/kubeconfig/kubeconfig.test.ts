import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FakeClock } from '../../base/clock.js';
import { SeededRandom } from '../../base/random.js';
import { connectionFromKubeconfig } from './connection.js';
import { readKubeconfigFile, updateKubeconfigFile } from './file.js';
import { parseKubeconfig, type Kubeconfig } from './kubeconfig.js';
import { mergeKubeconfig, removeFromKubeconfig } from './merge.js';

const tools = { clock: new FakeClock(), random: new SeededRandom() };
const entry = (name: string, server: string): Kubeconfig => ({
  'current-context': name,
  clusters: [{ name, cluster: { server } }],
  users: [{ name, user: { token: `t-${name}` } }],
  contexts: [{ name, context: { cluster: name, user: name } }],
});

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('a file of others is merged into, with mode 0600, and unknown fields stay', async () => {
  const file = path.join(directory, 'config');
  await writeFile(file, 'apiVersion: v1\nkind: Config\nclusters:\n- name: other\n  cluster:\n    server: https://other\n    extensions: [{name: e, extension: {a: 1}}]\ncurrent-context: other\nextra: kept\n', { mode: 0o644 });
  await updateKubeconfigFile(file, (existing) => mergeKubeconfig(existing, entry('kube', 'https://one')), tools);
  await updateKubeconfigFile(file, (existing) => mergeKubeconfig(existing, entry('kube', 'https://two')), tools);
  const config = await readKubeconfigFile(file);
  expect(config).toMatchObject({ extra: 'kept', 'current-context': 'kube', clusters: [{ name: 'other', cluster: { extensions: [{ extension: { a: 1 } }] } }, { name: 'kube', cluster: { server: 'https://two' } }] });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(['config']);
});

test('what cannot be parsed is left alone', async () => {
  const file = path.join(directory, 'config');
  await writeFile(file, 'clusters: [');
  await expect(updateKubeconfigFile(file, (existing) => existing, tools)).rejects.toMatchObject({ code: 'KUBE_KUBECONFIG_INVALID' });
  expect(await readFile(file, 'utf8')).toBe('clusters: [');
  expect(await readdir(directory)).toEqual(['config']);
  expect(await readKubeconfigFile(path.join(directory, 'absent'))).toBeUndefined();
  expect(() => parseKubeconfig('[1]', 'f')).toThrow('f is not a kubeconfig');
});

test('removing a context keeps what others use', () => {
  const both = mergeKubeconfig(entry('kube', 'https://one'), { contexts: [{ name: 'second', context: { cluster: 'kube', user: 'x' } }], users: [{ name: 'x', user: {} }] });
  const left = removeFromKubeconfig(both, 'kube');
  expect(left.contexts!.map((context) => context.name)).toEqual(['second']);
  expect(left.clusters!.map((cluster) => cluster.name)).toEqual(['kube']);
  expect(left.users!.map((user) => user.name)).toEqual(['x']);
  expect(left['current-context']).toBe('');
});

test('a connection is read from data and from files', async () => {
  await writeFile(path.join(directory, 'ca.pem'), 'CA');
  const config: Kubeconfig = {
    'current-context': 'c',
    clusters: [{ name: 'k', cluster: { server: 'https://s', 'certificate-authority': 'ca.pem' } }],
    users: [{ name: 'u', user: { 'client-certificate-data': Buffer.from('CERT').toString('base64'), 'client-key-data': Buffer.from('KEY').toString('base64') } }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
  };
  expect(await connectionFromKubeconfig(config, directory)).toEqual({ server: 'https://s', ca: 'CA', certificate: 'CERT', key: 'KEY' });
  await expect(connectionFromKubeconfig(config, directory, 'nope')).rejects.toThrow('no context named nope');
});
