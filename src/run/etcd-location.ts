import { dirname, resolve } from 'node:path';
import { errorMessage, fileFailure, KubeError } from '../base/errors.js';
import { readSettingsFile } from '../base/settings-file.js';
import type { EtcdOptions } from '../storage/index.js';

/** Where etcd is, as the user says it: flags and environment, which go before what the file says. */
export interface EtcdSettings {
  /** URLs of members. */
  readonly servers?: readonly string[];
  /** YAML file with the other settings by their names here, and `passwordFile`. */
  readonly configFile?: string;
  /** Default: `/kube`. Upstream's servers use `/registry` in another form. */
  readonly prefix?: string;
  /** An earlier prefix whose objects are taken over, once. */
  readonly migrateFromPrefix?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly user?: string;
  readonly password?: string;
}

/** Everything but clock and log that opening the store needs. */
export type EtcdTarget = Omit<EtcdOptions, 'clock' | 'log'>;

const DEFAULT_PREFIX = '/kube';
const TEXTS = ['prefix', 'migrateFromPrefix', 'caFile', 'certFile', 'keyFile', 'user', 'password', 'passwordFile'] as const;
const FILES: readonly string[] = ['caFile', 'certFile', 'keyFile', 'passwordFile'];

/** Reads the files that the settings name. Throws `KUBE_ETCD_CONFIG` with the file, the field and the rule. */
export async function etcdTarget(settings: EtcdSettings): Promise<EtcdTarget> {
  const { configFile, ...given } = settings;
  const wanted = { ...(configFile === undefined ? {} : await readConfig(configFile)), ...given };
  const { servers, passwordFile } = wanted;
  if (!servers || servers.length === 0) throw invalid(configFile, 'servers', 'must name at least one member, such as https://127.0.0.1:2379');
  for (const server of servers) if (!/^https?:$/.test(URL.canParse(server) ? new URL(server).protocol : '')) throw invalid(configFile, 'servers', `${JSON.stringify(server)} is not a URL such as https://127.0.0.1:2379`);
  if ((wanted.certFile === undefined) !== (wanted.keyFile === undefined)) throw invalid(configFile, 'certFile', 'goes together with keyFile');
  const password = wanted.password ?? (passwordFile === undefined ? undefined : (await read('passwordFile', passwordFile)).toString().replace(/\r?\n$/, ''));
  if (wanted.user === undefined && password !== undefined) throw invalid(configFile, 'user', 'is missing where there is a password');
  return {
    endpoints: servers,
    prefix: wanted.prefix ?? DEFAULT_PREFIX,
    ...(wanted.migrateFromPrefix === undefined ? {} : { migrateFrom: wanted.migrateFromPrefix }),
    ...(wanted.caFile === undefined ? {} : { ca: await read('caFile', wanted.caFile) }),
    ...(wanted.certFile === undefined ? {} : { certificate: await read('certFile', wanted.certFile) }),
    ...(wanted.keyFile === undefined ? {} : { key: await read('keyFile', wanted.keyFile) }),
    ...(wanted.user === undefined ? {} : { user: wanted.user }),
    ...(password === undefined ? {} : { password }),
  };
}

async function readConfig(path: string): Promise<EtcdSettings & { readonly passwordFile?: string }> {
  const { CORE_SCHEMA, load } = await import('js-yaml');
  let value: unknown;
  try {
    value = load((await read('', path)).toString(), { schema: CORE_SCHEMA });
  } catch (error) {
    throw error instanceof KubeError ? error : invalid(path, '', errorMessage(error).split('\n')[0]!);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, '', 'must hold a mapping, with at least the list "servers"');
  const fields = value as Readonly<Record<string, unknown>>;
  const found: Record<string, string> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (name === 'servers') continue;
    if (!(TEXTS as readonly string[]).includes(name)) throw invalid(path, name, `is not one of servers, ${TEXTS.join(', ')}`);
    if (typeof field !== 'string' || field === '') throw invalid(path, name, 'must be a text');
    // Files lie beside the one that names them.
    found[name] = FILES.includes(name) ? resolve(dirname(path), field) : field;
  }
  for (const name of ['prefix', 'migrateFromPrefix']) {
    const prefix = found[name];
    if (prefix !== undefined && !/^(\/[^/\s]+)+$/.test(prefix)) throw invalid(path, name, `${JSON.stringify(prefix)} is not a path such as /kube`);
  }
  const { servers } = fields;
  if (servers === undefined) return found;
  if (!Array.isArray(servers) || servers.some((server) => typeof server !== 'string')) throw invalid(path, 'servers', 'must be a list of URLs');
  return { ...found, servers: servers as string[] };
}

async function read(field: string, path: string): Promise<Buffer> {
  try {
    return await readSettingsFile(path);
  } catch (error) {
    throw new KubeError('KUBE_ETCD_CONFIG', `etcd${field === '' ? ' configuration' : `: ${field}`}: cannot read ${path}: ${fileFailure(error)}`, { cause: error });
  }
}

function invalid(path: string | undefined, field: string, rule: string): KubeError {
  return new KubeError('KUBE_ETCD_CONFIG', `${path ?? 'etcd'}: ${field === '' ? '' : `${field} `}${rule}`);
}
