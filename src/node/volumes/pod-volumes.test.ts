import { jest } from '@jest/globals';
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, SECRETS } from '../../api/resource-refs.js';
import type { V1Pod } from '../../api/generated/types.js';
import { FakeApi } from '../../controllers/testing/fake-api.js';
import { ConfigError } from '../references/environment.js';
import { memorySize } from './sources/empty-dir.js';
import type { VolumeImages } from './sources/image.js';
import { until, volumePod, volumeWorld, type VolumeWorld } from './testing/volume-world.js';
import { VolumeError } from './volume-error.js';

// Real mounts on a machine that may be busy.
jest.setTimeout(30_000);

let world: VolumeWorld<FakeApi>;

beforeEach(async () => {
  world = await volumeWorld(new FakeApi());
});

afterEach(() => world.remove());

const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);
const messages = async (work: Promise<unknown>): Promise<readonly string[]> => {
  const error = await work.then(() => undefined, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(VolumeError);
  return (error as VolumeError).messages;
};
const environment = new Map([['POD', 'web-0'], ['EMPTY', '']]);

test('emptyDir: on disk for everybody, in memory with a size; both gone after the pod', async () => {
  const pod = volumePod([{ name: 'disk', emptyDir: {} }, { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } }]);
  await world.volumes.setUp(pod);
  const [disk, memory] = [world.path('uid-1', 'empty-dir', 'disk'), world.path('uid-1', 'empty-dir', 'memory')];
  expect(await mode(disk)).toBe('777');
  expect(await mode(memory)).toBe('1777');
  expect(await world.mounted()).toEqual([memory]);
  const size = await world.commands.run('stat', ['-f', '-c', '%b %S', memory]);
  const [blocks, block] = size.stdout.toString().split(' ').map(Number);
  expect(blocks! * block!).toBe(8 * 1024 * 1024);
  await writeFile(join(disk, 'data'), 'x');
  expect(await world.volumes.containerMounts(pod, pod.spec!.containers[0]!, environment)).toEqual([
    { containerPath: '/disk', hostPath: disk, readonly: false, propagation: 'private' }, { containerPath: '/memory', hostPath: memory, readonly: false, propagation: 'private' },
  ]);
  await world.volumes.tearDown('uid-1');
  await world.volumes.tearDown('uid-1');
  expect(await world.mounted()).toEqual([]);
  expect(await readdir(join(world.folder, 'pods'))).toEqual([]);
});

test('what a container did to its emptyDir outlives a restart of the program', async () => {
  const pod = volumePod([{ name: 'disk', emptyDir: {} }, { name: 'memory', emptyDir: { medium: 'Memory' } }]);
  await world.volumes.setUp(pod);
  const disk = world.path('uid-1', 'empty-dir', 'disk');
  await chmod(disk, 0o700);
  await writeFile(join(disk, 'data'), 'x');
  await writeFile(join(world.path('uid-1', 'empty-dir', 'memory'), 'data'), 'y');
  const next = world.again();
  await next.adopt(pod);
  expect(await mode(disk)).toBe('700');
  expect(await readFile(join(world.path('uid-1', 'empty-dir', 'memory'), 'data'), 'utf8')).toBe('y');
  expect(await world.mounted()).toHaveLength(1);
  expect(await next.usage('uid-1')).toEqual(new Map([['disk', 8192]]));
});

test('a pod with many volumes costs one process for its mounts, and nothing when they are there', async () => {
  world.api.seed(SECRETS, { metadata: { name: 'keys', namespace: 'default' }, data: { a: 'eA==' } });
  const pod = volumePod([{ name: 'm1', emptyDir: { medium: 'Memory' } }, { name: 'm2', emptyDir: { medium: 'Memory' } }, { name: 's', secret: { secretName: 'keys' } }, { name: 'd', emptyDir: {} }]);
  await world.volumes.setUp(pod);
  await world.volumes.setUp(pod);
  expect(world.ran).toEqual(['sh']);
  expect(await world.mounted()).toHaveLength(3);
});

test('calls at the same time make everything once', async () => {
  const pod = volumePod([{ name: 'memory', emptyDir: { medium: 'Memory' } }, { name: 'disk', emptyDir: {} }], {}, { volumeMounts: [{ name: 'memory', mountPath: '/m' }, { name: 'disk', mountPath: '/d', subPath: 'x' }] });
  await Promise.all([world.volumes.setUp(pod), world.volumes.setUp(pod), world.volumes.adopt(pod)]);
  const [first, second] = await Promise.all([1, 2].map(() => world.volumes.containerMounts(pod, pod.spec!.containers[0]!, environment)));
  expect(first).toEqual(second);
  expect(await world.mounted()).toHaveLength(2);
  await Promise.all([world.volumes.tearDown('uid-1'), world.volumes.tearDown('uid-1')]);
  expect(await world.mounted()).toEqual([]);
});

