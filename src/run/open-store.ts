import { checkNoCopyHalfDone, LevelDbStore, MemoryStore, openEtcdStore, type Store } from '../storage/index.js';
import type { DataDirectory } from './data-directory.js';
import type { RunEnvironment } from './environment.js';
import { etcdTarget } from './etcd-location.js';
import type { ServerSettings } from './options.js';

/** Opens the store that the settings name. Errors are the store's own, and those of {@link etcdTarget}. */
export async function openStore(settings: Pick<ServerSettings, 'store' | 'etcd'>, directory: DataDirectory, environment: RunEnvironment): Promise<Store> {
  if (settings.etcd) return openEtcdStore({ ...(await etcdTarget(settings.etcd)), clock: environment.clock, log: environment.log.child({ component: 'etcd' }) });
  if (settings.store === 'memory') return new MemoryStore(environment.clock);
  await checkNoCopyHalfDone(directory.database);
  return LevelDbStore.open(directory.database, environment);
}
