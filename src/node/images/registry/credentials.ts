import type { ImageAuth } from '../../runtime/index.js';
import type { DockerAuths, RegistriesOptions, RegistryOptions } from './options.js';

/** Docker Hub under the names that configurations give it. */
const HUB = ['docker.io', 'index.docker.io', 'registry-1.docker.io'];

/** Options of a registry: its own, else those of `*`. */
export function optionsFor(host: string, { registries = {} }: RegistriesOptions): RegistryOptions {
  const names = HUB.includes(host) ? HUB : [host];
  for (const name of names) if (Object.hasOwn(registries, name)) return registries[name]!;
  return registries['*'] ?? {};
}

/** Credentials that are configured for a repository: the registry's own, else of those in `auths` the one whose key fits most of its name. */
export function credentialsFor(host: string, path: string, options: RegistriesOptions): ImageAuth | undefined {
  const own = complete(optionsFor(host, options).auth);
  if (own) return own;
  const names = HUB.includes(host) ? HUB : [host];
  let best: { readonly length: number; readonly auth: ImageAuth } | undefined;
  for (const [key, entry] of Object.entries(options.auths ?? {})) {
    const [keyHost, keyPath] = splitKey(key);
    const auth = names.includes(keyHost) && (keyPath === '' || path === keyPath || path.startsWith(`${keyPath}/`)) ? fromDocker(entry) : undefined;
    if (auth && (!best || keyPath.length > best.length)) best = { length: keyPath.length, auth };
  }
  return best?.auth;
}

/** Keys are hosts, with a repository's beginning if need be, or URLs: `https://index.docker.io/v1/`. */
function splitKey(key: string): readonly [string, string] {
  const [host = '', ...path] = key.replace(/^https?:\/\//, '').replace(/\/+$/, '').split('/');
  return [host, /^v[12]$/.test(path.join('/')) ? '' : path.join('/')];
}

function fromDocker(entry: DockerAuths[string]): ImageAuth | undefined {
  const decoded = entry.auth === undefined ? '' : Buffer.from(entry.auth, 'base64').toString('utf8').replace(/\0+$/, '');
  const colon = decoded.indexOf(':');
  return complete({
    username: entry.username ?? (colon < 0 ? '' : decoded.slice(0, colon)), password: entry.password ?? (colon < 0 ? '' : decoded.slice(colon + 1)),
    ...(entry.identitytoken ? { identityToken: entry.identitytoken } : {}), ...(entry.registrytoken ? { registryToken: entry.registrytoken } : {}),
  });
}

function complete(auth: Partial<ImageAuth> | undefined): ImageAuth | undefined {
  if (!auth || !(auth.username || auth.password || auth.identityToken || auth.registryToken)) return undefined;
  return { ...auth, username: auth.username ?? '', password: auth.password ?? '' };
}