test('a mount that fails is an event for its volume, and is tried again', async () => {
  let failing = true;
  const own = await volumeWorld(new FakeApi(), {}, {
    commands: { ...world.commands, run: (program, args, options) => (failing && program === 'mount' ? Promise.resolve({ code: 32, stdout: Buffer.alloc(0), stderr: Buffer.from('mount: no memory'), timedOut: false }) : world.commands.run(program, args, options)) },
  });
  try {
    const pod = volumePod([{ name: 'memory', emptyDir: { medium: 'Memory' } }, { name: 'disk', emptyDir: {} }]);
    const path = own.path('uid-1', 'empty-dir', 'memory');
    expect(await messages(own.volumes.setUp(pod))).toEqual([`MountVolume.SetUp failed for volume "memory" : mount of tmpfs at ${path} failed: mount: no memory`]);
    await expect(own.volumes.containerMounts(pod, pod.spec!.containers[0]!, environment)).rejects.toThrow('cannot find volume "memory" to mount into container "app"');
    failing = false;
    await own.volumes.setUp(pod);
    expect(await own.mounted()).toEqual([path]);
  } finally {
    await own.remove();
  }
});

test('volumes in memory are bounded by what the pod and the node may use', () => {
  const limited = (...memory: (string | undefined)[]): V1Pod => volumePod([], { containers: memory.map((limit, index) => ({ name: `c${index}`, ...(limit === undefined ? {} : { resources: { limits: { memory: limit } } }) })) });
  expect(memorySize(limited('1Mi', '2Mi'), { memory: '1Gi' })).toBe(3 * 1024 * 1024);
  expect(memorySize(limited('1Mi', undefined), { memory: '1Gi' })).toBe(1024 ** 3);
  expect(memorySize(limited('1Mi'), { memory: '1Gi' }, '100')).toBe(100);
  expect(memorySize(limited('1Mi'), { memory: '1Gi' }, '0')).toBe(1024 * 1024);
  expect(memorySize(limited('1Mi'), { memory: '1Gi' }, '5Mi')).toBe(1024 * 1024);
  expect(memorySize(limited(undefined), {})).toBe(0);
});

test('huge pages, unknown media and types that are not supported are said', async () => {
  const pod = volumePod([{ name: 'huge', emptyDir: { medium: 'HugePages-2Mi' } }, { name: 'odd', emptyDir: { medium: 'Tape' } }, { name: 'git', gitRepo: { repository: 'x' } }, { name: 'img', image: { reference: 'x' } }]);
  expect((await messages(world.volumes.setUp(pod))).toSorted()).toEqual([
    'MountVolume.SetUp failed for volume "git" : volumes of type gitRepo are not supported',
    'MountVolume.SetUp failed for volume "huge" : medium HugePages-2Mi: emptyDir volumes of huge pages are not supported',
    'MountVolume.SetUp failed for volume "img" : volumes of type image are not supported',
    'MountVolume.SetUp failed for volume "odd" : unknown storage medium "Tape"',
  ]);
});

test('hostPath: types are checked, and made where asked', async () => {
  const at = (name: string): string => join(world.folder, name);
  await writeFile(at('file'), '');
  const of = (path: string, type: string): V1Pod => volumePod([{ name: 'host', hostPath: { path, type } }]);
  const fails = async (path: string, type: string, why: string): Promise<void> => expect(await messages(world.again().setUp(of(path, type)))).toEqual([`MountVolume.SetUp failed for volume "host" : ${why}`]);
  await fails(at('none'), 'Directory', `hostPath type check failed: ${at('none')} is not a directory`);
  await fails(at('file'), 'DirectoryOrCreate', `hostPath type check failed: ${at('file')} is not a directory`);
  await fails(at('none'), 'File', `hostPath type check failed: ${at('none')} is not a file`);
  await fails(at('file'), 'Socket', `hostPath type check failed: ${at('file')} is not a socket file`);
  await fails(at('file'), 'CharDevice', `hostPath type check failed: ${at('file')} is not a character device`);
  await fails('/dev/null', 'BlockDevice', 'hostPath type check failed: /dev/null is not a block device');
  await fails('/tmp/../etc', '', 'invalid HostPath `/tmp/../etc`: must not contain \'..\'');
  await world.again().setUp(of('/dev/null', 'CharDevice'));
  await world.again().setUp(of(at('made/deep'), 'DirectoryOrCreate'));
  await world.again().setUp(of(at('made/file'), 'FileOrCreate'));
  expect(await mode(at('made/deep'))).toBe('755');
  expect(await mode(at('made/file'))).toBe('644');
  const nothing = volumePod([{ name: 'host', hostPath: { path: at('nothing') } }]);
  const volumes = world.again();
  await volumes.setUp(nothing);
  expect((await volumes.containerMounts(nothing, nothing.spec!.containers[0]!, environment))[0]?.hostPath).toBe(at('nothing'));
});

