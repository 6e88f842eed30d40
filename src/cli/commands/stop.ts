import { loadStop } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { dataDirectory, duration, print } from '../output.js';

/** `kube stop`. */
export async function stop(input: CommandInput): Promise<number> {
  const stopCluster = await loadStop();
  const result = await stopCluster(dataDirectory(input), duration('timeout', input.flags.timeout), input.flags['keep-pods'] ? { keepPods: true } : {});
  print(input, result, ({ pid, dataDir }) => (pid === null ? `no cluster runs in ${dataDir}` : `stopped (pid ${pid})`));
  return 0;
}
