import { isDigest } from './digest.js';
import { refused } from './image-error.js';
import type { ImageConfig } from './image-store.js';
import type { ImageLimits } from './limits.js';
import { formatPlatform, platformRank, type Platform } from './platform.js';

/** A pointer to content; the OCI image specification's descriptor. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A manifest list or OCI index, or the manifest of one image. */
export type Manifest =
  | { readonly kind: 'index'; readonly manifests: readonly Descriptor[] }
  | { readonly kind: 'image'; readonly config: Descriptor; readonly layers: readonly Descriptor[] };

/** What the configuration of an image says. */
export interface ConfigDocument {
  readonly platform: Platform;
  /** Uncompressed digests of its layers, the lowest first. */
  readonly diffIds: readonly string[];
  /** When it was built, RFC 3339; empty: unknown. */
  readonly created: string;
  readonly config: ImageConfig;
}

/** Media types of Docker's image manifests, version 2 schema 2. */
export const DOCKER = {
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  list: 'application/vnd.docker.distribution.manifest.list.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
  layer: 'application/vnd.docker.image.rootfs.diff.tar',
} as const;

/** Media types of the OCI image specification. */
export const OCI = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
} as const;

/** Reads a manifest or an index. `what` names it in errors. */
export function parseManifest(bytes: Buffer, what: string, limits: ImageLimits): Manifest {
  const json = parseJson(bytes, what, limits.manifestBytes);
  if (json.schemaVersion === 1) throw refused(`${what}: Docker image manifests of version 2 schema 1 are not supported; push the image again with a current tool`);
  if (json.schemaVersion !== 2) throw refused(`${what}: schemaVersion is ${JSON.stringify(json.schemaVersion) ?? 'missing'}, not 2`);
  if (Array.isArray(json.manifests) && json.config === undefined && json.layers === undefined) {
    return { kind: 'index', manifests: json.manifests.map((entry, i) => descriptor(entry, `${what}: manifests[${i}]`)) };
  }
  if (!Array.isArray(json.layers) || json.manifests !== undefined) throw refused(`${what}: it is neither an image manifest nor an index`);
  if (json.layers.length > limits.layers) throw refused(`${what}: it has ${json.layers.length} layers; at most ${limits.layers} can be used`);
  const layers = json.layers.map((entry, i) => descriptor(entry, `${what}: layers[${i}]`));
  for (const layer of layers) {
    if (/foreign|encrypted/.test(layer.mediaType)) throw refused(`${what}: layers of type ${layer.mediaType} are not supported`);
    if (layer.size > limits.blobBytes) throw refused(`${what}: layer ${layer.digest} has ${layer.size} bytes; at most ${limits.blobBytes} are taken`);
  }
  const config = descriptor(json.config, `${what}: config`);
  if (config.size > limits.configBytes) throw refused(`${what}: its configuration has ${config.size} bytes; at most ${limits.configBytes} are taken`);
  return { kind: 'image', config, layers };
}

/** The entry of an index that fits this machine best; entries that do not say for what they are come last. Undefined: none. */
export function choosePlatform(manifests: readonly Descriptor[], architecture: string): Descriptor | undefined {
  let best: { readonly entry: Descriptor; readonly rank: number } | undefined;
  for (const entry of manifests) {
    const rank = entry.platform ? platformRank(entry.platform, architecture) : Number.MAX_SAFE_INTEGER;
    if (rank !== undefined && (!best || rank < best.rank)) best = { entry, rank };
  }
  return best?.entry;
}

/** Says which platforms there are, for an error. */
export function listPlatforms(manifests: readonly Descriptor[]): string {
  const all = manifests.flatMap((entry) => (entry.platform && entry.platform.os !== 'unknown' ? [formatPlatform(entry.platform)] : []));
  return all.length > 0 ? `only ${all.slice(0, 20).join(', ')}` : 'no platform at all';
}

/** Reads an image configuration. */
export function parseConfig(bytes: Buffer, what: string, limits: ImageLimits): ConfigDocument {
  const json = parseJson(bytes, what, limits.configBytes);
  const rootfs = record(json.rootfs);
  const diffIds = rootfs?.diff_ids ?? [];
  if (!rootfs || !Array.isArray(diffIds) || !diffIds.every(isDigest)) throw refused(`${what}: rootfs.diff_ids must be a list of digests; is it the configuration of a container image?`);
  if (diffIds.length > limits.layers) throw refused(`${what}: it has ${diffIds.length} layers; at most ${limits.layers} can be used`);
  const config = record(json.config) ?? {};
  return {
    platform: { os: text(json.os) || 'linux', architecture: text(json.architecture), ...(text(json.variant) ? { variant: text(json.variant) } : {}) },
    diffIds,
    created: text(json.created),
    config: {
      entrypoint: texts(config.Entrypoint), cmd: texts(config.Cmd), env: texts(config.Env), workingDir: text(config.WorkingDir), user: text(config.User),
      stopSignal: text(config.StopSignal), volumes: Object.keys(record(config.Volumes) ?? {}),
    },
  };
}

function descriptor(value: unknown, what: string): Descriptor {
  const json = record(value);
  if (!json) throw refused(`${what} must be an object`);
  if (!isDigest(json.digest)) throw refused(`${what}.digest must be a sha256, sha384 or sha512 digest, is ${JSON.stringify(json.digest) ?? 'missing'}`);
  if (typeof json.size !== 'number' || !Number.isSafeInteger(json.size) || json.size < 0) throw refused(`${what}.size must be a number of bytes, is ${JSON.stringify(json.size) ?? 'missing'}`);
  const platform = record(json.platform);
  return {
    mediaType: text(json.mediaType), digest: json.digest, size: json.size,
    ...(platform ? { platform: { os: text(platform.os), architecture: text(platform.architecture), ...(text(platform.variant) ? { variant: text(platform.variant) } : {}) } } : {}),
    annotations: Object.fromEntries(Object.entries(record(json.annotations) ?? {}).filter((pair): pair is [string, string] => typeof pair[1] === 'string')),
  };
}

/** Parses a JSON object of limited size. Throws `KUBE_IMAGE_REFUSED`. */
export function parseJson(bytes: Buffer, what: string, limit: number): Record<string, unknown> {
  if (bytes.length > limit) throw refused(`${what} has ${bytes.length} bytes; at most ${limit} are taken`);
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw refused(`${what} is not JSON: ${(error as Error).message}`, error);
  }
  const object = record(json);
  if (!object) throw refused(`${what} must be a JSON object`);
  return object;
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
