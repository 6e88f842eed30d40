import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeError } from '../../../base/errors.js';
import type { Commands } from '../../../base/process/commands.js';
import { NETWORK_FAILED } from '../options.js';

/** Parameters of a call by the CNI specification. */
export interface CniCall {
  readonly command: 'ADD' | 'DEL' | 'CHECK';
  readonly containerId: string;
  /** Empty when the namespace is gone. */
  readonly netns: string;
  readonly interfaceName: string;
  /** `KEY=VALUE` joined by `;`. */
  readonly args: string;
}

const TIMEOUT_MILLISECONDS = 120_000;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Runs a plugin and gives what it wrote, undefined when that was nothing. Throws `KUBE_POD_NETWORK` with the plugin's own message, or when it is not found.
 */
export async function callPlugin(commands: Commands, folders: readonly string[], config: Readonly<Record<string, unknown>> & { readonly type: string }, call: CniCall): Promise<Readonly<Record<string, unknown>> | undefined> {
  const program = await findPlugin(config.type, folders);
  const env = { CNI_COMMAND: call.command, CNI_CONTAINERID: call.containerId, CNI_NETNS: call.netns, CNI_IFNAME: call.interfaceName, CNI_ARGS: call.args, CNI_PATH: folders.join(':'), PATH };
  const result = await commands.run(program, [], { input: JSON.stringify(config), env, timeoutMilliseconds: TIMEOUT_MILLISECONDS });
  const written = json(result.stdout.toString());
  const failed = (why: string): KubeError => new KubeError(NETWORK_FAILED, `plugin type="${config.type}" failed (${call.command.toLowerCase()}): ${why}`);
  if (result.timedOut) throw failed(`no answer within ${TIMEOUT_MILLISECONDS / 1000} s`);
  if (result.code !== 0) {
    const { msg, details } = written ?? {};
    if (typeof msg === 'string' && msg !== '') throw failed(typeof details === 'string' && details !== '' ? `${msg}; ${details}` : msg);
    throw failed(result.stderr.toString().trim() || `exit code ${result.code}`);
  }
  if (call.command === 'ADD' && !written) throw failed('its result is no JSON object');
  return written;
}

async function findPlugin(type: string, folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const path = join(folder, type);
    if (await access(path, constants.X_OK).then(() => true, () => false)) return path;
  }
  throw new KubeError(NETWORK_FAILED, `failed to find plugin ${JSON.stringify(type)} in path [${folders.join(' ')}]`);
}

function json(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
