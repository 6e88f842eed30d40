import { DigestVerifier } from '../digest.js';
import { ImageError, refused } from '../image-error.js';
import type { ImageLimits } from '../limits.js';
import { formatPlatform, platformRank } from '../platform.js';
import { parseReference } from '../reference.js';
import type { Installer } from '../store/installer.js';
import type { Layout } from '../store/layout.js';
import type { PullProgress } from '../../runtime/index.js';
import { Archive } from './archive.js';
import type { ArchivedImage } from './archived-image.js';
import { readDockerArchive } from './docker-archive.js';
import { readOciLayout } from './oci-layout.js';

/** How an archive is imported. */
export interface ImportOptions {
  /** Names for its only image, in place of those that the archive gives. */
  readonly names?: readonly string[];
  readonly progress?: (event: PullProgress) => void;
  readonly signal?: AbortSignal;
}

/** An image that was imported. */
export interface ImportedImage {
  readonly id: string;
  /** Reference with digest. */
  readonly ref: string;
  /** In full form: `docker.io/library/busybox:1`. */
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** What imports need. */
export interface ImportContext {
  readonly installer: Installer;
  readonly layout: Layout;
  readonly limits: ImageLimits;
  readonly architecture: string;
}

/** Adds the images of a docker-archive or OCI layout, plain or compressed. Of several architectures the right one is taken. */
export async function importArchive(context: ImportContext, source: string | AsyncIterable<Uint8Array>, options: ImportOptions): Promise<readonly ImportedImage[]> {
  const given = options.names?.map((name) => parseReference(name).name);
  const archive = await Archive.open(source, context.layout.temporary(), context.limits, options.signal);
  try {
    const chosen = choose(await readImages(archive, context.limits), context.architecture);
    if (given && chosen.length > 1) throw new ImageError('KUBE_IMAGE_REFUSED', `the archive has ${chosen.length} images (${chosen.map(({ names }) => names[0] ?? 'without a name').join(', ')}); names can be given to a single one only`);
    const imported: ImportedImage[] = [];
    for (const image of chosen) imported.push(await importOne(context, archive, given ? { ...image, names: given } : image, options));
    return imported;
  } finally {
    await archive.close();
  }
}

async function readImages(archive: Archive, limits: ImageLimits): Promise<readonly ArchivedImage[]> {
  const docker = archive.has('manifest.json');
  if (archive.has('index.json')) {
    const images = await readOciLayout(archive, limits);
    // `docker save` writes both forms; older ones leave the names out of this one.
    if (!docker || images.some(({ names }) => names.length > 0)) return images;
  }
  if (docker) return readDockerArchive(archive, limits);
  throw refused('the archive holds no images: it has neither index.json (OCI layout) nor manifest.json (docker-archive)');
}

/** Images of the same names, or of the same index, are one image for several machines. */
function choose(images: readonly ArchivedImage[], architecture: string): readonly ArchivedImage[] {
  const groups = new Map<string, ArchivedImage[]>();
  for (const image of images) {
    const key = image.names.length > 0 ? [...image.names].sort().join(' ') : image.digest;
    groups.set(key, [...(groups.get(key) ?? []), image]);
  }
  // Images without a name for several machines are alternatives too.
  const unnamed = images.filter(({ names }) => names.length === 0);
  if (unnamed.length === images.length && new Set(unnamed.map(({ config }) => formatPlatform(config.platform))).size === images.length) {
    groups.clear();
    groups.set('', [...images]);
  }
  const chosen: ArchivedImage[] = [];
  for (const group of groups.values()) {
    const ranked = group.flatMap((image) => {
      const rank = image.config.platform.architecture === '' ? Number.MAX_SAFE_INTEGER : platformRank(image.config.platform, architecture);
      return rank === undefined ? [] : [{ image, rank }];
    }).sort((a, b) => a.rank - b.rank);
    const best = ranked[0];
    if (best) chosen.push(best.image);
    else if (group[0]) throw new ImageError('KUBE_IMAGE_NOT_FOUND', `the archive has ${group[0].names[0] ?? 'an image'} for ${group.map(({ config }) => formatPlatform(config.platform)).join(', ')}, not for linux/${architecture}`);
  }
  if (chosen.length === 0) throw refused('the archive holds no image for Linux');
  return chosen;
}

async function importOne(context: ImportContext, archive: Archive, image: ArchivedImage, options: ImportOptions): Promise<ImportedImage> {
  const references = image.names.map((name) => parseReference(name));
  if (references.length === 0) throw new ImageError('KUBE_IMAGE_NAME', `the archive gives no name to image ${image.id}; say how it shall be called`);
  const ref = `${references[0]!.repository}@${image.digest}`;
  const names = new Map(references.flatMap((reference) => {
    const own = `${reference.repository}@${image.digest}`;
    if (reference.digest !== undefined && reference.digest !== image.digest) throw new ImageError('KUBE_IMAGE_NAME', `image ${image.id} cannot be called ${reference.name}: its digest is ${image.digest}`);
    return [[reference.name, { name: reference.name, image: image.id, ref: own }], [own, { name: own, image: image.id, ref: own }]] as const;
  }));
  const emit = (event: Omit<PullProgress, 'image'>): void => options.progress?.({ image: references[0]!.name, ...event });
  await context.installer.install({
    id: image.id, config: image.config, sizeBytes: image.sizeBytes, names: [...names.values()],
    layers: image.layers.map(({ file, size, digest }, i) => ({
      diffId: image.config.diffIds[i]!,
      state: (state) => emit({ digest: digest ?? image.config.diffIds[i]!, state, totalBytes: size }),
      fetch: async (signal) => {
        if (digest) await verifyBlob(archive, file, digest, signal);
        return { open: () => archive.stream(file), close: () => Promise.resolve() };
      },
    })),
  }, options.signal ?? new AbortController().signal);
  emit({ state: 'done' });
  return { id: image.id, ref, names: [...names.keys()], sizeBytes: image.sizeBytes };
}

async function verifyBlob(archive: Archive, file: string, digest: string, signal: AbortSignal): Promise<void> {
  if (!archive.has(file)) throw refused(`the archive has no ${file}`);
  const verifier = new DigestVerifier(digest);
  for await (const chunk of archive.stream(file)) {
    signal.throwIfAborted();
    verifier.update(chunk);
  }
  verifier.verify(`${file} in the archive`);
}
