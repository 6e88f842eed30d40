export type * from './runtime.js';
export type * from './types.js';
export { RUNTIME_NOT_FOUND } from './runtime.js';
