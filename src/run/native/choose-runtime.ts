import { KubeError } from '../../base/errors.js';
import type { NodeSettings } from '../options.js';
import { hostFacts, nativeObstacle } from './capability.js';

/** How pods run, and why when it is not what one would expect. */
export interface RuntimeChoice {
  readonly runtime: 'native' | 'sim';
  readonly reason?: string;
}

/** `auto` takes native containers where the host allows them. Throws `KUBE_NATIVE` when they were asked for and it does not. */
export async function chooseRuntime(wanted: NodeSettings['containerRuntime'], environment: NodeJS.ProcessEnv = process.env): Promise<RuntimeChoice> {
  if (wanted === 'sim') return { runtime: 'sim' };
  const obstacle = await nativeObstacle(hostFacts(environment));
  if (!obstacle) return { runtime: 'native' };
  if (wanted === 'native') throw new KubeError('KUBE_NATIVE', obstacle);
  return { runtime: 'sim', reason: obstacle };
}
