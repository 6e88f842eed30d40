// Writes images as docker-archive and as OCI layout; the same layers give the same bytes.
import { createHash } from 'node:crypto';
import { writeFile, rename } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

const OCI_LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * An image of layers (uncompressed tars, the lowest first). `config` is that of the OCI image configuration: Entrypoint, Cmd, Env, …
 */
export function makeImage({ name, layers, config, architecture, variant }) {
  const configuration = Buffer.from(JSON.stringify({
    created: '1970-01-01T00:00:00Z', architecture, ...(variant ? { variant } : {}), os: 'linux', config,
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => `sha256:${sha256(layer)}`) },
    history: layers.map(() => ({ created: '1970-01-01T00:00:00Z', created_by: 'kube test image' })),
  }));
  return { name, layers, configuration };
}

/** Writes images as `docker save` does. */
export async function writeDockerArchive(path, images) {
  const files = new Map();
  const list = images.map(({ name, layers, configuration }) => {
    const Config = `${sha256(configuration)}.json`;
    files.set(Config, configuration);
    const Layers = layers.map((layer) => {
      const file = `${sha256(layer)}/layer.tar`;
      files.set(file, layer);
      return file;
    });
    return { Config, RepoTags: [name], Layers };
  });
  files.set('manifest.json', Buffer.from(JSON.stringify(list)));
  await writeTar(path, files);
}

/** Writes images as an OCI image layout with gzip layers. Images of the same name become one index for several machines. */
export async function writeOciArchive(path, images) {
  const files = new Map();
  const blob = (mediaType, bytes, more = {}) => {
    files.set(`blobs/sha256/${sha256(bytes)}`, bytes);
    return { mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length, ...more };
  };
  const byName = new Map();
  for (const { name, layers, configuration } of images) {
    const { architecture, variant } = JSON.parse(configuration);
    const manifest = Buffer.from(JSON.stringify({
      schemaVersion: 2, mediaType: 'application/vnd.oci.image.manifest.v1+json', config: blob('application/vnd.oci.image.config.v1+json', configuration),
      layers: layers.map((layer) => blob(OCI_LAYER, gzipSync(layer, { level: 6 }))),
    }));
    const descriptor = blob('application/vnd.oci.image.manifest.v1+json', manifest, { platform: { os: 'linux', architecture, ...(variant ? { variant } : {}) } });
    byName.set(name, [...(byName.get(name) ?? []), descriptor]);
  }
  const manifests = [...byName].map(([name, descriptors]) => {
    const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1) };
    if (descriptors.length === 1) return { ...descriptors[0], annotations };
    const index = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: descriptors }));
    return blob('application/vnd.oci.image.index.v1+json', index, { annotations });
  });
  files.set('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  files.set('index.json', Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests })));
  await writeTar(path, files);
}

async function writeTar(path, files) {
  const tar = pack();
  const chunks = [];
  tar.on('data', (chunk) => chunks.push(chunk));
  const done = new Promise((resolve, reject) => tar.on('end', resolve).on('error', reject));
  for (const name of [...files.keys()].sort()) {
    const content = files.get(name);
    tar.entry({ name, size: content.length, mode: 0o644, uid: 0, gid: 0, mtime: new Date(0) }, content);
  }
  tar.finalize();
  await done;
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, Buffer.concat(chunks));
  await rename(temporary, path);
}
