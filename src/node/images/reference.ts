import { isDigest } from './digest.js';
import { ImageError } from './image-error.js';

/** A parsed and normalised name of an image. */
export interface ImageReference {
  /** Registry, with port if there is one: `docker.io`, `localhost:5000`. */
  readonly domain: string;
  /** Repository inside of the registry: `library/busybox`. */
  readonly path: string;
  /** `domain/path`. */
  readonly repository: string;
  /** `latest` when the name has neither tag nor digest; undefined when it has a digest, which then decides alone. */
  readonly tag?: string;
  readonly digest?: string;
  /** The whole name in its full form: `docker.io/library/busybox:1.36`, `docker.io/library/busybox@sha256:…`. */
  readonly name: string;
}

const DEFAULT_DOMAIN = 'docker.io';
const LEGACY_DOMAIN = 'index.docker.io';
const LABEL = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const PATH = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const LONGEST_REPOSITORY = 255;

/**
 * Parses a name as people write it, with the defaults of Docker's references (registry `docker.io`, `library/` there, tag `latest`).
 * Throws `KUBE_IMAGE_NAME` with the kubelet's wording.
 */
export function parseReference(text: string): ImageReference {
  const invalid = (why: string): ImageError => new ImageError('KUBE_IMAGE_NAME', `couldn't parse image name "${text}": ${why}`);
  if (/^[a-f0-9]{64}$/.test(text)) throw invalid(`invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`);
  const { domain, rest } = splitDomain(text);
  const at = rest.indexOf('@');
  const digest = at < 0 ? undefined : rest.slice(at + 1);
  const named = at < 0 ? rest : rest.slice(0, at);
  const colon = named.lastIndexOf(':');
  const tagged = colon > named.lastIndexOf('/') ? colon : -1;
  const path = tagged < 0 ? named : named.slice(0, tagged);
  const tag = tagged < 0 ? undefined : named.slice(tagged + 1);
  if (path.toLowerCase() !== path && PATH.test(path.toLowerCase())) throw invalid(`invalid reference format: repository name (${path}) must be lowercase`);
  if (!DOMAIN.test(domain) || !PATH.test(path) || (tag !== undefined && !TAG.test(tag)) || (digest !== undefined && !DIGEST.test(digest))) throw invalid('invalid reference format');
  const repository = `${domain}/${path}`;
  if (repository.length > LONGEST_REPOSITORY) throw invalid(`repository name must not be more than ${LONGEST_REPOSITORY} characters`);
  if (digest !== undefined) {
    if (!isDigest(digest)) throw invalid(/^sha(?:256|384|512):/.test(digest) ? 'invalid checksum digest length' : 'unsupported digest algorithm');
    return { domain, path, repository, digest, name: `${repository}@${digest}` };
  }
  const withTag = tag ?? 'latest';
  return { domain, path, repository, tag: withTag, name: `${repository}:${withTag}` };
}

function splitDomain(text: string): { readonly domain: string; readonly rest: string } {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(0, slash));
  const named = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  const domain = !named || first === LEGACY_DOMAIN ? DEFAULT_DOMAIN : first;
  const rest = named ? text.slice(slash + 1) : text;
  return { domain, rest: domain === DEFAULT_DOMAIN && !rest.includes('/') && rest !== '' ? `library/${rest}` : rest };
}
