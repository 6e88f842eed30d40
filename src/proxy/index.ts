export type { ServiceProxyOptions } from './options.js';
export { createServiceProxy, type ServiceProxyEnvironment } from './service-proxy.js';
