const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*';
const HOST = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `(?:${HOST}(?:\\.${HOST})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const TAG = '[\\w][\\w.-]{0,127}';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(`^(?:(${DOMAIN})/)?(${COMPONENT}(?:/${COMPONENT})*)(?::(${TAG}))?(?:@(${DIGEST}))?$`);
const KNOWN_DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;

/**
 * The tag of an image reference, `latest` when it has neither tag nor digest, and undefined when there is a digest alone
 * or the reference is none (the grammar of the distribution project).
 */
export function imageTag(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) return undefined;
  const match = REFERENCE.exec(image);
  if (!match) return undefined;
  const [, domain, path, tag, digest] = match;
  // A first part without dot, port or capitals belongs to the path; the whole name is what the limit of 255 is about.
  const name = domain === undefined ? (path!.includes('/') ? `docker.io/${path}` : `docker.io/library/${path}`) : `${domain}/${path}`;
  if (name.length > 255) return undefined;
  if (digest !== undefined && !KNOWN_DIGEST.test(digest)) return undefined;
  return tag ?? (digest === undefined ? 'latest' : undefined);
}
