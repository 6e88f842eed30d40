import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRegistryConfig } from './registry-config.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registries-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('without a file there are only the proxies of the environment', async () => {
  expect(await readRegistryConfig(undefined, { HTTPS_PROXY: 'http://proxy:3128', no_proxy: 'localhost' })).toEqual({ proxy: { https: 'http://proxy:3128', no: 'localhost' } });
});

test('a file names registries; certificates are read beside it', async () => {
  await writeFile(join(folder, 'ca.pem'), 'PEM');
  const file = join(folder, 'registries.yaml');
  await writeFile(file, 'registries: {"r:5000": {mirrors: ["https://m"], insecure: true, caFile: ca.pem, auth: {username: u, password: p}}}\nauths: {x: {auth: dTpw}}\n');
  expect(await readRegistryConfig(file, {})).toEqual({ proxy: {}, registries: { 'r:5000': { mirrors: ['https://m'], insecure: true, ca: 'PEM', auth: { username: 'u', password: 'p' } } }, auths: { x: { auth: 'dTpw' } } });
});

test('all mistakes are told together', async () => {
  const file = join(folder, 'registries.yaml');
  await writeFile(file, 'registries: {r: {mirror: x, insecure: "yes", mirrors: 3, caFile: absent.pem}}\nother: 1\n');
  const error = await readRegistryConfig(file, {}).catch((caught: unknown) => String(caught));
  for (const text of ['other is not a setting', 'registries.r.mirror is not a setting', 'registries.r.insecure: "yes" is not true or false', 'registries.r.mirrors: 3 is not a list', 'registries.r.caFile: cannot read', 'absent.pem: there is no such file']) expect(error).toContain(text);
  await expect(readRegistryConfig(join(folder, 'absent.yaml'), {})).rejects.toThrow('cannot read the registry configuration');
});
