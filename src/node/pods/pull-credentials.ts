import type { V1Pod, V1Secret } from '../../api/generated/types.js';
import { SECRETS } from '../../api/resource-refs.js';
import type { ImageAuth } from '../runtime/index.js';
import type { References } from '../references/references.js';

/** Secrets may be rotated; a pull is rare. */
const MAX_AGE = 1000;
const DEFAULT_REGISTRY = 'docker.io';

interface Entry {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

/** What a pod's pull secrets say about a registry, and which of them could not be read. */
export interface PullCredentials {
  /** The most fitting first. */
  readonly auths: readonly ImageAuth[];
  readonly missing: readonly string[];
}

/** Reads the pod's `imagePullSecrets` for one image. */
export async function pullCredentials(pod: V1Pod, image: string, references: References): Promise<PullCredentials> {
  const found: { readonly pattern: string; readonly auth: ImageAuth }[] = [];
  const missing: string[] = [];
  for (const { name = '' } of pod.spec?.imagePullSecrets ?? []) {
    const secret = name === '' ? undefined : await references.get(SECRETS, pod.metadata?.namespace ?? '', name, MAX_AGE);
    if (!secret) {
      missing.push(name);
      continue;
    }
    for (const [pattern, entry] of Object.entries(entries(secret))) {
      const auth = readEntry(entry);
      if (auth && registryMatches(pattern, image)) found.push({ pattern, auth });
    }
  }
  // A longer pattern says more about the image.
  found.sort((a, b) => b.pattern.length - a.pattern.length);
  return { auths: found.map(({ auth }) => auth), missing };
}

function entries(secret: V1Secret): Readonly<Record<string, Entry>> {
  const read = (key: string): unknown => {
    const text = secret.data?.[key];
    if (text === undefined) return undefined;
    try {
      return JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
    } catch {
      return undefined;
    }
  };
  if (secret.type === 'kubernetes.io/dockerconfigjson') return (read('.dockerconfigjson') as { auths?: Record<string, Entry> } | undefined)?.auths ?? {};
  if (secret.type === 'kubernetes.io/dockercfg') return (read('.dockercfg') as Record<string, Entry> | undefined) ?? {};
  return {};
}

function readEntry(entry: Entry): ImageAuth | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const tokens = { ...(entry.identitytoken ? { identityToken: entry.identitytoken } : {}), ...(entry.registrytoken ? { registryToken: entry.registrytoken } : {}) };
  if (entry.username !== undefined) return { username: entry.username, password: entry.password ?? '', ...tokens };
  const decoded = Buffer.from(entry.auth ?? '', 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon >= 0) return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1), ...tokens };
  return Object.keys(tokens).length > 0 ? { username: '', password: '', ...tokens } : undefined;
}

/** Whether an entry's key (`registry.example:5000/team`, `*.example.com`, `https://index.docker.io/v1/`) is meant for an image. */
export function registryMatches(pattern: string, image: string): boolean {
  const wanted = split(normalizeKey(pattern));
  const has = split(normalizeImage(image));
  if (wanted.port !== has.port) return false;
  const [labels, own] = [wanted.host.split('.'), has.host.split('.')];
  if (labels.length !== own.length || !labels.every((label, index) => globMatches(label, own[index]!))) return false;
  return wanted.path === '' || has.path === wanted.path || has.path.startsWith(wanted.path);
}

function normalizeKey(key: string): string {
  const bare = key.replace(/^https?:\/\//, '').replace(/\/v[12]\/?$/, '').replace(/\/$/, '');
  return bare === 'index.docker.io' ? DEFAULT_REGISTRY : bare;
}

function normalizeImage(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  if (first === 'index.docker.io') return `${DEFAULT_REGISTRY}${image.slice(slash)}`;
  return first.includes('.') || first.includes(':') || first === 'localhost' ? image : `${DEFAULT_REGISTRY}/${slash < 0 ? `library/${image}` : image}`;
}

function split(text: string): { readonly host: string; readonly port: string; readonly path: string } {
  const slash = text.indexOf('/');
  const authority = slash < 0 ? text : text.slice(0, slash);
  const [host = '', port = ''] = authority.split(':');
  return { host, port, path: slash < 0 ? '' : text.slice(slash + 1) };
}

function globMatches(pattern: string, text: string): boolean {
  return new RegExp(`^${pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`).test(text);
}
