import { chmod, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { sleep, type Clock } from '../../base/clock.js';
import { KubeError, errorCode, errorMessage } from '../../base/errors.js';
import type { Random } from '../../base/random.js';
import { parseKubeconfig, renderKubeconfig, type Kubeconfig } from './kubeconfig.js';

/** Reads a kubeconfig; undefined when the file does not exist. Errors: `KUBE_KUBECONFIG_INVALID`, `KUBE_KUBECONFIG_UNREADABLE`. */
export async function readKubeconfigFile(file: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new KubeError('KUBE_KUBECONFIG_UNREADABLE', `cannot read the kubeconfig ${file}: ${errorMessage(error)}`, { cause: error });
  }
  return parseKubeconfig(text, file);
}

const LOCK_TRIES = 20;
const LOCK_WAIT_MILLISECONDS = 100;

/**
 * Changes a kubeconfig in place: what `change` makes of the present content (empty when there is no file) is written to a
 * new file with mode 0600 that takes the old one's place at once. Holds `<file>.lock` meanwhile, as kubectl does; `KUBE_KUBECONFIG_LOCKED`
 * when somebody else keeps it for two seconds. A file that cannot be parsed is left alone and reported.
 */
export async function updateKubeconfigFile(file: string, change: (existing: Kubeconfig) => Kubeconfig, tools: { readonly clock: Clock; readonly random: Random }): Promise<void> {
  const target = await realpath(file).catch(() => path.resolve(file));
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const unlock = await lock(`${target}.lock`, tools.clock);
  const temporary = `${target}.${tools.random.suffix(6)}.tmp`;
  try {
    const text = renderKubeconfig(change((await readKubeconfigFile(target)) ?? {}));
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(temporary, 0o600);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    if (error instanceof KubeError) throw error;
    throw new KubeError('KUBE_KUBECONFIG_UNWRITABLE', `cannot write the kubeconfig ${file}: ${errorMessage(error)}`, { cause: error });
  } finally {
    await unlock();
  }
}

async function lock(file: string, clock: Clock): Promise<() => Promise<void>> {
  for (let attempt = 1; ; attempt++) {
    try {
      await (await open(file, 'wx', 0o600)).close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw new KubeError('KUBE_KUBECONFIG_UNWRITABLE', `cannot create ${file}: ${errorMessage(error)}`, { cause: error });
      if (attempt >= LOCK_TRIES) throw new KubeError('KUBE_KUBECONFIG_LOCKED', `${file} exists: another program is changing the kubeconfig; remove the file if none is`);
    }
    await sleep(clock, LOCK_WAIT_MILLISECONDS);
  }
}