test('configMap and secret: keys, items, modes, binary data; read-only; secrets in memory', async () => {
  world.api.seed(CONFIG_MAPS, { metadata: { name: 'settings', namespace: 'default' }, data: { a: '1', b: '2' }, binaryData: { c: Buffer.from([0, 255]).toString('base64') } });
  world.api.seed(SECRETS, { metadata: { name: 'keys', namespace: 'default' }, data: { key: Buffer.from('s').toString('base64') } });
  const pod = volumePod([
    { name: 'all', configMap: { name: 'settings', defaultMode: 0o640 } },
    { name: 'some', configMap: { name: 'settings', items: [{ key: 'a', path: 'deep/a', mode: 0o400 }] } },
    { name: 'keys', secret: { secretName: 'keys' } },
    { name: 'maybe', configMap: { name: 'none', optional: true } },
  ]);
  await world.volumes.setUp(pod);
  const all = world.path('uid-1', 'configmap', 'all');
  expect((await readdir(all)).filter((name) => !name.startsWith('..'))).toEqual(['a', 'b', 'c']);
  expect(await readFile(join(all, 'c'))).toEqual(Buffer.from([0, 255]));
  expect(await mode(join(all, 'a'))).toBe('640');
  expect(await mode(join(world.path('uid-1', 'configmap', 'some'), 'deep/a'))).toBe('400');
  const keys = world.path('uid-1', 'secret', 'keys');
  expect(await mode(join(keys, 'key'))).toBe('644');
  expect(await world.mounted()).toEqual([keys]);
  expect((await world.volumes.containerMounts(pod, pod.spec!.containers[0]!, environment)).map((mount) => mount.readonly)).toEqual([true, true, true, true]);
});

test('missing objects and keys: upstream\'s messages, one for each volume, and the others are made', async () => {
  world.api.seed(SECRETS, { metadata: { name: 'keys', namespace: 'default' }, data: {} });
  world.api.seed(CONFIG_MAPS, { metadata: { name: 'settings', namespace: 'default' }, data: {} });
  const pod = volumePod([
    { name: 'a', configMap: { name: 'none' } }, { name: 'b', secret: { secretName: 'none' } }, { name: 'c', secret: { secretName: 'keys', items: [{ key: 'k', path: 'k' }] } },
    { name: 'd', configMap: { name: 'settings', items: [{ key: 'k', path: 'k' }] } }, { name: 'e', emptyDir: {} },
    { name: 'f', projected: { sources: [{ secret: { name: 'none' } }, { configMap: { name: 'none' } }] } }, { name: 'g', configMap: { name: 'settings', items: [{ key: 'k', path: 'k' }], optional: true } },
  ]);
  expect((await messages(world.volumes.setUp(pod))).toSorted()).toEqual([
    'MountVolume.SetUp failed for volume "a" : configmap "none" not found', 'MountVolume.SetUp failed for volume "b" : secret "none" not found',
    'MountVolume.SetUp failed for volume "c" : references non-existent secret key: k', 'MountVolume.SetUp failed for volume "d" : configmap references non-existent config key: k',
    'MountVolume.SetUp failed for volume "f" : [secret "none" not found, configmap "none" not found]',
  ]);
  expect(await world.mounted()).toEqual([]);
  expect(await mode(world.path('uid-1', 'empty-dir', 'e'))).toBe('777');
});

test('a volume that no container uses is not made', async () => {
  const pod = volumePod([{ name: 'unused', configMap: { name: 'none' } }], {}, { volumeMounts: [] });
  await world.volumes.setUp(pod);
  expect(world.api.actions).toEqual([]);
});

test('files follow their objects: changes, removed keys, optional ones that come and go', async () => {
  world.api.seed(CONFIG_MAPS, { metadata: { name: 'settings', namespace: 'default' }, data: { a: '1', b: '1' } });
  const pod = volumePod([{ name: 'conf', configMap: { name: 'settings' } }, { name: 'late', projected: { sources: [{ secret: { name: 'late', optional: true } }, { configMap: { name: 'settings' } }] } }]);
  await world.volumes.setUp(pod);
  const [conf, late] = [world.path('uid-1', 'configmap', 'conf'), world.path('uid-1', 'projected', 'late')];
  const read = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);
  world.api.edit(CONFIG_MAPS, 'default', 'settings', () => ({ data: { a: '2', b: null } }));
  await until(async () => (await read(join(conf, 'a'))) === '2' && (await read(join(late, 'a'))) === '2');
  await until(async () => (await read(join(conf, 'b'))) === undefined);
  world.api.seed(SECRETS, { metadata: { name: 'late', namespace: 'default' }, data: { s: Buffer.from('here').toString('base64') } });
  await until(async () => (await read(join(late, 's'))) === 'here');
  await world.api.resource(SECRETS).delete('default', 'late');
  await until(async () => (await read(join(late, 's'))) === undefined);
  // One that must be there is gone: the files stay.
  const gets = (): number => world.api.actions.filter((action) => action.verb === 'get' && action.name === 'settings').length;
  const before = gets();
  await world.api.resource(CONFIG_MAPS).delete('default', 'settings');
  await until(() => gets() > before);
  await world.volumes.setUp(pod);
  expect(await read(join(conf, 'a'))).toBe('2');
  expect(world.api.actions.filter((action) => action.verb === 'watch')).toHaveLength(2);
});

