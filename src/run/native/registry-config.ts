import { dirname, resolve } from 'node:path';
import { CORE_SCHEMA, load } from 'js-yaml';
import { fileFailure, KubeError } from '../../base/errors.js';
import { readSettingsFile } from '../../base/settings-file.js';
import type { RegistriesOptions, RegistryOptions } from '../../node/index.js';

/** Settings of one registry in the file; paths are relative to it. */
const REGISTRY_KEYS: Readonly<Record<string, 'list' | 'boolean' | 'file' | 'text' | 'auth'>> = { mirrors: 'list', insecure: 'boolean', caFile: 'file', ca: 'text', certificateFile: 'file', keyFile: 'file', auth: 'auth' };

/**
 * What is known about image registries: the file of `--registry-config`, and the proxies of the environment. The file is YAML:
 *
 * ```yaml
 * registries:
 *   registry.example:5000: { mirrors: [https://mirror.example], insecure: false, caFile: ca.pem, auth: { username: u, password: p } }
 * auths: { registry.example: { auth: <base64 of user:password> } }   # as in Docker's config.json
 * ```
 *
 * Throws `KUBE_REGISTRY_CONFIG` with everything that is wrong in it.
 */
export async function readRegistryConfig(file: string | undefined, environment: NodeJS.ProcessEnv = process.env): Promise<RegistriesOptions> {
  const variable = (name: string): string | undefined => environment[name] ?? environment[name.toLowerCase()];
  const [http, https, no] = [variable('HTTP_PROXY'), variable('HTTPS_PROXY'), variable('NO_PROXY')];
  const proxy = { ...(http ? { http } : {}), ...(https ? { https } : {}), ...(no ? { no } : {}) };
  if (file === undefined) return { proxy };
  const mistakes: string[] = [];
  const content = await readYaml(file);
  const registries: Record<string, RegistryOptions> = {};
  for (const [key, value] of Object.entries(content)) {
    if (key !== 'registries' && key !== 'auths') mistakes.push(`${key} is not a setting`);
    else if (!isMapping(value)) mistakes.push(`${key} must be a mapping by registry`);
  }
  for (const [host, entry] of Object.entries(isMapping(content['registries']) ? content['registries'] : {})) registries[host] = await readRegistry(host, entry, dirname(file), mistakes);
  if (mistakes.length > 0) throw new KubeError('KUBE_REGISTRY_CONFIG', `${file}: ${mistakes.join('; ')}`);
  return { proxy, registries, auths: (content['auths'] ?? {}) as NonNullable<RegistriesOptions['auths']> };
}

async function readYaml(file: string): Promise<Readonly<Record<string, unknown>>> {
  let value: unknown;
  try {
    value = load(String(await readSettingsFile(file)), { schema: CORE_SCHEMA });
  } catch (error) {
    throw new KubeError('KUBE_REGISTRY_CONFIG', `cannot read the registry configuration ${file}: ${fileFailure(error).split('\n')[0]}`);
  }
  if (value === undefined || value === null) return {};
  if (!isMapping(value)) throw new KubeError('KUBE_REGISTRY_CONFIG', `${file} must hold a mapping with "registries" and "auths"`);
  return value;
}

async function readRegistry(host: string, entry: unknown, folder: string, mistakes: string[]): Promise<RegistryOptions> {
  const path = `registries.${host}`;
  if (!isMapping(entry)) {
    mistakes.push(`${path} must be a mapping`);
    return {};
  }
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry)) {
    const kind = REGISTRY_KEYS[key];
    if (kind === undefined) mistakes.push(`${path}.${key} is not a setting`);
    else if (!fits(kind, value)) mistakes.push(`${path}.${key}: ${JSON.stringify(value)} is not ${WORDS[kind]}`);
    else if (kind !== 'file') result[key] = value;
    else {
      result[key.slice(0, -'File'.length)] = await readSettingsFile(resolve(folder, value as string)).then(String, (error: unknown) => {
        mistakes.push(`${path}.${key}: cannot read ${resolve(folder, value as string)}: ${fileFailure(error)}`);
        return '';
      });
    }
  }
  return result;
}

const WORDS = { list: 'a list of addresses', boolean: 'true or false', file: 'the path of a file', text: 'a text', auth: 'a mapping with username and password' } as const;

function fits(kind: keyof typeof WORDS, value: unknown): boolean {
  if (kind === 'list') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (kind === 'boolean') return typeof value === 'boolean';
  if (kind === 'auth') return isMapping(value) && Object.values(value).every((item) => typeof item === 'string');
  return typeof value === 'string';
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
