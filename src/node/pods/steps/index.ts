import type { PodStep } from '../pod-run.js';
import { containersStep } from './containers.js';
import { sandboxStep } from './sandbox.js';
import { volumesStep } from './volumes.js';

/** In the order in which they are prepared. */
export const POD_STEPS: readonly PodStep[] = [volumesStep, sandboxStep, containersStep];