test('a program that was restarted brings files up to date and goes on following', async () => {
  world.api.seed(CONFIG_MAPS, { metadata: { name: 'settings', namespace: 'default' }, data: { a: '1' } });
  const pod = volumePod([{ name: 'conf', configMap: { name: 'settings' } }]);
  await world.volumes.setUp(pod);
  world.volumes.stop();
  world.api.edit(CONFIG_MAPS, 'default', 'settings', () => ({ data: { a: '2' } }));
  const file = join(world.path('uid-1', 'configmap', 'conf'), 'a');
  expect(await readFile(file, 'utf8')).toBe('1');
  await world.again().adopt(pod);
  expect(await readFile(file, 'utf8')).toBe('2');
  world.api.edit(CONFIG_MAPS, 'default', 'settings', () => ({ data: { a: '3' } }));
  await until(async () => (await readFile(file, 'utf8')) === '3');
});

test('downwardAPI: the pod\'s fields, and their changes', async () => {
  const pod = volumePod(
    [{ name: 'info', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }, { path: 'cpu', mode: 0o400, resourceFieldRef: { containerName: 'app', resource: 'limits.cpu', divisor: '1m' } }] } }],
    {}, { resources: { limits: { cpu: '250m' } } },
  );
  await world.volumes.setUp(pod);
  const info = world.path('uid-1', 'downward-api', 'info');
  expect(await readFile(join(info, 'labels'), 'utf8')).toBe('app="web"');
  expect(await readFile(join(info, 'cpu'), 'utf8')).toBe('250');
  world.volumes.follow({ ...pod, metadata: { ...pod.metadata, labels: { app: 'web', tier: 'front' } } });
  await until(async () => (await readFile(join(info, 'labels'), 'utf8')) === 'app="web"\ntier="front"');
});

describe('service account tokens', () => {
  let asked: unknown[];
  beforeEach(() => {
    asked = [];
    world.api.react = (action) => {
      if (action.subresource !== 'token') return undefined;
      asked.push(action.body);
      return { spec: { expirationSeconds: 3600 }, status: { token: `token-${asked.length}`, expirationTimestamp: new Date(world.api.clock.now() + 3600_000).toISOString() } };
    };
  });
  const volume = { name: 'token', projected: { defaultMode: 0o644, sources: [{ serviceAccountToken: { path: 'token', audience: 'vault', expirationSeconds: 3600 } }] } };
  const path = (): string => join(world.path('uid-1', 'projected', 'token'), 'token');

  test('are bound to the pod and replaced at 80 % of their life', async () => {
    await world.volumes.setUp(volumePod([volume]));
    expect(asked).toEqual([expect.objectContaining({ spec: { audiences: ['vault'], expirationSeconds: 3600, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'uid-1' } } })]);
    expect(await readFile(path(), 'utf8')).toBe('token-1');
    expect(await mode(path())).toBe('644');
    await world.api.clock.advance(2800_000);
    expect(asked).toHaveLength(1);
    await world.api.clock.advance(100_000);
    await until(async () => (await readFile(path(), 'utf8')) === 'token-2');
  });

  test('stay while no new one can be had', async () => {
    await world.volumes.setUp(volumePod([volume]));
    const { react } = world.api;
    world.api.react = () => {
      throw new Error('away');
    };
    await world.api.clock.advance(2900_000);
    world.api.react = react;
    expect(await readFile(path(), 'utf8')).toBe('token-1');
    await until(async () => {
      await world.api.clock.advance(10_000);
      return (await readFile(path(), 'utf8')) === 'token-2';
    });
  });

  test.each([
    ['one user', { runAsUser: 1000 }, '600', 1000, 0], ['a group', { fsGroup: 2000 }, '640', 0, 2000], ['both', { runAsUser: 1000, fsGroup: 2000 }, '640', 1000, 2000],
  ])('belong to those who read them: %s', async (_, securityContext, expected, uid, gid) => {
    await world.volumes.setUp(volumePod([volume], { securityContext }));
    const info = await stat(path());
    expect([(info.mode & 0o7777).toString(8), info.uid, info.gid]).toEqual([expected, uid, gid]);
  });

  test('a failure is said', async () => {
    world.api.react = () => {
      throw new Error('no such account');
    };
    expect(await messages(world.volumes.setUp(volumePod([volume])))).toEqual(['MountVolume.SetUp failed for volume "token" : failed to fetch token: no such account']);
  });
});

