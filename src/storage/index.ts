export type * from './store.js';
export { MemoryStore } from './memory/memory-store.js';
export { LevelDbStore } from './leveldb/leveldb-store.js';
export { FailingStore } from './failing/failing-store.js';
export { openEtcdStore, openEtcdCopyTarget } from './etcd/open.js';
export { checkNoCopyHalfDone, levelDbTarget } from './copy/leveldb-target.js';
export { copyStore, type CopyReport, type CopyTarget } from './copy/copy-store.js';
export type { EtcdLocation, EtcdOptions } from './etcd/options.js';
