import { errorCode, errorMessage, KubeError } from '../base/errors.js';
import { checkNoCopyHalfDone, LevelDbStore, MemoryStore, openEtcdStore, type Store } from '../storage/index.js';
import type { DataDirectory } from './data-directory.js';
import type { RunEnvironment } from './environment.js';
import { etcdTarget } from './etcd-location.js';
import type { ServerSettings } from './options.js';
import { filePkiStore, keyIdentity } from './pki.js';
import { pkiFor } from './server-options.js';

/** Opens the store that the settings name. Errors are the store's own, and those of {@link etcdTarget}. */
export async function openStore(settings: ServerSettings, directory: DataDirectory, environment: RunEnvironment): Promise<Store> {
  if (settings.etcd) return openShared(settings, directory, environment);
  if (settings.store === 'memory') return new MemoryStore(environment.clock);
  await checkNoCopyHalfDone(directory.database);
  return LevelDbStore.open(directory.database, environment);
}

/** Servers with other keys would refuse each other's tokens and certificates: one that comes while another one works is told so. */
async function openShared(settings: ServerSettings, directory: DataDirectory, environment: RunEnvironment): Promise<Store> {
  const target = await etcdTarget(settings.etcd!);
  const identity = keyIdentity(await pkiFor(settings, filePkiStore(directory.pki), environment));
  try {
    return await openEtcdStore({ ...target, identity, clock: environment.clock, log: environment.log.child({ component: 'etcd' }) });
  } catch (error) {
    if (errorCode(error) !== 'KUBE_STORE_IDENTITY') throw error;
    throw new KubeError('KUBE_STORE_IDENTITY', `${errorMessage(error)}: tokens and certificates of one server would be refused by the other; copy pki/ of its data directory to ${directory.pki}, or name another --etcd-prefix`, { cause: error });
  }
}
