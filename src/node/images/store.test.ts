import { createReadStream } from 'node:fs';
import { lstat, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { FakeClock } from '../../base/clock.js';
import { ArmedFailpoints } from '../../base/failpoint.js';
import { testImageFiles } from '../../../scripts/images/test-images.mjs';
import { digest, dockerArchive, imageOf, ociLayout, tarOf, type TestImage } from './testing/tars.js';
import { ImageWorld } from './testing/world.js';

let world: ImageWorld;
beforeEach(async () => {
  world = await ImageWorld.make();
});
afterEach(() => world.close());

async function archive(content: Buffer, name = 'image.tar'): Promise<string> {
  const path = `${world.folder}/${name}`;
  await writeFile(path, content);
  return path;
}

async function image(text: string, more: Parameters<typeof imageOf>[1] = {}): Promise<TestImage> {
  return imageOf([await tarOf([{ name: 'base', content: 'base' }]), await tarOf([{ name: 'text', content: text }])], more);
}

async function nothingIsLeft(): Promise<void> {
  for (const name of ['images', 'names', 'layers', 'tmp', 'leases', 'holds']) expect([name, await world.list(name)]).toEqual([name, []]);
}

test('a docker-archive: names, configuration, layers that can be mounted', async () => {
  const store = await world.open();
  const made = await image('one', { config: { Entrypoint: ['/bin/a'], Cmd: ['b'], Env: ['A=1'], WorkingDir: '/w', User: '12:34', StopSignal: 'SIGQUIT', Volumes: { '/v': {} } } });
  const imported = await store.import(await archive(await dockerArchive(made, ['app:1', 'quay.io/x/app:2'])));
  expect(imported).toHaveLength(1);
  expect(imported[0]!.id).toBe(made.id);
  const status = await store.imageStatus('app:1');
  expect(status).toMatchObject({ id: made.id, user: '12:34' });
  expect(status!.ref).toMatch(/^docker\.io\/library\/app@sha256:[0-9a-f]{64}$/);
  expect(status!.names.slice(0, 2)).toEqual(['docker.io/library/app:1', 'quay.io/x/app:2']);
  for (const ref of [made.id, made.id.slice(7), status!.ref, 'quay.io/x/app:2', 'index.docker.io/app:1']) expect((await store.imageStatus(ref))?.id).toBe(made.id);
  const unpacked = await store.unpacked(status!.ref);
  expect(unpacked!.config).toEqual({ entrypoint: ['/bin/a'], cmd: ['b'], env: ['A=1'], workingDir: '/w', user: '12:34', stopSignal: 'SIGQUIT', volumes: ['/v'] });
  expect(await world.inMount(unpacked!.layers, 'cat base text')).toBe('baseone');
  expect(await world.list('tmp')).toEqual([]);
  expect(await world.list('leases')).toEqual([]);
});

test('the same image from an OCI layout, compressed, and as a stream', async () => {
  const store = await world.open();
  const made = await image('one');
  const layout = await ociLayout([{ image: made, name: 'kube.test/one:1' }]);
  const path = await archive(gzipSync(layout));
  expect((await store.import(path))[0]).toMatchObject({ id: made.id, ref: `kube.test/one@${made.manifestDigest}`, sizeBytes: made.manifest.length + [...made.blobs.values()].reduce((sum, blob) => sum + blob.length, 0) });
  expect([...(await store.import(createReadStream(path), { names: ['other', 'kube.test/one:2'] }))[0]!.names].sort()).toEqual(
    ['docker.io/library/other:latest', `docker.io/library/other@${made.manifestDigest}`, 'kube.test/one:2', `kube.test/one@${made.manifestDigest}`]);
  expect(await store.listImages()).toHaveLength(1);
  expect(await world.list('tmp')).toEqual([]);
});

test('of several architectures the right one is taken, and several images come together', async () => {
  const [amd, arm, other] = await Promise.all([image('amd64'), image('arm64', { architecture: 'arm64' }), image('other')]);
  const path = await archive(await ociLayout([{ image: arm, name: 'multi:1', platform: 'linux/arm64' }, { image: amd, name: 'multi:1' }, { image: other, name: 'other:1' }]));
  const store = await world.open();
  expect((await store.import(path)).map(({ id }) => id)).toEqual([amd.id, other.id]);
  const onArm = await world.open({ architecture: 'arm64', folder: `${world.folder}/arm` });
  await expect(onArm.import(path)).rejects.toThrow('the archive has other:1 for linux/amd64, not for linux/arm64');
  expect(await onArm.imageStatus('multi:1')).toBeUndefined();
  await expect(store.import(path, { names: ['a'] })).rejects.toThrow('names can be given to a single one only');
});

test('archives that are not in order are refused, and nothing stays', async () => {
  const store = await world.open();
  const made = await image('one');
  const wrong = [...made.blobs.keys()].at(-1)!;
  const blob = `blobs/${wrong.replace(':', '/')}`;
  const bad: readonly (readonly [Buffer, string])[] = [
    [await ociLayout([{ image: made, name: 'a:1' }], (files) => files.set(blob, Buffer.from('other'))), 'has the wrong digest'],
    [await ociLayout([{ image: made, name: 'a:1' }], (files) => files.delete(blob)), `the archive has no ${blob}`],
    [await ociLayout([{ image: made, name: 'a:1' }], (files) => files.set(`blobs/${made.manifestDigest.replace(':', '/')}`, Buffer.alloc(5_000_000, ' '))), 'at most 4194304 are taken'],
    [await ociLayout([{ image: made }]), 'the archive gives no name'],
    [await ociLayout([{ image: made, name: 'NOT OK' }]), 'couldn\'t parse image name "NOT OK"'],
    [await tarOf([{ name: 'x', content: 'y' }]), 'it has neither index.json'],
    [await tarOf([{ name: 'manifest.json', type: 'symlink', linkname: 'b' }, { name: 'b', type: 'symlink', linkname: 'manifest.json' }]), 'form a cycle'],
    [Buffer.from('nothing'), 'is not a proper tar archive'],
    [await dockerArchive({ ...made, layers: [made.layers[0]!, await tarOf([{ name: 'dev', type: 'block-device' }])] }, ['a:1']), 'devices are not allowed'],
    [await dockerArchive({ ...made, config: Buffer.from('{}') }, ['a:1']), 'has the wrong digest'],
    [await dockerArchive({ ...made, layers: [made.layers[0]!] }, ['a:1']), 'has 1 layers, but its configuration has 2'],
  ];
  for (const [content, message] of bad) await expect(store.import(await archive(content))).rejects.toThrow(message);
  await expect(store.import(`${world.folder}/missing.tar`)).rejects.toThrow('there is no such file');
  await store.prune();
  await nothingIsLeft();
});

test('whiteouts and opaque folders in a real overlay mount', async () => {
  const store = await world.open();
  const made = imageOf([
    await tarOf([{ name: 'keep', content: '' }, { name: 'gone', content: '' }, { name: 'd/one', content: '' }, { name: 'd/two', content: '' }, { name: 'o/a/deep', content: '' }, { name: 'o/b', content: '' }, { name: 'r/x/', type: 'directory' }, { name: 'r/x/f', content: '' }]),
    await tarOf([{ name: '.wh.gone', content: '' }, { name: 'd/.wh.one', content: '' }, { name: 'o/', type: 'directory', mode: 0o700 }, { name: 'o/.wh..wh..opq', content: '' }, { name: 'o/a/new', content: '' }, { name: 'r/.wh.x', content: '' }]),
    await tarOf([{ name: 'o/.wh.b', content: '' }, { name: 'o/c', content: '' }, { name: 'r/x/g', content: '' }]),
  ]);
  await store.import(await archive(await dockerArchive(made, ['w:1'])));
  const { layers } = (await store.unpacked('w:1'))!;
  expect(await world.inMount(layers, 'find . -mindepth 1 | sort | xargs; stat -c %a o')).toBe('./d ./d/two ./keep ./o ./o/a ./o/a/new ./o/c ./r ./r/x ./r/x/g\n700');
  expect(await world.inMount(layers, 'rm -r d o; mkdir o; ls o; ls')).toBe('keep\no\nr');
});

test('layers are shared, and go with the last image or container that needs them', async () => {
  const store = await world.open();
  const [one, two] = await Promise.all([image('one'), image('two')]);
  await store.import(await archive(await dockerArchive(one, ['one:1'])));
  await store.import(await archive(await dockerArchive(two, ['two:1'])));
  expect(await world.list('layers')).toHaveLength(3);
  await store.hold('one:1', 'container/1');
  expect((await store.list()).find(({ id }) => id === one.id)!.containers).toEqual(['container/1']);
  expect(await store.remove('one:1')).toMatchObject({ id: one.id });
  await store.removeImage('one:1');
  expect(await store.imageStatus('one:1')).toBeUndefined();
  expect(await world.list('layers')).toHaveLength(3);
  await store.release('container/1');
  await store.release('container/1');
  expect(await world.list('layers')).toHaveLength(2);
  await expect(store.hold('one:1', 'container/2')).rejects.toMatchObject({ code: 'KUBE_IMAGE_NOT_FOUND' });
  expect((await store.prune()).map(({ names }) => names[0])).toEqual(['docker.io/library/two:1']);
  await nothingIsLeft();
});

test('a tag that moves leaves the old image, found by its digest and id', async () => {
  const store = await world.open();
  const [one, two] = await Promise.all([image('one'), image('two')]);
  await store.import(await archive(await ociLayout([{ image: one, name: 'app:1' }])));
  await store.import(await archive(await ociLayout([{ image: two, name: 'app:1' }])));
  expect((await store.imageStatus('app:1'))!.id).toBe(two.id);
  expect(await store.imageStatus(one.id)).toMatchObject({ names: [`docker.io/library/app@${one.manifestDigest}`] });
});

test('another process sees imports and removals at its next look, and its prune spares held images', async () => {
  const [node, cli] = [await world.open(), await world.open()];
  const made = await image('one');
  expect(await node.imageStatus('app:1')).toBeUndefined();
  await cli.import(await archive(await dockerArchive(made, ['app:1'])));
  expect((await node.unpacked('app:1'))!.id).toBe(made.id);
  await node.hold('app:1', 'c');
  expect(await cli.prune()).toEqual([]);
  await node.retainHolds(new Set());
  expect(await cli.prune()).toHaveLength(1);
  expect(await node.imageStatus('app:1')).toBeUndefined();
  expect(await node.listImages()).toEqual([]);
});

test('a prune at the moment of an import does not harm it', async () => {
  const failpoints = new ArmedFailpoints();
  const [importer, pruner] = [await world.open({ failpoints }), await world.open()];
  const made = await image('one');
  const hits: string[] = [];
  failpoints.arm('image-layers-present', async () => {
    hits.push('present');
    await pruner.prune();
  });
  failpoints.arm('image-layer-unpacked', async () => {
    hits.push('unpacked');
    await pruner.prune();
  });
  await importer.import(await archive(await dockerArchive(made, ['app:1'])));
  expect(hits).toEqual(['unpacked', 'unpacked', 'present']);
  expect(await world.inMount((await importer.unpacked('app:1'))!.layers, 'cat base text')).toBe('baseone');
});

test('failures in the middle leave a usable store; what a dead process left is collected', async () => {
  const failpoints = new ArmedFailpoints();
  const store = await world.open({ failpoints });
  const made = await image('one');
  const path = await archive(await dockerArchive(made, ['app:1']));
  failpoints.arm('image-layers-present', () => {
    throw new Error('power is gone');
  });
  await expect(store.import(path)).rejects.toThrow('power is gone');
  expect(await store.imageStatus('app:1')).toBeUndefined();
  failpoints.disarm('image-layers-present');
  // A process that is not there any more.
  await mkdir(`${world.folder}/images/tmp/999999999.1.ab/fs`, { recursive: true });
  await writeFile(`${world.folder}/images/leases/999999999.1.ab`, JSON.stringify({ chains: [digest(made.layers[0]!)] }));
  const again = await world.open();
  await nothingIsLeft();
  await again.import(path);
  await again.close();
  // A record without its layers, as after a loss of data.
  const [layer] = await world.list('layers');
  await rm(`${world.folder}/images/layers/${layer}`, { recursive: true });
  expect(await again.imageStatus('app:1')).toBeUndefined();
  await world.open();
  await nothingIsLeft();
});

test('layers that were not synced before the machine went down are not trusted', async () => {
  const store = await world.open();
  await store.import(await archive(await dockerArchive(await image('one'), ['app:1'])));
  await store.close();
  const layers = await world.list('layers');
  for (const name of layers) {
    const folder = `${world.folder}/images/layers/${name}`;
    expect(await readdir(folder)).toContain('synced');
    await writeFile(`${folder}/layer.json`, (await readFile(`${folder}/layer.json`, 'utf8')).replace(/"boot":"[^"]*"/, '"boot":"another"'));
  }
  expect(await (await world.open()).imageStatus('app:1')).toBeDefined();
  await rm(`${world.folder}/images/layers/${layers[0]}/synced`);
  expect(await (await world.open()).imageStatus('app:1')).toBeUndefined();
});

test('collection: from the high mark to the low one, least recently used first, young and held ones stay', async () => {
  const clock = new FakeClock();
  let availableBytes = 20;
  const store = await world.open({ clock, diskUsage: () => Promise.resolve({ capacityBytes: 100, availableBytes }) });
  for (const name of ['a', 'b', 'c', 'held']) {
    await store.import(await archive(await dockerArchive(await image(name), [`${name}:1`])));
    await clock.advance(1000);
  }
  await store.hold('held:1', 'x');
  await store.hold('a:1', 'y');
  await store.release('y');
  expect(await store.collect()).toEqual({ usagePercent: 80, wantedBytes: 0, freedBytes: 0, removed: [] });
  availableBytes = 15;
  expect(await store.collect()).toMatchObject({ usagePercent: 85, wantedBytes: 5, freedBytes: 0, removed: [] });
  await clock.advance(120_000);
  const collected = await store.collect();
  expect(collected.removed.map(({ names }) => names[0])).toEqual(['docker.io/library/b:1']);
  expect(collected.freedBytes).toBe(collected.removed[0]!.sizeBytes);
  availableBytes = -1_000_000_000;
  expect((await store.collect({ highPercent: 50, lowPercent: 10, minAgeMs: 0 })).removed.map(({ names }) => names[0])).toEqual(['docker.io/library/c:1', 'docker.io/library/a:1']);
  expect((await store.listImages()).map(({ names }) => names[0])).toEqual(['docker.io/library/held:1']);
});

test('the test images: busybox runs from its layers', async () => {
  const store = await world.open({ architecture: process.arch });
  const files = await testImageFiles('busybox');
  const [docker] = await store.import(files.docker);
  const [oci] = await store.import(files.oci);
  expect(docker!.id).toBe(oci!.id);
  const { layers } = (await store.unpacked(files.name))!;
  expect(await world.inMount(layers, 'chroot . /bin/sh -c "id -u nobody; ls -ld /tmp"')).toMatch(/^65534\ndrwxrwxrwt /);
  expect((await stat(layers[0]!)).mode & 0o777).toBe(0o755);
  expect((await lstat(`${layers[0]!}/bin/sh`)).isSymbolicLink()).toBe(true);
});
