import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('src/README.md has a paragraph for every folder, and for no other', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const named = [...read('src/README.md').matchAll(/^- `(\w+)\/`/gm)].map((match) => match[1]!);
  expect(folders.filter((folder) => !named.includes(folder))).toEqual([]);
  // These are planned; the text says so.
  expect(named.filter((name) => !folders.includes(name)).filter((name) => !['proxy', 'dns', 'cloud'].includes(name))).toEqual([]);
});

test('every runtime dependency has its reason', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const text = read('docs/dependencies.md');
  for (const name of Object.keys(dependencies)) expect(text).toContain(name);
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
