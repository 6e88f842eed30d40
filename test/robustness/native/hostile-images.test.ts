import { jest } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startRegistry, type TestRegistry } from '../../../scripts/lib/registry.mjs';
import { FakeRegistry } from '../../../src/node/images/testing/registry.js';
import { dockerArchive, imageOf, ociLayout, tarOf, type TarItem } from '../../../src/node/images/testing/tars.js';
import { kube, run, type ExecutableCluster } from '../../harness/executable.js';
import { startNative } from '../../harness/native.js';
import { ownHost } from './support/own-host.js';

jest.setTimeout(240_000);

const NAME = 'hostile.test/image:1';

let cluster: ExecutableCluster;
let folder: string;
let registry: TestRegistry;
let misbehaving: FakeRegistry;
/** What the store holds, and what the pod is, before and after each test. */
let before: readonly unknown[];

/** Images as they are listed, every file of the store but those that change with its use, and the pod's container. */
async function state(): Promise<readonly unknown[]> {
  const { stdout } = await kube(['image', 'list', '-o', 'json', '--data-dir', cluster.dataDir]);
  const files = (await run('find', [`${ownHost(cluster.dataDir).stateFolder}/images`, '-mindepth', '1', '-maxdepth', '2', '-not', '-path', '*/leases/*', '-not', '-name', 'generation'])).stdout.split('\n').sort();
  const [id, restarts] = (await cluster.kubectl('get pod web -o jsonpath={.status.containerStatuses[0].containerID},{.status.containerStatuses[0].restartCount}')).split(',');
  const { code } = await run('curl', ['-sf', '-o', '/dev/null', `http://${await cluster.kubectl('get pod web -o jsonpath={.status.podIP}')}/`]);
  return [JSON.parse(stdout), files, id, restarts, code];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-hostile-'));
  [cluster, registry, misbehaving] = await Promise.all([startNative([], ['nginx']), startRegistry(), FakeRegistry.start()]);
  await cluster.kubectl('run web --image kube.test/nginx:1');
  await cluster.kubectl('wait --for=condition=Ready pod/web --timeout=60s');
  before = await state();
});

afterAll(async () => {
  await Promise.all([cluster.remove(), registry.stop(), misbehaving.stop()]);
  await rm(folder, { recursive: true, force: true });
});

afterEach(async () => {
  expect(await state()).toEqual(before);
});

/** Imports an archive, which has to fail, and gives what is said. */
async function refusal(archive: Buffer): Promise<string> {
  const file = join(folder, 'archive.tar');
  await writeFile(file, archive);
  return failure(['image', 'import', file]);
}

async function failure(command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await kube([...command, '--data-dir', cluster.dataDir]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

const layers: readonly (readonly [string, readonly TarItem[], RegExp])[] = [
  ['paths that climb out', [{ name: '../../../../tmp/kube-escaped', content: 'x' }], /\.\.\//],
  ['devices', [{ name: 'dev/disk', type: 'block-device', devmajor: 8, devminor: 0 }], /dev\/disk/],
  ['hard links out of the root', [{ name: 'passwd', type: 'link', linkname: '../../../../etc/passwd' }], /passwd/],
  ['cycles of symbolic links', [{ name: 'a', type: 'symlink', linkname: 'b' }, { name: 'b', type: 'symlink', linkname: 'a' }, { name: 'a/file', content: 'x' }], /\ba\b/],
  ['hard links to themselves', [{ name: 'a', type: 'link', linkname: 'b' }, { name: 'b', type: 'link', linkname: 'a' }], /\b[ab]\b/],
];

test.each(layers)('%s are refused', async (_what, items, said) => {
  expect(await refusal(await dockerArchive(imageOf([await tarOf(items)]), [NAME]))).toMatch(said);
  expect((await run('ls', ['/tmp/kube-escaped'])).code).not.toBe(0);
});

test('symbolic links lead no write out of the root', async () => {
  const image = imageOf([await tarOf([{ name: 'out', type: 'symlink', linkname: folder }, { name: 'out/escaped', content: 'x' }])]);
  const file = join(folder, 'archive.tar');
  await writeFile(file, await dockerArchive(image, [NAME]));
  await kube(['image', 'import', file, '--data-dir', cluster.dataDir]);
  expect((await run('ls', [join(folder, 'escaped')])).code).not.toBe(0);
  await kube(['image', 'remove', NAME, '--data-dir', cluster.dataDir]);
});

test('a layer that unpacks to much more than it is, is refused', async () => {
  const layer = await tarOf([{ name: 'zeros', content: Buffer.alloc(300 * 1024 ** 2) }]);
  expect(await refusal(await ociLayout([{ image: imageOf([layer]), name: NAME }]))).toMatch(/ratio|times/);
});

test('a manifest, and a configuration, beyond their bounds are refused', async () => {
  const image = imageOf([await tarOf([{ name: 'a', content: 'x' }])], { config: { Labels: { filler: 'x'.repeat(9 * 1024 ** 2) } } });
  expect(await refusal(await dockerArchive(image, [NAME]))).toMatch(/bytes/);
  misbehaving.intercept = (request, response) => {
    if (!request.url!.includes('/manifests/')) return false;
    response.writeHead(200, { 'content-type': 'application/vnd.oci.image.manifest.v1+json' }).end(`{"schemaVersion":2,"filler":"${'x'.repeat(5 * 1024 ** 2)}"}`);
    return true;
  };
  expect(await failure(['image', 'pull', `${misbehaving.host}/image:1`])).toMatch(/manifest/);
});

test('content of a wrong digest is refused, from an archive and from a registry', async () => {
  const image = imageOf([await tarOf([{ name: 'a', content: 'x' }])]);
  const [other] = imageOf([await tarOf([{ name: 'a', content: 'y' }])]).layers;
  const layer = [...image.blobs.keys()].at(-1)!;
  const swapped = await ociLayout([{ image, name: NAME }], (files) => void files.set(`blobs/${layer.replace(':', '/')}`, gzipSync(other!)));
  expect(await refusal(swapped)).toMatch(/digest/);
  misbehaving.intercept = () => false;
  misbehaving.add('1', image);
  misbehaving.blobs.set(layer, gzipSync(other!));
  expect(await failure(['image', 'pull', `${misbehaving.host}/image:1`])).toMatch(/digest/);
});

test('a layer that breaks off is refused', async () => {
  const whole = await tarOf([{ name: 'a', content: Buffer.alloc(100_000, 'x') }]);
  const image = imageOf([whole], { compress: (layer) => gzipSync(layer).subarray(0, -20) });
  expect(await refusal(await ociLayout([{ image, name: NAME }]))).toMatch(/gzip|end|broken|truncated/i);
});

test('a pod that wants a hostile image of a registry tells why it does not run', async () => {
  const file = join(folder, 'archive.tar');
  await writeFile(file, await dockerArchive(imageOf([await tarOf([{ name: '../../escaped', content: 'x' }])]), [NAME]));
  await registry.push(file, 'hostile:1');
  expect(await failure(['image', 'pull', `${registry.host}/hostile:1`])).toMatch(/escaped/);
  await cluster.kubectl(`run hostile --image ${registry.host}/hostile:1 --restart Never`);
  await cluster.kubectl(['wait', '--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=ErrImagePull', 'pod/hostile', '--timeout=60s']).catch(() => cluster.kubectl(['wait', '--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=ImagePullBackOff', 'pod/hostile', '--timeout=60s']));
  expect(await cluster.kubectl('events --for pod/hostile')).toMatch(/Failed to pull image.*escaped/s);
  await cluster.kubectl('delete pod hostile --wait');
});
