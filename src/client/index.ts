export type * from './transport.js';
export type * from './client.js';
export type * from './informer.js';
