import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettingsFile } from './settings-file.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settings-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('files are read, also through links, and when they are long or empty', async () => {
  const file = join(folder, 'file');
  await symlink('file', join(folder, 'link'));
  for (const text of ['', 'token,user,1\n', 'x'.repeat(200_000)]) {
    await writeFile(file, text);
    expect((await readSettingsFile(join(folder, 'link'))).toString()).toBe(text);
  }
  await expect(readSettingsFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('folders, devices and sockets are refused', async () => {
  await expect(readSettingsFile(folder)).rejects.toThrow('it is a folder, not a file');
  for (const device of ['/dev/zero', '/dev/null']) await expect(readSettingsFile(device)).rejects.toThrow('it is a device, not a file');
  const server = createServer().listen(join(folder, 'socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  await expect(readSettingsFile(join(folder, 'socket'))).rejects.toThrow('ENXIO');
  await new Promise((resolve) => server.close(resolve));
});

test('a pipe is read to its end; one that nobody writes into does not keep the start', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await expect(readSettingsFile(pipe)).rejects.toThrow('it is a pipe into which nobody writes');
  const written = appendFile(pipe, 'y'.repeat(200_000));
  expect((await readSettingsFile(pipe)).length).toBe(200_000);
  await written;
});
