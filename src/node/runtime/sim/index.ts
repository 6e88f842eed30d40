import type { NodeRuntime } from '../runtime.js';
import { SimImages } from './sim-images.js';
import { SimRuntime } from './sim-runtime.js';
import type { SimWorld } from './world.js';

export { SimWorld, type SimOptions } from './world.js';
export type { SimLatencies } from './behaviour.js';

/** The simulated runtime of one node. */
export function createSimRuntime(world: SimWorld): NodeRuntime {
  const images = new SimImages(world);
  return { containers: new SimRuntime(world, images), images };
}
