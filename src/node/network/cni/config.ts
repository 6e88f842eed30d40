import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { errorCode, errorMessage, KubeError } from '../../../base/errors.js';
import { NETWORK_FAILED } from '../options.js';

/** Configuration of one plugin; what is not named here is the plugin's own. */
export type CniPluginConfig = Readonly<Record<string, unknown>> & { readonly type: string };

/** A network configuration list of the CNI specification. */
export interface CniNetwork {
  readonly cniVersion: string;
  readonly name: string;
  readonly disableCheck: boolean;
  readonly plugins: readonly CniPluginConfig[];
}

/** What a configuration without a version means (CNI specification 0.1.0 on). */
const OLDEST = '0.1.0';

/**
 * The network of a folder: its first file by name among `*.conf`, `*.conflist` and `*.json`; undefined when there is none (lists without plugins do not count).
 * Throws `KUBE_POD_NETWORK` naming a file that is wrong.
 */
export async function loadCniNetwork(folder: string): Promise<CniNetwork | undefined> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  for (const name of names.filter((item) => ['.conf', '.conflist', '.json'].includes(extname(item))).sort()) {
    const path = join(folder, name);
    const network = parseCniNetwork(await readFile(path, 'utf8'), path);
    if (network.plugins.length > 0) return network;
  }
  return undefined;
}

/** Parses a configuration list, or the configuration of a single plugin. */
export function parseCniNetwork(text: string, path: string): CniNetwork {
  const wrong = (rule: string): KubeError => new KubeError(NETWORK_FAILED, `CNI configuration ${path}: ${rule}`);
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw wrong(`not JSON: ${errorMessage(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('has to be an object');
  const { name, cniVersion = OLDEST, plugins = [value], disableCheck } = value;
  if (typeof name !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name)) throw wrong(`name: ${JSON.stringify(name)} has to begin with a letter or a digit, followed by letters, digits, "_", "." and "-"`);
  if (typeof cniVersion !== 'string' || !/^\d+\.\d+\.\d+$/.test(cniVersion)) throw wrong(`cniVersion: ${JSON.stringify(cniVersion)} has to be a version such as 1.0.0`);
  if (!Array.isArray(plugins)) throw wrong('plugins: has to be a list');
  (plugins as unknown[]).forEach((plugin, index) => {
    const type = (plugin as { type?: unknown } | null)?.type;
    if (typeof type !== 'string' || type === '' || type.includes('/')) throw wrong(`plugins[${index}].type: ${JSON.stringify(type)} has to be the name of a program`);
  });
  return { name, cniVersion, disableCheck: disableCheck === true || disableCheck === 'true', plugins: plugins as CniPluginConfig[] };
}

/** Whether a version of the specification is at least another one. */
export function atLeast(version: string, least: string): boolean {
  const [a, b] = [version, least].map((text) => text.split('.').map(Number));
  for (let i = 0; i < 3; i++) if (a![i] !== b![i]) return a![i]! > b![i]!;
  return true;
}
