import { chmod, chown, lstat, mkdir, readlink, rm, utimes } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { extract, type Header } from 'tar-stream';
import type { Logger } from '../../../base/log.js';
import type { Commands } from '../../../base/process/commands.js';
import { errorMessage } from '../../../base/errors.js';
import { DigestVerifier } from '../digest.js';
import { ImageError, refused } from '../image-error.js';
import type { ImageLimits } from '../limits.js';
import { decompressed } from './decompress.js';
import { FileWriter, isOurs, writeFile, writeHardLink, writeSymlink } from './file-writer.js';
import { components, join, LayerTree, type Attributes, type FolderNode } from './layer-tree.js';
import { copyUp } from './copy-up.js';
import { lowerView, type LowerLayer } from './lower-view.js';
import { SpecialFiles } from './special-files.js';
import { attributesOf, paxOf, xattrsOf, type TarEntry } from './tar-headers.js';

/** Files up to so many bytes are read whole and written beside others. */
const SMALL = 1024 ** 2;

/** Files with extended attributes are written by tar, from memory. */
const WITH_XATTRS = 64 * 1024 ** 2;

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
const WHITEOUT_META = '.wh..wh.';

/** What a layer is unpacked with. */
export interface ExtractOptions {
  readonly commands: Commands;
  readonly log: Logger;
  readonly limits: ImageLimits;
  /** Digest of the uncompressed tar, from the image's configuration. */
  readonly diffId: string;
  /** Layers below, the topmost first. */
  readonly lower: readonly LowerLayer[];
  readonly signal?: AbortSignal;
}

/** What came out. */
export interface ExtractedLayer {
  /** Folders that hide those below, without a leading slash. */
  readonly opaque: readonly string[];
  readonly entries: number;
  /** Of the uncompressed tar. */
  readonly bytes: number;
}

/**
 * Unpacks a layer (gzip, zstd or plain tar) into an empty folder, in the form that overlayfs takes: whiteouts become character devices
 * 0/0, opaque folders carry `trusted.overlay.opaque`. Names are found as if the layers below were mounted under it. Throws
 * `KUBE_IMAGE_REFUSED` for what no image should have; the folder is the caller's to remove then.
 */
export async function extractLayer(source: AsyncIterable<Buffer>, folder: string, options: ExtractOptions): Promise<ExtractedLayer> {
  const what = `layer ${options.diffId}`;
  const verifier = new DigestVerifier(options.diffId);
  let bytes = 0;
  const { ratio, ratioFloorBytes, layerBytes } = options.limits;
  const counted = async function* (): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of decompressed(source, what, { ratio, ratioFloorBytes, maxBytes: layerBytes })) {
      options.signal?.throwIfAborted();
      verifier.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const layer = await LayerWriter.begin(folder, what, options);
  const tar = extract();
  const feeding = Readable.from(counted());
  feeding.on('error', (error) => tar.destroy(error));
  feeding.pipe(tar);
  try {
    for await (const entry of tar) await layer.entry(entry);
    verifier.verify(what);
    return { ...(await layer.finish()), bytes };
  } catch (error) {
    throw isTarError(error) ? refused(`${what} is not a proper tar archive: ${errorMessage(error)}`, error) : error;
  } finally {
    feeding.destroy();
    await layer.settle();
  }
}

/** tar-stream throws plain errors without a code. */
function isTarError(error: unknown): boolean {
  return error instanceof Error && !(error instanceof ImageError) && error.constructor === Error && !('code' in error);
}

class LayerWriter {
  private readonly files = new FileWriter();
  private readonly special: SpecialFiles;
  private entries = 0;

  private constructor(private readonly folder: string, private readonly what: string, private readonly options: ExtractOptions, private readonly tree: LayerTree) {
    this.special = new SpecialFiles(options.commands, folder);
  }

