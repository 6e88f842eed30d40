export type * from './store.js';
export { MemoryStore } from './memory/memory-store.js';