test('fsGroup: emptyDir and files belong to the group, folders pass it on', async () => {
  world.api.seed(CONFIG_MAPS, { metadata: { name: 'settings', namespace: 'default' }, data: { a: '1' } });
  const pod = volumePod(
    [{ name: 'disk', emptyDir: {} }, { name: 'memory', emptyDir: { medium: 'Memory' } }, { name: 'conf', configMap: { name: 'settings', defaultMode: 0o400, items: [{ key: 'a', path: 'sub/a' }] } }],
    { securityContext: { fsGroup: 2000 } },
  );
  await world.volumes.setUp(pod);
  const of = async (path: string): Promise<readonly [string, number]> => [await mode(path), (await stat(path)).gid];
  expect(await of(world.path('uid-1', 'empty-dir', 'disk'))).toEqual(['2777', 2000]);
  expect(await of(world.path('uid-1', 'empty-dir', 'memory'))).toEqual(['3777', 2000]);
  const conf = world.path('uid-1', 'configmap', 'conf');
  expect(await of(conf)).toEqual(['2777', 2000]);
  expect(await of(join(conf, 'sub'))).toEqual(['2755', 2000]);
  expect(await of(join(conf, 'sub/a'))).toEqual(['440', 2000]);
  expect((await lstat(join(conf, await readlink(join(conf, '..data'))))).gid).toBe(2000);
});

test('nested mounts find their folder in a volume that is read-only', async () => {
  world.api.seed(CONFIG_MAPS, { metadata: { name: 'settings', namespace: 'default' }, data: { a: '1' } });
  const pod = volumePod([{ name: 'conf', configMap: { name: 'settings' } }, { name: 'disk', emptyDir: {} }], {}, {
    volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }, { name: 'disk', mountPath: '/etc/app/cache/one' }, { name: 'disk', mountPath: '/etc/app/cache/one/two' }, { name: 'disk', mountPath: '/etc/apple' }],
  });
  await world.volumes.setUp(pod);
  expect((await readdir(world.path('uid-1', 'configmap', 'conf'))).filter((name) => !name.startsWith('..'))).toEqual(['a', 'cache']);
  expect(await readdir(join(world.path('uid-1', 'configmap', 'conf'), 'cache/one'))).toEqual([]);
});

test('mounts carry read-only, recursive read-only and propagation', async () => {
  const pod = volumePod([{ name: 'disk', emptyDir: {} }], {}, {
    volumeMounts: [{ name: 'disk', mountPath: 'a', readOnly: true, recursiveReadOnly: 'Enabled' }, { name: 'disk', mountPath: '/b', mountPropagation: 'HostToContainer' }, { name: 'disk', mountPath: '/c', mountPropagation: 'Bidirectional' }],
  });
  await world.volumes.setUp(pod);
  const hostPath = world.path('uid-1', 'empty-dir', 'disk');
  expect(await world.volumes.containerMounts(pod, pod.spec!.containers[0]!, environment)).toEqual([
    { containerPath: '/a', hostPath, readonly: true, recursiveReadOnly: true, propagation: 'private' }, { containerPath: '/b', hostPath, readonly: false, propagation: 'host-to-container' },
    { containerPath: '/c', hostPath, readonly: false, propagation: 'bidirectional' },
  ]);
});

describe('subPath', () => {
  const withMounts = (volumeMounts: NonNullable<V1Pod['spec']>['containers'][number]['volumeMounts']): V1Pod => volumePod([{ name: 'disk', emptyDir: {} }, { name: 'conf', configMap: { name: 'settings', optional: true } }], {}, { volumeMounts: volumeMounts! });
  const mounts = async (pod: V1Pod): Promise<string[]> => {
    await world.volumes.setUp(pod);
    return (await world.volumes.containerMounts(pod, pod.spec!.containers[0]!, environment)).map((mount) => mount.hostPath);
  };

  test('binds a part of a volume, made with the volume\'s mode, with variables expanded', async () => {
    const pod = withMounts([{ name: 'disk', mountPath: '/a', subPath: 'data/x' }, { name: 'disk', mountPath: '/b', subPathExpr: '$(POD)/logs' }]);
    const paths = await mounts(pod);
    const disk = world.path('uid-1', 'empty-dir', 'disk');
    expect(paths).toEqual([0, 1].map((index) => join(world.folder, 'pods/uid-1/volume-subpaths/disk/app', String(index))));
    expect(await mode(join(disk, 'web-0/logs'))).toBe('777');
    await writeFile(join(paths[0]!, 'file'), 'x');
    expect(await readFile(join(disk, 'data/x/file'), 'utf8')).toBe('x');
    expect(world.ran.filter((program) => program === 'sh')).toHaveLength(1);
    expect(await mounts(pod)).toEqual(paths);
    expect(await world.mounted()).toHaveLength(2);
    await world.volumes.tearDown('uid-1');
    expect(await world.mounted()).toEqual([]);
    expect(await readdir(join(world.folder, 'pods'))).toEqual([]);
  });

  test('a bound file does not follow updates; the next container gets the new one', async () => {
    world.api.seed(CONFIG_MAPS, { metadata: { name: 'settings', namespace: 'default' }, data: { a: '1' } });
    const pod = withMounts([{ name: 'conf', mountPath: '/a', subPath: 'a' }]);
    const [path] = await mounts(pod);
    expect(await readFile(path!, 'utf8')).toBe('1');
    world.api.edit(CONFIG_MAPS, 'default', 'settings', () => ({ data: { a: '2' } }));
    await until(async () => (await readFile(join(world.path('uid-1', 'configmap', 'conf'), 'a'), 'utf8')) === '2');
    expect(await readFile(path!, 'utf8')).toBe('1');
    await mounts(pod);
    expect(await readFile(path!, 'utf8')).toBe('2');
    expect(await world.mounted()).toEqual([path]);
  });

  test.each([
    [{ subPath: '/etc' }, 'error SubPath `/etc` must not be an absolute path'], [{ subPath: 'a/../../b' }, 'unable to provision SubPath `a/../../b`: must not contain \'..\''],
    [{ subPathExpr: '$(NONE)/$(EMPTY)' }, 'missing value for EMPTY, NONE'],
  ])('%j is refused', async (mount, message) => {
    const work = mounts(withMounts([{ name: 'disk', mountPath: '/a', ...mount }]));
    await expect(work).rejects.toThrow(message);
    await expect(work).rejects.toThrow(ConfigError);
  });

  test('links that lead out of the volume are refused without saying what is there', async () => {
    const pod = withMounts([{ name: 'disk', mountPath: '/a', subPath: 'link' }]);
    await world.volumes.setUp(pod);
    const link = join(world.path('uid-1', 'empty-dir', 'disk'), 'link');
    await symlink('/etc', link);
    await expect(mounts(pod)).rejects.toThrow('failed to prepare subPath for volumeMount "disk" of container "app"');
    await unlink(link);
    await symlink('/nonexistent', link);
    await expect(mounts(pod)).rejects.toThrow('failed to create subPath directory for volumeMount "disk" of container "app"');
    expect(await world.mounted()).toEqual([]);
  });
});