  static async begin(folder: string, what: string, options: ExtractOptions): Promise<LayerWriter> {
    return new LayerWriter(folder, what, options, new LayerTree(await lowerView(options.lower), (path) => mkdir(`${folder}/${path}`, { mode: 0o700 })));
  }

  async entry(entry: TarEntry): Promise<void> {
    const { header } = entry;
    const what = `${this.what}: entry "${header.name}"`;
    if (++this.entries > this.options.limits.layerEntries) throw refused(`${this.what} has more than ${this.options.limits.layerEntries} entries`);
    if (Object.keys(paxOf(header)).some((key) => key.startsWith('GNU.sparse.'))) throw refused(`${what}: sparse files are not supported`);
    const path = components(header.name, what);
    const name = path.at(-1);
    if (name === undefined) await this.root(header, what);
    else if (name === OPAQUE) await this.opaque(path.slice(0, -1), what);
    else if (name.startsWith(WHITEOUT)) await this.whiteout(path.slice(0, -1), name, what);
    else await this.make(entry, path, name, attributesOf(header, what), what);
    await drained(entry);
  }

  async finish(): Promise<{ readonly opaque: readonly string[]; readonly entries: number }> {
    await this.files.drain();
    const folders: FolderNode[] = [];
    const pending = [this.tree.root];
    for (let node = pending.pop(); node; node = pending.pop()) {
      folders.push(node);
      for (const name of node.deleted) if (!node.children.has(name)) await this.special.whiteout(join(node, name));
      if (node.opaque) await this.special.opaque(node.path, node.attributes);
      for (const child of node.children.values()) if (child.kind === 'folder') pending.push(child);
    }
    await this.special.flush();
    // From the inside out, after everything else: each change in a folder changes its time.
    for (let at = folders.length; at > 0; at -= 16) await Promise.all(folders.slice(Math.max(0, at - 16), at).map((node) => this.setAttributes(node)));
    return { opaque: folders.filter((node) => node.opaque).map((node) => node.path), entries: this.entries };
  }

  settle(): Promise<void> {
    return this.files.settle();
  }

  private async setAttributes(node: FolderNode): Promise<void> {
    const path = this.on(node.path);
    const { mode, mtime, uid, gid } = node.attributes;
    if (!isOurs(node.attributes) || node.opaque) await chown(path, uid, gid);
    await chmod(path, mode);
    await utimes(path, mtime, mtime);
  }

  private root(header: Header, what: string): Promise<void> {
    if (header.type !== 'directory') throw refused(`${what}: the image's root must be a folder`);
    this.tree.root.attributes = attributesOf(header, what);
    return Promise.resolve();
  }

  private async opaque(parent: readonly string[], what: string): Promise<void> {
    const found = await this.tree.find(parent, what);
    if (!found) return;
    const node = await this.tree.materialise(found.steps);
    this.tree.hide(node);
  }

  private async whiteout(parent: readonly string[], name: string, what: string): Promise<void> {
    // Book-keeping of aufs, which means nothing here.
    if (name.startsWith(WHITEOUT_META)) return;
    const hidden = name.slice(WHITEOUT.length);
    if (hidden === '' || hidden === '.' || hidden === '..') throw refused(`${what}: it deletes "${hidden}", which is no name`);
    const found = await this.tree.find(parent, what);
    const below = await found?.lower?.child(hidden);
    // overlayfs shows a whiteout that hides nothing, so there must be none.
    if (!found || !below) return;
    const node = await this.tree.materialise(found.steps);
    node.deleted.add(hidden);
    const child = node.children.get(hidden);
    if (child?.kind === 'folder') this.tree.hide(child);
  }

