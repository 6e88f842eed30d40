export { createScheduler } from './scheduler.js';
export type { SchedulerEnvironment } from './environment.js';
export type { PostJson } from './extender.js';
export type * from './options.js';