describe('persistent volumes', () => {
  const bind = (spec: object, mode = 'Filesystem', annotations = {}): void => {
    const claim = world.api.seed(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'data', namespace: 'default' }, spec: { volumeName: 'pv-1', volumeMode: mode }, status: { phase: 'Bound' } });
    world.api.seed(PERSISTENT_VOLUMES, { metadata: { name: 'pv-1', annotations }, spec: { volumeMode: mode, claimRef: { namespace: 'default', name: 'data', uid: claim.metadata!.uid! }, ...spec } });
  };
  const claimed = (options: object = {}): V1Pod => volumePod([{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }], options);
  const unprocessed = (why: string): string => `Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC default/data: ${why}`;

  test('claims that are missing or not bound', async () => {
    expect(await messages(world.volumes.setUp(claimed()))).toEqual([unprocessed('failed to fetch PVC from API server: persistentvolumeclaims "data" not found')]);
    world.api.seed(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'data', namespace: 'default' }, spec: {}, status: { phase: 'Pending' } });
    expect(await messages(world.volumes.setUp(claimed()))).toEqual([unprocessed('PVC is not bound')]);
    world.api.edit(PERSISTENT_VOLUME_CLAIMS, 'default', 'data', () => ({ spec: { volumeName: 'pv-1' }, status: { phase: 'Bound' } }));
    expect(await messages(world.volumes.setUp(claimed()))).toEqual([unprocessed('failed to fetch PV pv-1 from API server: persistentvolumes "pv-1" not found')]);
  });

  test('a local volume is bound, owned by the first pod\'s group, and outlives its pods with everything in it', async () => {
    const source = join(world.folder, 'disk');
    await mkdir(join(source, 'sub'), { recursive: true });
    await writeFile(join(source, 'sub/file'), 'precious', { mode: 0o600 });
    await symlink('/etc/passwd', join(source, 'link'));
    const passwd = await mode('/etc/passwd');
    bind({ local: { path: source } }, 'Filesystem', { 'pv.beta.kubernetes.io/gid': '1234' });
    const pod = claimed({ securityContext: { fsGroup: 2000 } });
    await world.volumes.setUp(pod);
    const path = world.path('uid-1', 'local-volume', 'pv-1');
    expect(await world.mounted()).toEqual([path]);
    expect([await mode(source), await mode(join(source, 'sub')), await mode(join(source, 'sub/file')), await mode('/etc/passwd')]).toEqual(['2775', '2775', '660', passwd]);
    expect((await stat(join(path, 'sub/file'))).gid).toBe(2000);
    expect(world.volumes.supplementalGroups('uid-1')).toEqual([1234]);
    // Another pod, and the same one after a restart.
    await chmod(join(source, 'sub/file'), 0o600);
    const other: V1Pod = { ...pod, metadata: { ...pod.metadata, name: 'other', uid: 'uid-2' } };
    await world.volumes.setUp(other);
    await world.again().adopt(pod);
    expect(await mode(join(source, 'sub/file'))).toBe('600');
    expect(await world.mounted()).toHaveLength(2);
    await world.volumes.tearDown('uid-1');
    await world.volumes.tearDown('uid-2');
    expect(await readFile(join(source, 'sub/file'), 'utf8')).toBe('precious');
    expect(await readdir(join(world.folder, 'pods'))).toEqual([]);
  });

  test('a local path that does not exist, and types that are not supported', async () => {
    bind({ local: { path: '/nonexistent/disk' } });
    expect(await messages(world.volumes.setUp(claimed()))).toEqual(['MountVolume.NewMounter initialization failed for volume "pv-1" : path "/nonexistent/disk" does not exist']);
    world.api.edit(PERSISTENT_VOLUMES, '', 'pv-1', () => ({ spec: { local: null, iscsi: { targetPortal: 'x' } } }));
    expect(await messages(world.volumes.setUp(claimed()))).toEqual(['MountVolume.SetUp failed for volume "pv-1" : persistent volumes of type iscsi are not supported']);
  });

  test('a local volume that is claimed read-only cannot be written to', async () => {
    await mkdir(join(world.folder, 'disk'));
    bind({ local: { path: join(world.folder, 'disk') } });
    await world.volumes.setUp(volumePod([{ name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: true } }], { securityContext: { fsGroup: 2000 } }));
    await expect(writeFile(join(world.path('uid-1', 'local-volume', 'pv-1'), 'x'), '')).rejects.toThrow('EROFS');
    expect((await stat(join(world.folder, 'disk'))).gid).toBe(0);
  });

  test('OnRootMismatch leaves a volume alone whose root is right', async () => {
    const source = join(world.folder, 'disk');
    await mkdir(source);
    await writeFile(join(source, 'file'), '', { mode: 0o600 });
    bind({ local: { path: source } });
    const pod = claimed({ securityContext: { fsGroup: 2000, fsGroupChangePolicy: 'OnRootMismatch' } });
    await world.volumes.setUp(pod);
    expect(await mode(join(source, 'file'))).toBe('660');
    await world.volumes.tearDown('uid-1');
    await chmod(join(source, 'file'), 0o600);
    await world.again().setUp(pod);
    expect(await mode(join(source, 'file'))).toBe('600');
  });

  test('a hostPath volume is used where it is', async () => {
    bind({ hostPath: { path: join(world.folder, 'data'), type: 'DirectoryOrCreate' } });
    const pod = volumePod([{ name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: true } }]);
    await world.volumes.setUp(pod);
    expect(await world.volumes.containerMounts(pod, pod.spec!.containers[0]!, environment)).toEqual([{ containerPath: '/data', hostPath: join(world.folder, 'data'), readonly: true, propagation: 'private' }]);
    await world.volumes.tearDown('uid-1');
    expect((await stat(join(world.folder, 'data'))).isDirectory()).toBe(true);
  });

  test('block devices: what is mounted must be a file system, and what is passed a device', async () => {
    bind({ local: { path: '/dev/null' } }, 'Block');
    expect(await messages(world.volumes.setUp(claimed()))).toEqual([expect.stringContaining('volume data has volumeMode Block, but is specified in volumeMounts')]);
    const pod = volumePod([{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }], {}, { volumeMounts: [], volumeDevices: [{ name: 'data', devicePath: '/dev/x' }] });
    expect(await messages(world.volumes.setUp(pod))).toEqual(['MapVolume.SetUpDevice failed for volume "pv-1" : /dev/null is not a block device']);
    expect(() => world.volumes.containerDevices(pod, pod.spec!.containers[0]!)).toThrow('cannot find volume "data" to pass into container "app"');
  });

  test('a block device is passed as it is', async () => {
    const device = join(world.folder, 'device');
    expect((await world.commands.run('mknod', [device, 'b', '7', '0'])).code).toBe(0);
    bind({ local: { path: device } }, 'Block');
    const pod = volumePod([{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }], {}, { volumeMounts: [], volumeDevices: [{ name: 'data', devicePath: '/dev/x' }] });
    await world.volumes.setUp(pod);
    expect(world.volumes.containerDevices(pod, pod.spec!.containers[0]!)).toEqual([{ hostPath: device, containerPath: '/dev/x' }]);
    expect(await world.mounted()).toEqual([]);
  });

  test('a volume of a claim template belongs to its pod alone', async () => {
    world.api.seed(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'web-scratch', namespace: 'default' }, spec: { volumeName: 'pv-1' }, status: { phase: 'Bound' } });
    const pod = volumePod([{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } }]);
    expect((await messages(world.volumes.setUp(pod)))[0]).toContain('PVC default/web-scratch was not created for pod default/web (pod is not owner)');
  });
});

