import { LevelDbStore, MemoryStore, type Store } from '../storage/index.js';
import type { DataDirectory } from './data-directory.js';
import type { RunEnvironment } from './environment.js';

/** Opens the store that the settings name. Errors are the store's own. */
export function openStore(kind: 'leveldb' | 'memory', directory: DataDirectory, environment: RunEnvironment): Promise<Store> {
  if (kind === 'memory') return Promise.resolve(new MemoryStore(environment.clock));
  return LevelDbStore.open(directory.database, environment);
}
