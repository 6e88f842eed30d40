import { jest } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRegistry } from '../../scripts/lib/registry.mjs';
import { kube, startExecutable } from '../harness/executable.js';
import { schemaErrors } from '../harness/json-schema.js';
import { BUSYBOX, NGINX, testImages } from '../harness/native.js';

jest.setTimeout(120_000);

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kube-images-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const image = (...args: readonly string[]) => kube(['image', ...args, '--data-dir', dataDir, '-o', 'json']);
const json = (text: string): unknown => JSON.parse(text);

test('images are imported, listed, removed and pruned without a cluster; every answer fits its schema', async () => {
  const files = await testImages();
  const imported = await image('import', files['busybox']!.docker, files['nginx']!.oci);
  expect(imported).toMatchObject({ code: 0 });
  expect(schemaErrors('image-import', json(imported.stdout))).toEqual([]);
  const listed = json((await image('list')).stdout) as { readonly images: readonly { readonly names: readonly string[] }[] };
  expect(schemaErrors('image-list', listed)).toEqual([]);
  expect(listed.images.flatMap(({ names }) => names)).toEqual(expect.arrayContaining([BUSYBOX, NGINX]));
  const plan = json((await image('prune', '--dry-run')).stdout);
  expect(schemaErrors('image-prune', plan)).toEqual([]);
  expect(plan).toMatchObject({ dryRun: true, removed: expect.arrayContaining([expect.objectContaining({ names: expect.arrayContaining([NGINX]) })]) });
  const removed = await image('remove', NGINX, 'kube.test/absent:1');
  expect(removed.code).toBe(1);
  expect(schemaErrors('image-remove', json(removed.stdout))).toEqual([]);
  expect(json(removed.stdout)).toMatchObject({ missing: ['kube.test/absent:1'] });
  expect(json((await image('prune')).stdout)).toMatchObject({ dryRun: false, removed: [expect.objectContaining({ names: expect.arrayContaining([BUSYBOX]) })] });
  expect(json((await image('list')).stdout)).toEqual({ images: [] });
});

test('images are pulled with credentials from a configuration file; progress is a line of JSON for each step', async () => {
  const registry = await startRegistry({ auth: 'basic' });
  try {
    const files = await testImages();
    await registry.push(files['busybox']!.oci, 'team/busybox:1');
    const name = `${registry.host}/team/busybox:1`;
    const refused = await image('pull', name);
    expect(refused.code).toBe(1);
    expect(json(refused.stdout.trim().split('\n').at(-1)!)).toMatchObject({ event: 'error', message: expect.stringMatching(/unauthorized|authentication|credentials/i) });
    const config = join(dataDir, 'registries.yaml');
    await writeFile(config, JSON.stringify({ registries: { [registry.host]: { auth: { username: 'kube', password: 'secret' } } } }));
    const pulled = await image('pull', name, '--registry-config', config);
    const lines = pulled.stdout.trim().split('\n').map(json);
    expect({ code: pulled.code, stderr: pulled.stderr }).toEqual({ code: 0, stderr: '' });
    for (const line of lines) expect(schemaErrors('image-pull', line)).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ event: 'pulled', images: [{ image: name, ref: expect.stringMatching(/@sha256:/) }] });
    expect(lines.length).toBeGreaterThan(3);
  } finally {
    await registry.stop();
  }
});

test('a file that is no archive, and one that is absent, are clear errors', async () => {
  const file = join(dataDir, 'junk.tar');
  await writeFile(file, 'this is no archive');
  for (const path of [file, join(dataDir, 'absent.tar')]) {
    const { code, stderr } = await image('import', path);
    expect(code).toBe(1);
    expect(stderr).toContain(path);
  }
});

test('node list says what nodes there are', async () => {
  const cluster = await startExecutable(['--simulated-nodes', '2']);
  try {
    const list = json((await kube(['node', 'list', '--data-dir', cluster.dataDir, '-o', 'json'])).stdout);
    expect(schemaErrors('node-list', list)).toEqual([]);
    expect(list).toMatchObject({ nodes: [{ name: 'node-1', ready: true, schedulable: true, pods: 0 }, { name: 'node-2', ready: true }] });
    expect((await kube(['node', 'list', '--data-dir', cluster.dataDir])).stdout).toMatch(/^NAME +READY/);
  } finally {
    await cluster.remove();
  }
  expect((await kube(['node', 'list', '--data-dir', cluster.dataDir])).stderr).toContain('no cluster runs in');
});
