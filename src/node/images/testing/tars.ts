import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

/** An entry of a tar for tests: a header, and content for files. */
export type TarItem = Partial<Header> & { readonly name: string; readonly content?: string | Buffer };

/** A tar of these entries, in this order. */
export async function tarOf(items: readonly TarItem[]): Promise<Buffer> {
  const tar = pack();
  const chunks: Buffer[] = [];
  tar.on('data', (chunk) => chunks.push(chunk as Buffer));
  const done = new Promise<void>((resolve, reject) => {
    tar.on('end', () => resolve());
    tar.on('error', reject);
  });
  for (const { content, ...header } of items) {
    const whole = { mode: header.type === 'directory' ? 0o755 : 0o644, uid: 0, gid: 0, mtime: new Date(1_600_000_000_000), ...header };
    if (content !== undefined) tar.entry({ ...whole, size: Buffer.byteLength(content) }, content);
    else tar.entry(whole);
  }
  tar.finalize();
  await done;
  return Buffer.concat(chunks);
}

export function digest(bytes: Buffer | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** An image as blobs: what a registry or OCI layout holds. */
export interface TestImage {
  readonly id: string;
  readonly manifest: Buffer;
  readonly manifestDigest: string;
  readonly blobs: ReadonlyMap<string, Buffer>;
  readonly layers: readonly Buffer[];
  readonly config: Buffer;
}

export interface TestImageOptions {
  readonly architecture?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly compress?: (layer: Buffer) => Buffer;
  readonly variant?: string;
}

export function imageOf(layers: readonly Buffer[], options: TestImageOptions = {}): TestImage {
  const compress = options.compress ?? ((layer) => gzipSync(layer));
  const config = Buffer.from(JSON.stringify({
    architecture: options.architecture ?? 'amd64', ...(options.variant ? { variant: options.variant } : {}), os: 'linux', created: '2020-01-01T00:00:00Z', config: options.config ?? {},
    rootfs: { type: 'layers', diff_ids: layers.map(digest) },
  }));
  const blobs = new Map<string, Buffer>();
  const blob = (mediaType: string, bytes: Buffer): object => {
    blobs.set(digest(bytes), bytes);
    return { mediaType, digest: digest(bytes), size: bytes.length };
  };
  const manifest = Buffer.from(JSON.stringify({
    schemaVersion: 2, mediaType: 'application/vnd.oci.image.manifest.v1+json', config: blob('application/vnd.oci.image.config.v1+json', config),
    layers: layers.map((layer) => blob('application/vnd.oci.image.layer.v1.tar+gzip', compress(layer))),
  }));
  return { id: digest(config), manifest, manifestDigest: digest(manifest), blobs, layers, config };
}

/** An OCI layout of images; those of one name become an index. */
export function ociLayout(images: readonly { readonly image: TestImage; readonly name?: string; readonly platform?: string }[], change: (files: Map<string, Buffer>) => void = () => undefined): Promise<Buffer> {
  const files = new Map<string, Buffer>();
  const put = (bytes: Buffer): object => {
    files.set(`blobs/${digest(bytes).replace(':', '/')}`, bytes);
    return { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: digest(bytes), size: bytes.length };
  };
  const manifests = images.map(({ image, name, platform }) => {
    for (const bytes of image.blobs.values()) put(bytes);
    const [os, architecture] = (platform ?? '').split('/');
    return { ...put(image.manifest), ...(platform ? { platform: { os, architecture } } : {}), ...(name ? { annotations: { 'io.containerd.image.name': name } } : {}) };
  });
  files.set('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  files.set('index.json', Buffer.from(JSON.stringify({ schemaVersion: 2, manifests })));
  change(files);
  return tarOf([...files].map(([name, content]) => ({ name, content })));
}

/** A docker-archive of one image. */
export function dockerArchive(image: TestImage, names: readonly string[]): Promise<Buffer> {
  const file = `${image.id.slice(7)}.json`;
  return tarOf([
    { name: file, content: image.config },
    ...image.layers.map((content, i) => ({ name: `${i}/layer.tar`, content })),
    { name: 'manifest.json', content: JSON.stringify([{ Config: file, RepoTags: names, Layers: image.layers.map((_, i) => `${i}/layer.tar`) }]) },
  ]);
}
