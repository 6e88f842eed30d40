export type * from './store.js';
export { MemoryStore } from './memory/memory-store.js';
export { LevelDbStore } from './leveldb/leveldb-store.js';
export { FailingStore } from './failing/failing-store.js';
export { openEtcdStore } from './etcd/open.js';
export type { EtcdLocation, EtcdOptions } from './etcd/options.js';
