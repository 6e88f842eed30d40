import { posix } from 'node:path';
import { sha256 } from '../digest.js';
import { refused } from '../image-error.js';
import type { ImageLimits } from '../limits.js';
import { DOCKER, parseConfig } from '../oci.js';
import type { Archive } from './archive.js';
import type { ArchivedImage } from './archived-image.js';

/** The images of an archive as `docker save` writes it. */
export async function readDockerArchive(archive: Archive, limits: ImageLimits): Promise<readonly ArchivedImage[]> {
  const images: ArchivedImage[] = [];
  const list = parseList(await archive.read('manifest.json', limits.manifestBytes));
  for (const [i, entry] of list.entries()) {
    const what = `manifest.json[${i}]`;
    if (!isText(entry.Config)) throw refused(`${what}.Config must name a file`);
    if (!Array.isArray(entry.Layers) || !entry.Layers.every(isText)) throw refused(`${what}.Layers must be a list of files`);
    const bytes = await archive.read(entry.Config, limits.configBytes);
    const id = sha256(bytes);
    const named = /^([0-9a-f]{64})(?:\.json)?$/.exec(posix.basename(entry.Config));
    if (named && `sha256:${named[1]}` !== id) throw refused(`configuration ${entry.Config} in the archive has the wrong digest: it is ${id}`);
    const config = parseConfig(bytes, `configuration ${entry.Config} in the archive`, limits);
    if (config.diffIds.length !== entry.Layers.length) throw refused(`${what} has ${entry.Layers.length} layers, but its configuration has ${config.diffIds.length}`);
    const layers = entry.Layers.map((file) => {
      const size = archive.size(file);
      if (size === undefined) throw refused(`${what}.Layers: the archive has no ${file}`);
      return { file, size };
    });
    // There is no manifest of a registry's form in such an archive; this is the one that it would have with plain layers.
    const manifest = JSON.stringify({
      schemaVersion: 2, mediaType: DOCKER.manifest, config: { mediaType: DOCKER.config, size: bytes.length, digest: id },
      layers: layers.map(({ size }, at) => ({ mediaType: DOCKER.layer, size, digest: config.diffIds[at] })),
    });
    images.push({
      names: Array.isArray(entry.RepoTags) ? entry.RepoTags.filter(isText) : [], id, digest: sha256(manifest), config, layers,
      sizeBytes: Buffer.byteLength(manifest) + bytes.length + layers.reduce((sum, { size }) => sum + size, 0),
    });
  }
  return images;
}

function parseList(bytes: Buffer): readonly { readonly Config?: unknown; readonly RepoTags?: unknown; readonly Layers?: unknown }[] {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw refused(`manifest.json in the archive is not JSON: ${(error as Error).message}`, error);
  }
  if (!Array.isArray(json) || !json.every((item) => typeof item === 'object' && item !== null)) throw refused('manifest.json in the archive must be a list of images');
  return json as readonly object[];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
