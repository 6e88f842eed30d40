import { verifyDigest } from '../digest.js';
import { refused } from '../image-error.js';
import type { ImageLimits } from '../limits.js';
import { parseConfig, parseManifest, type Descriptor } from '../oci.js';
import { platformRank } from '../platform.js';
import type { Archive } from './archive.js';
import type { ArchivedImage } from './archived-image.js';

const MAX_INDEXES = 3;

/** An image's name in full (containerd), and the specification's, which may be only a tag. */
const FULL_NAME = 'io.containerd.image.name';
const REF_NAME = 'org.opencontainers.image.ref.name';

/**
 * The images of an OCI image layout: for each entry of its index all that are in the archive for Linux, whatever the processor; those
 * for other platforms may be missing.
 */
export async function readOciLayout(archive: Archive, limits: ImageLimits): Promise<readonly ArchivedImage[]> {
  const index = parseManifest(await archive.read('index.json', limits.manifestBytes), 'index.json in the archive', limits);
  if (index.kind !== 'index') throw refused('index.json in the archive must be an index');
  const images: ArchivedImage[] = [];
  for (const entry of index.manifests) {
    for (const found of await descend(archive, entry, limits, 0)) images.push({ ...found, names: namesOf(entry), digest: entry.digest });
  }
  return images;
}

/** File of a blob. */
export function blobFile(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

async function descend(archive: Archive, descriptor: Descriptor, limits: ImageLimits, indexes: number): Promise<readonly Omit<ArchivedImage, 'names' | 'digest'>[]> {
  const what = `manifest ${descriptor.digest} in the archive`;
  const bytes = await readBlob(archive, descriptor, limits.manifestBytes, what);
  const manifest = parseManifest(bytes, what, limits);
  if (manifest.kind === 'index') {
    if (indexes >= MAX_INDEXES) throw refused(`${what}: more than ${MAX_INDEXES} indexes point to one another`);
    const found: Omit<ArchivedImage, 'names' | 'digest'>[] = [];
    for (const entry of manifest.manifests) {
      if (entry.platform && entry.platform.os !== 'linux') continue;
      if (!archive.has(blobFile(entry.digest))) continue;
      found.push(...(await descend(archive, entry, limits, indexes + 1)));
    }
    return found;
  }
  const config = parseConfig(await readBlob(archive, manifest.config, limits.configBytes, `configuration ${manifest.config.digest} in the archive`), `configuration ${manifest.config.digest} in the archive`, limits);
  // Something else than an image for Linux, such as an attestation.
  if (platformRank(config.platform, config.platform.architecture) === undefined && config.platform.os !== 'linux') return [];
  if (config.diffIds.length !== manifest.layers.length) throw refused(`${what}: it has ${manifest.layers.length} layers, but its configuration has ${config.diffIds.length}`);
  return [{
    id: manifest.config.digest, config, layers: manifest.layers.map(({ digest, size }) => ({ file: blobFile(digest), size, digest })),
    sizeBytes: bytes.length + manifest.config.size + manifest.layers.reduce((sum, { size }) => sum + size, 0),
  }];
}

async function readBlob(archive: Archive, { digest, size }: Descriptor, limit: number, what: string): Promise<Buffer> {
  const bytes = await archive.read(blobFile(digest), limit);
  if (bytes.length !== size) throw refused(`${what} has ${bytes.length} bytes, not ${size}`);
  verifyDigest(bytes, digest, what);
  return bytes;
}

function namesOf({ annotations }: Descriptor): readonly string[] {
  const full = annotations[FULL_NAME];
  if (full) return [full];
  const ref = annotations[REF_NAME];
  return ref && /[:/]/.test(ref) ? [ref] : [];
}
