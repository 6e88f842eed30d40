import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { readInRoot, resolveInRoot } from './rootfs-path.js';
import { containerUser, type UserRequest } from './users.js';

let rootfs: string;
beforeEach(async () => {
  rootfs = await mkdtemp('/tmp/rootfs-');
  await mkdir(`${rootfs}/etc`);
  await writeFile(`${rootfs}/etc/passwd`, '# comment\nroot:x:0:0:root:/root:/bin/sh\nalice:x:1000:1001::/home/alice:/bin/sh\nbroken\n');
  await writeFile(`${rootfs}/etc/group`, 'friends:x:2000:bob,alice\nothers:x:2001:bob\nodd:x:many:alice\n');
});
afterEach(() => rm(rootfs, { recursive: true, force: true }));

const user = (more: Partial<UserRequest>): Promise<unknown> => containerUser({ rootfs, imageUser: '', pod: undefined, container: undefined, ...more });

test.each<[Partial<UserRequest>, object]>([
  [{}, { uid: 0, gid: 0, additionalGids: [0] }],
  [{ imageUser: 'alice' }, { uid: 1000, gid: 1001, additionalGids: [1001, 2000] }],
  [{ imageUser: '1000:5' }, { uid: 1000, gid: 1001, additionalGids: [1001, 2000] }],
  [{ imageUser: '77' }, { uid: 77, gid: 0, additionalGids: [0] }],
  [{ imageUser: 'alice', pod: { runAsUser: 5 }, container: { runAsUser: 6, runAsGroup: 7 } }, { uid: 6, gid: 7, additionalGids: [7] }],
  [{ imageUser: 'alice', pod: { runAsGroup: 9, fsGroup: 10, supplementalGroups: [11, 10] } }, { uid: 1000, gid: 9, additionalGids: [9, 2000, 10, 11] }],
  [{ imageUser: 'alice', pod: { supplementalGroupsPolicy: 'Strict', supplementalGroups: [11] } }, { uid: 1000, gid: 1001, additionalGids: [1001, 11] }],
])('%j', async (request, expected) => {
  expect(await user(request)).toEqual(expected);
});

test('names and numbers that cannot be', async () => {
  await expect(user({ imageUser: 'eve' })).rejects.toThrow('unable to find user eve: no matching entries in passwd file');
  await expect(user({ imageUser: '4294967296' })).rejects.toThrow('0 to 2147483647');
});

test('links of the image stay inside of it, cycles end, what is no file is empty', async () => {
  await symlink('../../../../../../etc', `${rootfs}/up`);
  await symlink('/etc/passwd', `${rootfs}/absolute`);
  await symlink('b', `${rootfs}/a`);
  await symlink('a', `${rootfs}/b`);
  expect(await resolveInRoot(rootfs, '/up/passwd')).toBe(`${rootfs}/etc/passwd`);
  expect(await resolveInRoot(rootfs, 'absolute')).toBe(`${rootfs}/etc/passwd`);
  expect(await resolveInRoot(rootfs, '/not/../there')).toBe(`${rootfs}/there`);
  await expect(resolveInRoot(rootfs, '/a/x')).rejects.toThrow('too many levels of symbolic links');
  expect(await readInRoot(rootfs, '/absolute', 9)).toBe('# comment');
  expect(await readInRoot(rootfs, '/etc', 9)).toBe('');
  expect(await readInRoot(rootfs, '/dev/null', 9)).toBe('');
});
