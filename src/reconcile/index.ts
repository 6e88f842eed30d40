export type * from './reconcile.js';
