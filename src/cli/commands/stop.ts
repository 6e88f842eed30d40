import { loadStop, type StopResult } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { dataDirectory, duration, print } from '../output.js';

/** `kube stop`. */
export async function stop(input: CommandInput): Promise<number> {
  const stopCluster = await loadStop();
  const result = await stopCluster(dataDirectory(input), duration('timeout', input.flags.timeout), input.flags['keep-pods'] ? { keepPods: true } : {});
  print(input, result, text);
  return 0;
}

function text({ pid, roles, dataDir, message }: StopResult): string {
  const ended = [...roles.map((role) => `${role.name} (pid ${role.pid})`), ...(pid === null ? [] : [roles.length > 0 ? `server (pid ${pid})` : `(pid ${pid})`])];
  return ended.length === 0 ? `no cluster runs in ${dataDir}` : `stopped ${ended.join(', ')}${message === undefined ? '' : `; ${message}`}`;
}
