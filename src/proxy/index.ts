export type { ServiceProxyOptions } from './options.js';
