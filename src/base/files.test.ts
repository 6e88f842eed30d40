import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists, makeFolder } from './files.js';

test('folders are made by several callers at the same time', async () => {
  const root = await mkdtemp(join(tmpdir(), 'files-'));
  try {
    for (let round = 0; round < 20; round++) {
      const path = join(root, String(round), 'a', 'b', 'c');
      await Promise.all([makeFolder(path), makeFolder(join(path, 'd')), makeFolder(path), makeFolder(join(path, 'd', 'e'))]);
      expect(await exists(join(path, 'd', 'e'))).toBe(true);
    }
  } finally {
    await rm(root, { recursive: true });
  }
});

test('a folder that cannot be made is an error, not an endless search', async () => {
  await expect(makeFolder('/proc/kube/x')).rejects.toMatchObject({ code: 'ENOENT' });
});
