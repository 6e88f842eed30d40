import { KubeError } from '../base/errors.js';
import { createWinstonLog } from '../base/log-winston.js';
import { directCommands } from '../base/process/direct.js';
import { openImageStore, type OpenImageStore } from '../node/index.js';
import type { DataDirectory } from './data-directory.js';
import { systemEnvironment } from './environment.js';
import { hostLayout } from './host-layout.js';
import { chooseRuntime } from './native/choose-runtime.js';
import { readRegistryConfig } from './native/registry-config.js';

/**
 * Runs `use` with the image store of a data directory. It is the store that a running node uses too, and both see each other's changes. Throws
 * `KUBE_NATIVE` on a host without native containers.
 */
export async function withImageStore<R>(directory: DataDirectory, registryConfig: string | undefined, use: (store: OpenImageStore) => Promise<R>): Promise<R> {
  await chooseRuntime('native');
  await directory.prepare();
  const { clock, random, log } = systemEnvironment(createWinstonLog({ level: 'warn' }));
  const commands = directCommands();
  const store = await openImageStore({ folder: `${hostLayout(directory).stateFolder}/images`, commands, clock, random, log, ...(await readRegistryConfig(registryConfig)) });
  try {
    return await use(store);
  } finally {
    await store.close();
    await commands.close();
  }
}

/** Images that do not exist, as an error that names them. */
export function noSuchImages(images: readonly string[]): KubeError {
  return new KubeError('KUBE_IMAGE_NOT_FOUND', `${images.length === 1 ? 'image' : 'images'} ${images.join(', ')} not found`);
}
