export { LOAD_BALANCER_FAILED, type CloudProvider, type LoadBalancers } from './cloud-provider.js';
export { createBuiltinCloud, type BuiltinCloudSources } from './builtin/builtin-cloud.js';
