import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { identifyProcess } from '../../../base/process/alive.js';
import { makeFolder } from '../../../base/files.js';
import type { Random } from '../../../base/random.js';
import { hexOf } from '../digest.js';

/** Digits of a layer's folder: short, since overlayfs' options have to name all layers of an image in one page. The whole digest is in its description. */
const LAYER_DIGITS = 24;

/**
 * Where things are in a store. Several processes use one store without a lock: whatever becomes visible is renamed into place as a
 * whole, and who makes or keeps something says so in a file.
 *
 * ```
 * images/<id>.json        what an image is (its configuration, its layers)
 * names/<hash>.json       one name (tag or digest) and its image
 * layers/<chain>/fs       an unpacked layer, in overlayfs' form
 * layers/<chain>/layer.json, synced
 * holds/<container>.json  a container and the layers that it needs
 * leases/<process>.<n>    layers that a pull or import counts on
 * tmp/<process>.<n>       unfinished work; <process> is the pid and start time
 * generation              changes with every change of images and names
 * empty                   the layer of an image that has none
 * ```
 */
export class Layout {
  private constructor(readonly folder: string, private readonly owner: string, private readonly random: Random) {}

  static async open(folder: string, random: Random): Promise<Layout> {
    const self = await identifyProcess(process.pid);
    const layout = new Layout(folder, `${process.pid}.${self?.startTicks ?? '0'}`, random);
    await makeFolder(folder);
    for (const name of ['images', 'names', 'layers', 'holds', 'leases', 'tmp']) await makeFolder(layout.in(name));
    await mkdir(layout.empty, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return layout;
  }

  get empty(): string {
    return this.in('empty');
  }

  get generation(): string {
    return this.in('generation');
  }

  in(...names: readonly string[]): string {
    return [this.folder, ...names].join('/');
  }

  image(id: string): string {
    return this.in('images', `${hexOf(id)}.json`);
  }

  name(name: string): string {
    return this.in('names', `${createHash('sha256').update(name).digest('hex')}.json`);
  }

  layer(chainId: string): string {
    return this.in('layers', layerFolder(chainId));
  }

  hold(containerId: string): string {
    return this.in('holds', `${encodeURIComponent(containerId)}.json`);
  }

  /** A new path for unfinished work of this process. */
  temporary(): string {
    return this.in('tmp', this.ownName());
  }

  /** A new path for a lease of this process. */
  lease(): string {
    return this.in('leases', this.ownName());
  }

  private ownName(): string {
    return `${this.owner}.${this.random.bytes(8).toString('hex')}`;
  }
}

/** Name of a layer's folder. */
export function layerFolder(chainId: string): string {
  return hexOf(chainId).slice(0, LAYER_DIGITS);
}

/** The process that made something in `tmp` or `leases`; undefined for names that are not ours. */
export function ownerOf(name: string): { readonly pid: number; readonly startTicks: string } | undefined {
  const match = /^(\d+)\.(\d+)\.[0-9a-f]+$/.exec(name);
  return match ? { pid: Number(match[1]), startTicks: match[2]! } : undefined;
}