test('image volumes are read-only folders of the image, held while the pod is there; a subPath must exist', async () => {
  const layers = ['top', 'base'].map((name) => join(world.folder, 'layers', name, 'fs'));
  for (const layer of layers) await mkdir(join(layer, 'models'), { recursive: true });
  await writeFile(join(layers[0]!, 'models/one'), '1');
  await writeFile(join(layers[1]!, 'models/two'), '2');
  const asked: string[] = [];
  const images: VolumeImages = {
    imageStatus: (name) => Promise.resolve(name === 'registry/one:1' ? { ref: name, names: [], sizeBytes: 1 } : undefined),
    pullImage: (name) => (asked.push(`pull ${name}`), Promise.resolve(name)),
    unpacked: (ref) => Promise.resolve({ id: ref, ref, config: { entrypoint: [], cmd: [], env: [], workingDir: '', user: '', stopSignal: '', volumes: [] }, layers: ref === 'registry/one:1' ? layers.slice(0, 1) : layers }),
    hold: (ref, by) => (asked.push(`hold ${ref} ${by}`), Promise.resolve()),
    release: (by) => (asked.push(`release ${by}`), Promise.resolve()),
  };
  const own = await volumeWorld(new FakeApi(), {}, { images });
  try {
    const pod = volumePod([{ name: 'model', image: { reference: 'registry/model' } }, { name: 'one', image: { reference: 'registry/one:1' } }], {}, { volumeMounts: [{ name: 'model', mountPath: '/m' }, { name: 'one', mountPath: '/o', subPath: 'models' }] });
    await own.volumes.setUp(pod);
    await own.again().adopt(pod);
    const mounts = await own.volumes.containerMounts(pod, pod.spec!.containers[0]!, environment);
    expect(mounts.map((mount) => mount.readonly)).toEqual([true, true]);
    expect(await readdir(join(mounts[0]!.hostPath, 'models'))).toEqual(['one', 'two']);
    expect(await readdir(mounts[1]!.hostPath)).toEqual(['one']);
    for (const { hostPath } of mounts) await expect(writeFile(join(hostPath, 'x'), '')).rejects.toThrow('EROFS');
    expect(asked.slice(0, 3).toSorted()).toEqual(['hold registry/model:latest volume-uid-1-model', 'hold registry/one:1 volume-uid-1-one', 'pull registry/model:latest']);
    const missing = { ...pod.spec!.containers[0]!, volumeMounts: [{ name: 'model', mountPath: '/m', subPath: 'none' }] };
    await expect(own.volumes.containerMounts(pod, missing, environment)).rejects.toThrow('failed to prepare subPath');
    await own.volumes.tearDown('uid-1');
    expect(asked.slice(-2)).toEqual(['release volume-uid-1-model', 'release volume-uid-1-one']);
    expect(await readdir(join(own.folder, 'pods'))).toEqual([]);
    expect(await readdir(join(layers[0]!, 'models'))).toEqual(['one']);
    const never = volumePod([{ name: 'model', image: { reference: 'registry/model:2', pullPolicy: 'Never' } }]);
    expect(await messages(own.again().setUp(never))).toEqual(['MountVolume.SetUp failed for volume "model" : image "registry/model:2" is not present with pull policy of Never']);
  } finally {
    await own.remove();
  }
});

