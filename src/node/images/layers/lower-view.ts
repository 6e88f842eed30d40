import type { Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { errorCode } from '../../../base/errors.js';

/** One unpacked layer, as layers above it see it. */
export interface LowerLayer {
  /** Its folder. */
  readonly folder: string;
  /** Folders (paths without a leading slash) that hide what lies below them. */
  readonly opaque: ReadonlySet<string>;
}

/** Something that the layers below show together. */
export class LowerEntry {
  private readonly children = new Map<string, LowerEntry | undefined>();

  constructor(
    /** Path in the image, without a leading slash. */
    private readonly path: string,
    /** Attributes of the topmost one. */
    readonly stats: Stats,
    /** The layers that show it: one, or for a folder all that are merged. */
    private readonly layers: readonly LowerLayer[],
  ) {}

  /** Its place on the disk. */
  get file(): string {
    return this.path === '' ? this.layers[0]!.folder : `${this.layers[0]!.folder}/${this.path}`;
  }

  get isFolder(): boolean {
    return this.stats.isDirectory();
  }

  /** Where it points; only for symbolic links. */
  target(): Promise<string> {
    return readlink(this.file);
  }

  /** What a folder shows under a name; undefined: nothing. Follows no link. */
  async child(name: string): Promise<LowerEntry | undefined> {
    if (!this.isFolder) return undefined;
    if (!this.children.has(name)) this.children.set(name, await this.find(name));
    return this.children.get(name);
  }

  private async find(name: string): Promise<LowerEntry | undefined> {
    const path = this.path === '' ? name : `${this.path}/${name}`;
    let top: Stats | undefined;
    const merged: LowerLayer[] = [];
    for (const layer of this.layers) {
      const stats = await look(`${layer.folder}/${path}`);
      if (!stats) continue;
      if (!stats.isDirectory()) {
        const whiteout = stats.isCharacterDevice() && stats.rdev === 0;
        if (!top && !whiteout) return new LowerEntry(path, stats, [layer]);
        break;
      }
      top ??= stats;
      merged.push(layer);
      if (layer.opaque.has(path)) break;
    }
    return top && new LowerEntry(path, top, merged);
  }
}

/** What the layers below (the topmost first) show together, as overlayfs would. Undefined: there are none. */
export async function lowerView(layers: readonly LowerLayer[]): Promise<LowerEntry | undefined> {
  return layers.length === 0 ? undefined : new LowerEntry('', await lstat(layers[0]!.folder), layers);
}

async function look(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
