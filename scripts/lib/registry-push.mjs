// Reads image archives into what a registry is given: blobs and manifests.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { extract } from 'tar-stream';

const digestOf = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

/** The images of an OCI layout or docker-archive: `{name, blobs: Map, manifests: [{digest, mediaType, bytes, top}]}`, manifests that others point to first. */
export async function readImages(path) {
  const files = await readTar(await readFile(path));
  const json = (name) => JSON.parse(files.get(name).toString());
  if (files.has('index.json')) return json('index.json').manifests.map((descriptor) => fromLayout(files, descriptor));
  return json('manifest.json').map((entry) => fromDocker(files, entry));
}

function fromLayout(files, top) {
  const get = (digest) => files.get(`blobs/${digest.replace(':', '/')}`);
  const blobs = new Map();
  const manifests = [];
  const visit = (descriptor, isTop) => {
    const bytes = get(descriptor.digest);
    const manifest = JSON.parse(bytes.toString());
    for (const entry of manifest.manifests ?? []) visit(entry, false);
    for (const entry of manifest.config ? [manifest.config, ...manifest.layers] : []) blobs.set(entry.digest, get(entry.digest));
    manifests.push({ digest: descriptor.digest, mediaType: descriptor.mediaType, bytes, top: isTop });
  };
  visit(top, true);
  return { name: top.annotations?.['io.containerd.image.name'] ?? 'unnamed:latest', blobs, manifests };
}

function fromDocker(files, { Config, RepoTags, Layers }) {
  const blobs = new Map();
  const blob = (mediaType, bytes) => {
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const config = blob('application/vnd.docker.container.image.v1+json', files.get(Config));
  const layers = Layers.map((name) => blob('application/vnd.docker.image.rootfs.diff.tar.gzip', gzipSync(files.get(name), { level: 1 })));
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers }));
  return { name: RepoTags[0], blobs, manifests: [{ digest: digestOf(bytes), mediaType: MANIFEST, bytes, top: true }] };
}

async function readTar(bytes) {
  const files = new Map();
  const tar = extract();
  tar.end(bytes);
  for await (const entry of tar) {
    const chunks = [];
    for await (const chunk of entry) chunks.push(chunk);
    files.set(entry.header.name, Buffer.concat(chunks));
  }
  return files;
}