test('pods that went while the program was away are removed, others left alone; what was mounted below keeps its data', async () => {
  const source = join(world.folder, 'host');
  await mkdir(source);
  await writeFile(join(source, 'precious'), '1');
  const pod = volumePod([{ name: 'memory', emptyDir: { medium: 'Memory' } }, { name: 'disk', emptyDir: {} }]);
  await world.volumes.setUp(pod);
  await world.volumes.setUp({ ...pod, metadata: { ...pod.metadata, uid: 'uid-2' } });
  // A container with bidirectional propagation mounted something in its volume, twice.
  const inner = join(world.path('uid-1', 'empty-dir', 'disk'), 'mnt with blank');
  await mkdir(inner);
  for (let turn = 0; turn < 2; turn++) expect((await world.commands.run('mount', ['--bind', source, inner])).code).toBe(0);
  await symlink(source, join(world.path('uid-1', 'empty-dir', 'disk'), 'link'));
  await world.again().collect(new Set(['uid-2']));
  expect(await readdir(join(world.folder, 'pods'))).toEqual(['uid-2']);
  expect(await world.mounted()).toEqual([world.path('uid-2', 'empty-dir', 'memory')]);
  expect(await readFile(join(source, 'precious'), 'utf8')).toBe('1');
});

test('a tree where something stays mounted is not removed', async () => {
  const pod = volumePod([{ name: 'memory', emptyDir: { medium: 'Memory' } }]);
  await world.volumes.setUp(pod);
  const memory = world.path('uid-1', 'empty-dir', 'memory');
  await writeFile(join(memory, 'file'), '1');
  const holder = await world.commands.start('sleep', ['1000'], { stdin: false, cwd: memory });
  await expect(world.volumes.tearDown('uid-1')).rejects.toThrow('still mounted');
  expect(await readFile(join(memory, 'file'), 'utf8')).toBe('1');
  holder.kill('SIGKILL');
  await holder.exit;
  await world.volumes.tearDown('uid-1');
  expect(await readdir(join(world.folder, 'pods'))).toEqual([]);
});

test('a UID that would lead elsewhere is refused', async () => {
  await expect(world.volumes.tearDown('..')).rejects.toThrow('not the UID of a pod');
  await expect(world.volumes.tearDown('')).rejects.toThrow('not the UID of a pod');
});
