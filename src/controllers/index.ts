export type { Controller, ControllerContext, ControllerDescriptor, ControllerOptions } from './controller.js';
export { CONTROLLERS } from './descriptors.js';
export { createControllerManager, enabledControllers, type ControllerManagerOptions } from './manager.js';
export { ensureDefaultStorageClass } from './persistent-volumes/local-path/storage-class.js';
