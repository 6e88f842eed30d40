import type { NodeRuntime } from '../runtime.js';
import { NativeRuntime } from './native-runtime.js';
import type { NativeRuntimeOptions, NativeRuntimeParts } from './world.js';

export { listHostObjects, removeHostObjects, type HostObject } from './host-objects.js';
export { appArmorEnabled } from './spec/host-facts.js';
export type { NativeRuntimeOptions, NativeRuntimeParts } from './world.js';

/** A runtime of real containers on this host. `containers.start()` is to be called first; it starts the pod network too, with the sandboxes that still live. */
export function createNativeRuntime(options: NativeRuntimeOptions, parts: NativeRuntimeParts): NodeRuntime {
  return { containers: new NativeRuntime(options, parts), images: parts.images };
}
