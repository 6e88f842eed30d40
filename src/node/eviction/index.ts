export { ContainerCollector } from './container-collector.js';
export { EvictionManager, type Eviction } from './eviction-manager.js';
export { ImageCollector } from './image-collector.js';
export { conditionMessage } from './messages.js';
export { observations, podUsage } from './observe.js';
export { isCriticalPod } from './pod-usage.js';
export type { PressureCondition } from './signals.js';
export { createNodeGuard, type NodeGuard } from './node-guard.js';
