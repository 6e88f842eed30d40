import { lstat, mkdtemp, readFile, readlink, readdir, rm, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { silentLogger } from '../../../base/log.js';
import { directCommands } from '../../../base/process/direct.js';
import { DEFAULT_LIMITS, type ImageLimits } from '../limits.js';
import { digest, tarOf, type TarItem } from '../testing/tars.js';
import { extractLayer } from './extract.js';
import type { LowerLayer } from './lower-view.js';

/** The tars of two tests below, as `zstd -19` compresses them. */
const ZSTD = {
  f: 'KLUv/QRobAIApAJmADAwMDY0NCAxNzQwIDEzNzI3NDEwMDczNzMAdXN0YXIAMGFiY2RlZmcMAPb9KrmRHAXgn0HfIBl40zsUFJ6XuwADMcCGFzA/ASxEAAAAAQD9/8oLEGUAAAgAAgAcvL90V3QABKoUrbM=',
  zeros: 'KLUv/QRoHAIAogIJD9DnVUT6x4LgMqck1ECLFGxZxDGIrrr+hSvbtyrBb21pSBkpCgCk/pAD2MxgQDqAyzvU0jzFwAzUvQCusxMoAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAPAAACEe/8W',
};

const commands = directCommands();
let folder: string;
let number = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-layer-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
afterAll(() => commands.close());

async function unpack(content: readonly TarItem[] | Buffer, lower: readonly LowerLayer[] = [], limits: Partial<ImageLimits> = {}, diffId?: string, sent?: Buffer): Promise<LowerLayer> {
  const tar = Buffer.isBuffer(content) ? content : await tarOf(content);
  const target = `${folder}/layer${number++}`;
  await mkdir(target);
  const result = await extractLayer((async function* () {
    yield await Promise.resolve(sent ?? tar);
  })(), target, { commands, log: silentLogger, limits: { ...DEFAULT_LIMITS, ...limits }, diffId: diffId ?? digest(tar), lower });
  return { folder: target, opaque: new Set(result.opaque) };
}

async function isWhiteout(path: string): Promise<boolean> {
  const stats = await lstat(path);
  return stats.isCharacterDevice() && stats.rdev === 0;
}

test('files, folders, links, owners, modes and times', async () => {
  const { folder: at } = await unpack([
    { name: './', type: 'directory', mode: 0o711 },
    { name: './bin/', type: 'directory' },
    { name: './bin/su', mode: 0o4755, uid: 5, gid: 6, content: 'su' },
    { name: 'bin/also', type: 'link', linkname: 'bin/su' },
    { name: 'bin/sh', type: 'symlink', linkname: '/bin/su', uid: 7 },
    { name: 'implied/deep/file', content: 'x' },
    { name: 'pipe', type: 'fifo', mode: 0o600 },
    { name: '/absolute', content: 'below the root' },
    { name: 'large', content: Buffer.alloc(3_000_000, 'l') },
    { name: 'tmp/', type: 'directory', mode: 0o1777, uid: 1 },
  ]);
  expect((await lstat(at)).mode & 0o7777).toBe(0o711);
  const su = await lstat(`${at}/bin/su`);
  expect([su.mode & 0o7777, su.uid, su.gid, su.mtimeMs, su.nlink]).toEqual([0o4755, 5, 6, 1_600_000_000_000, 2]);
  expect((await lstat(`${at}/bin`)).mtimeMs).toBe(1_600_000_000_000);
  expect(await readlink(`${at}/bin/sh`)).toBe('/bin/su');
  expect((await lstat(`${at}/bin/sh`)).uid).toBe(7);
  expect((await lstat(`${at}/implied/deep`)).mode & 0o7777).toBe(0o755);
  expect((await lstat(`${at}/pipe`)).isFIFO()).toBe(true);
  expect(await readFile(`${at}/absolute`, 'utf8')).toBe('below the root');
  expect((await lstat(`${at}/large`)).size).toBe(3_000_000);
  expect((await lstat(`${at}/tmp`)).mode & 0o7777).toBe(0o1777);
});

test('file capabilities are kept', async () => {
  const value = Buffer.from([1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).toString('latin1');
  const { folder: at } = await unpack([{ name: 'bin/ping', mode: 0o755, content: 'ping', pax: { 'SCHILY.xattr.security.capability': value } }, { name: 'ping2', type: 'link', linkname: 'bin/ping' }]);
  const { stdout } = await commands.run('tar', ['--create', '--file=-', '--xattrs', '--xattrs-include=security.*', '--directory', at, 'ping2']);
  expect(stdout.includes('SCHILY.xattr.security.capability=\x01')).toBe(true);
  expect(await readFile(`${at}/ping2`, 'utf8')).toBe('ping');
});

test('whiteouts hide only what is there; those of nothing leave nothing', async () => {
  const lower = await unpack([{ name: 'a/file', content: '1' }, { name: 'a/dir/x', content: '1' }, { name: 'gone', content: '1' }]);
  const { folder: at } = await unpack([{ name: 'a/.wh.file', content: '' }, { name: 'a/.wh.dir', content: '' }, { name: '.wh.nothing', content: '' }, { name: 'new/.wh.file', content: '' }, { name: '.wh..wh.plnk', content: '' }], [lower]);
  expect(await isWhiteout(`${at}/a/file`)).toBe(true);
  expect(await isWhiteout(`${at}/a/dir`)).toBe(true);
  expect(await readdir(at)).toEqual(['a']);
});

test('what is deleted and made anew in one layer hides what was below', async () => {
  const lower = await unpack([{ name: 'd/old', content: '1' }, { name: 'f', content: '1' }]);
  const upper = await unpack([{ name: '.wh.d', content: '' }, { name: 'd/new', content: '2' }, { name: '.wh.f', content: '' }, { name: 'f', content: '2' }], [lower]);
  expect([...upper.opaque]).toEqual(['d']);
  expect(await readFile(`${upper.folder}/f`, 'utf8')).toBe('2');
  expect(await readdir(`${upper.folder}/d`)).toEqual(['new']);
  // Order does not matter.
  expect([...(await unpack([{ name: 'd/new', content: '2' }, { name: '.wh.d', content: '' }], [lower])).opaque]).toEqual(['d']);
});

test('opaque folders hide all layers below, also for layers above', async () => {
  const bottom = await unpack([{ name: 'd/s/one', content: '1' }]);
  const middle = await unpack([{ name: 'd/.wh..wh..opq', content: '' }, { name: 'd/two', content: '2' }], [bottom]);
  expect([...middle.opaque]).toEqual(['d']);
  // d/s is not visible any more: nothing to hide, nothing to inherit.
  const top = await unpack([{ name: 'd/.wh.s', content: '' }, { name: 'd/.wh.two', content: '' }], [middle, bottom]);
  expect(await readdir(`${top.folder}/d`)).toEqual(['two']);
  expect(await isWhiteout(`${top.folder}/d/two`)).toBe(true);
  // At the bottom there is nothing to hide.
  expect([...(await unpack([{ name: 'd/.wh..wh..opq', content: '' }, { name: 'd/x', content: '' }])).opaque]).toEqual([]);
});

test('names go through links of this layer and those below, inside of the root', async () => {
  const lower = await unpack([{ name: 'usr/lib/', type: 'directory', mode: 0o750, uid: 3 }, { name: 'lib', type: 'symlink', linkname: '/usr/lib' }, { name: 'up', type: 'symlink', linkname: '../../../../../../usr' }]);
  const { folder: at } = await unpack([{ name: 'lib/a', content: '1' }, { name: 'up/b', content: '2' }, { name: 'here', type: 'symlink', linkname: 'usr/../usr/lib' }, { name: 'here/c', content: '3' }], [lower]);
  expect((await readdir(`${at}/usr/lib`)).sort()).toEqual(['a', 'c']);
  expect(await readFile(`${at}/usr/b`, 'utf8')).toBe('2');
  const stats = await lstat(`${at}/usr/lib`);
  expect([stats.mode & 0o7777, stats.uid]).toEqual([0o750, 3]);
});

test('a hard link to a file of a lower layer copies it', async () => {
  const lower = await unpack([{ name: 'a/file', content: 'content', mode: 0o640, uid: 9 }, { name: 's', type: 'symlink', linkname: 'a/file' }]);
  const { folder: at } = await unpack([{ name: 'b', type: 'link', linkname: 'a/file' }, { name: 't', type: 'link', linkname: 's' }], [lower]);
  expect(await readFile(`${at}/b`, 'utf8')).toBe('content');
  const stats = await lstat(`${at}/a/file`);
  expect([stats.nlink, stats.uid, stats.mode & 0o777]).toEqual([2, 9, 0o640]);
  expect(await readlink(`${at}/t`)).toBe('a/file');
});

test('later entries take the place of earlier ones', async () => {
  const { folder: at } = await unpack([
    { name: 'x', content: '1' }, { name: 'x', content: '2' }, { name: 'd/f', content: '1' }, { name: 'd', type: 'symlink', linkname: '/etc' }, { name: 's', type: 'symlink', linkname: 'x' }, { name: 's', content: 'own' },
    { name: 'x', type: 'link', linkname: 'x' },
  ]);
  expect(await readFile(`${at}/x`, 'utf8')).toBe('2');
  expect(await readlink(`${at}/d`)).toBe('/etc');
  expect(await readFile(`${at}/s`, 'utf8')).toBe('own');
});

test('gzip in several members, zstd and plain', async () => {
  const tar = await tarOf([{ name: 'f', content: Buffer.alloc(300_000, 'abcdefg') }]);
  const halves = Buffer.concat([gzipSync(tar.subarray(0, 1000)), gzipSync(tar.subarray(1000))]);
  const zstd = Buffer.from(ZSTD.f, 'base64');
  for (const sent of [tar, halves, zstd]) expect((await lstat(`${(await unpack(tar, [], {}, undefined, sent)).folder}/f`)).size).toBe(300_000);
  for (const sent of [halves.subarray(0, 200), zstd.subarray(0, zstd.length - 20), Buffer.concat([halves.subarray(0, 60), Buffer.alloc(50)])]) await expect(unpack(tar, [], {}, undefined, sent)).rejects.toMatchObject({ code: 'KUBE_IMAGE_REFUSED' });
});

test.each<[string, readonly TarItem[], RegExp]>([
  ['parent folders', [{ name: '../evil', content: 'x' }], /"\.\.", which could lead out/],
  ['parent folders inside', [{ name: 'a/../../evil', content: 'x' }], /"\.\."/],
  ['hard links out of it', [{ name: 'x', type: 'link', linkname: '../../../etc/passwd' }], /"\.\."/],
  ['hard links to what is on the host', [{ name: 'x', type: 'link', linkname: '/etc/passwd' }], /which does not exist before it/],
  ['hard links through links to the host', [{ name: 'e', type: 'symlink', linkname: '/etc' }, { name: 'x', type: 'link', linkname: 'e/passwd' }], /which does not exist before it/],
  ['hard links to themselves', [{ name: 'x', type: 'link', linkname: 'x' }], /which does not exist before it/],
  ['hard links to folders', [{ name: 'd/', type: 'directory' }, { name: 'x', type: 'link', linkname: 'd' }], /a hard link to a folder/],
  ['cycles of links', [{ name: 'a', type: 'symlink', linkname: 'b' }, { name: 'b', type: 'symlink', linkname: 'a' }, { name: 'a/x', content: '' }], /form a cycle/],
  ['files as folders', [{ name: 'a', content: '' }, { name: 'a/b', content: '' }], /is not a folder/],
  ['character devices', [{ name: 'dev/null', type: 'character-device', devmajor: 1, devminor: 3 }], /devices are not allowed/],
  ['block devices', [{ name: 'dev/sda', type: 'block-device', devmajor: 8 }], /devices are not allowed/],
  ['whiteouts made by hand', [{ name: 'x', type: 'character-device' }], /devices are not allowed/],
  ['deletion of the parent', [{ name: 'd/.wh...', content: '' }], /is no name/],
  ['deletion of itself', [{ name: 'd/.wh..', content: '' }], /is no name/],
  ['deletion without a name', [{ name: 'd/.wh.', content: '' }], /is no name/],
  ['long names', [{ name: `d/${'n'.repeat(256)}`, content: '' }], /more than 255 bytes/],
  ['long paths', [{ name: 'n/'.repeat(2100), type: 'directory' }], /more than 4095 bytes/],
  ['a root that is a link', [{ name: './', type: 'symlink', linkname: '/etc' }], /root must be a folder/],
  ['odd owners', [{ name: 'x', content: '', pax: { uid: '-1' } }], /uid -1 is not between/],
  ['sparse files', [{ name: 'x', content: '', pax: { 'GNU.sparse.major': '1' } }], /sparse files/],
  ['NUL in names', [{ name: 'x', content: '', pax: { path: 'a\0b' } }], /NUL/],
])('refused: %s', async (_, items, message) => {
  await expect(unpack(items)).rejects.toMatchObject({ code: 'KUBE_IMAGE_REFUSED', message: expect.stringMatching(message) as string });
});

test('links cannot lead a write out of the root', async () => {
  const { folder: at } = await unpack([{ name: 'out', type: 'symlink', linkname: '/../../tmp' }, { name: 'out/kube-evil', content: 'x' }]);
  expect(await readdir(`${at}/tmp`)).toEqual(['kube-evil']);
  await expect(lstat('/tmp/kube-evil')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('bombs, wrong digests and broken archives', async () => {
  const zeros = await tarOf([{ name: 'zeros', content: Buffer.alloc(8_000_000) }]);
  await expect(unpack(zeros, [], { ratioFloorBytes: 1_000_000 }, undefined, gzipSync(zeros))).rejects.toThrow('more than 200 times its size');
  const zstd = Buffer.from(ZSTD.zeros, 'base64');
  await expect(unpack(zeros, [], { ratioFloorBytes: 1_000_000 }, undefined, zstd)).rejects.toThrow('more than 200 times its size');
  await expect(unpack(zeros, [], { layerBytes: 1_000_000 })).rejects.toThrow('more than 1000000 bytes');
  await expect(unpack([{ name: 'a', content: '' }, { name: 'b', content: '' }, { name: 'c', content: '' }], [], { layerEntries: 2 })).rejects.toThrow('more than 2 entries');
  await expect(unpack(zeros, [], {}, `sha256:${'0'.repeat(64)}`)).rejects.toThrow('has the wrong digest');
  await expect(unpack(zeros.subarray(0, 5_000_000))).rejects.toMatchObject({ code: 'KUBE_IMAGE_REFUSED' });
  await expect(unpack(Buffer.from('this is no tar, but it is long enough to be looked at '.repeat(20)))).rejects.toMatchObject({ code: 'KUBE_IMAGE_REFUSED' });
});