  private async make(entry: TarEntry, path: readonly string[], name: string, attributes: Attributes, what: string): Promise<void> {
    const { header } = entry;
    const parent = await this.tree.enter(path.slice(0, -1), what);
    const file = this.on(join(parent, name));
    const existing = parent.children.get(name);
    if (header.type === 'directory') {
      if (existing?.kind === 'folder') existing.attributes = attributes;
      else {
        await this.replace(parent, name);
        await this.tree.add(parent, name, attributes);
      }
      return;
    }
    const source = header.type === 'link' ? await this.linkSource(header, what) : undefined;
    if (source === file) return;
    await this.replace(parent, name);
    switch (header.type) {
      case 'file':
      case 'contiguous-file':
        parent.children.set(name, { kind: 'file' });
        return this.file(entry, join(parent, name), attributes, what);
      case 'symlink': {
        const target = header.linkname ?? '';
        if (target === '' || target.includes('\0') || Buffer.byteLength(target) > 4095) throw refused(`${what}: its target is empty, too long, or holds a NUL character`);
        parent.children.set(name, { kind: 'link', target });
        return writeSymlink(file, target, attributes);
      }
      case 'link': {
        const stats = await lstat(source!);
        await writeHardLink(source!, file);
        parent.children.set(name, stats.isSymbolicLink() ? { kind: 'link', target: await readlink(source!) } : { kind: 'file' });
        return;
      }
      case 'fifo':
        parent.children.set(name, { kind: 'file' });
        return this.special.fifo(join(parent, name), attributes);
      case 'character-device':
      case 'block-device':
        throw refused(`${what}: devices are not allowed in images`);
      default:
        throw refused(`${what}: entries of its type are not supported`);
    }
  }

  private async file(entry: TarEntry, path: string, attributes: Attributes, what: string): Promise<void> {
    const { size = 0 } = entry.header;
    const xattrs = xattrsOf(entry.header);
    if (xattrs.lost.length > 0) this.options.log.warn('extended attributes of a file in an image cannot be kept', { file: path, attributes: xattrs.lost, layer: this.options.diffId });
    if (size <= SMALL || (xattrs.kept && size <= WITH_XATTRS)) {
      const content: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) content.push(chunk);
      if (!xattrs.kept) return this.files.write(this.on(path), content, size, attributes);
      return this.special.file(path, attributes, Buffer.concat(content), xattrs.kept);
    }
    if (xattrs.kept) this.options.log.warn('extended attributes of a large file in an image cannot be kept', { file: what });
    return writeFile(this.on(path), entry as AsyncIterable<Buffer>, attributes);
  }

  /** The file that a hard link shares; one of the layers below is copied first. */
  private async linkSource(header: Header, what: string): Promise<string> {
    const path = components(header.linkname ?? '', `${what}: its target "${header.linkname}"`);
    const name = path.at(-1);
    const found = name === undefined ? undefined : await this.tree.find(path.slice(0, -1), what);
    const node = name === undefined ? undefined : found?.node?.children.get(name);
    const below = node || name === undefined || found?.node?.deleted.has(name) ? undefined : await found?.lower?.child(name);
    if (!found || name === undefined || (!node && !below)) throw refused(`${what}: it is a hard link to "${header.linkname}", which does not exist before it`);
    if (node?.kind === 'folder' || below?.isFolder) throw refused(`${what}: it is a hard link to a folder`);
    await this.files.drain();
    await this.special.flush();
    const parent = await this.tree.materialise(found.steps);
    const file = this.on(join(parent, name));
    if (below) parent.children.set(name, await copyUp(below, file, what));
    return file;
  }

  /** A later entry takes the place of an earlier one. */
  private async replace(parent: FolderNode, name: string): Promise<void> {
    const existing = parent.children.get(name);
    if (!existing) return;
    await this.files.drain();
    await this.special.flush();
    await rm(this.on(join(parent, name)), { recursive: existing.kind === 'folder', force: true });
    parent.children.delete(name);
  }

  private on(path: string): string {
    return path === '' ? this.folder : `${this.folder}/${path}`;
  }
}

/** What nobody read of an entry has to be read before the next one comes. */
async function drained(entry: TarEntry): Promise<void> {
  if (entry.destroyed) return;
  for await (const chunk of entry as AsyncIterable<Buffer>) void chunk;
}
