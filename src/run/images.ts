import { KubeError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { createWinstonLog } from '../base/log-winston.js';
import { directCommands } from '../base/process/direct.js';
import { openImageStore, type ListedImage, type OpenImageStore } from '../node/index.js';
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
  const store = await openImageStore({ folder: imagesFolder(directory), commands, clock, random, log, ...(await readRegistryConfig(registryConfig)) });
  try {
    return await use(store);
  } finally {
    await store.close();
    await commands.close();
  }
}

/** The images of a data directory; none, and nothing is made, where there is no store. Throws `KUBE_NATIVE` on a host without native containers. */
export async function listImages(directory: DataDirectory): Promise<readonly ListedImage[]> {
  await chooseRuntime('native');
  return (await exists(imagesFolder(directory))) ? withImageStore(directory, undefined, (store) => store.list()) : [];
}

function imagesFolder(directory: DataDirectory): string {
  return `${hostLayout(directory).stateFolder}/images`;
}

/** Images that do not exist, as an error that names them. */
export function noSuchImages(images: readonly string[]): KubeError {
  return new KubeError('KUBE_IMAGE_NOT_FOUND', `${images.length === 1 ? 'image' : 'images'} ${images.join(', ')} not found`);
}
