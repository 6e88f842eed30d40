import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import type { Clock } from '../../base/clock.js';
import { noFailpoints, type Failpoints } from '../../base/failpoint.js';
import type { Logger } from '../../base/log.js';
import type { Commands } from '../../base/process/commands.js';
import type { Random } from '../../base/random.js';
import type { Image, PullOptions, PullProgress } from '../runtime/index.js';
import { isDigest } from './digest.js';
import { ImageError } from './image-error.js';
import type { ImageStore, UnpackedImage } from './image-store.js';
import { importArchive, type ImportedImage, type ImportOptions } from './import/import.js';
import { DEFAULT_LIMITS, type ImageLimits } from './limits.js';
import { formatPlatform, goArchitecture } from './platform.js';
import { pullImage, type PullContext } from './pull.js';
import { parseReference } from './reference.js';
import { RegistryClient } from './registry/registry-client.js';
import type { RegistriesOptions } from './registry/options.js';
import { DEFAULT_RETRY, type RetryOptions } from './registry/retry.js';
import { SharedWork } from './shared-work.js';
import { Collector, type CollectOptions, type CollectResult, type DiskUsage, type RemovedImage } from './store/collector.js';
import { Holds } from './store/holds.js';
import { Installer } from './store/installer.js';
import { Layers } from './store/layers.js';
import { Layout } from './store/layout.js';
import { collectLeftovers, Leases } from './store/leases.js';
import { Records, type Contents, type ImageRecord, type NameRecord } from './store/records.js';
import { Sweeper } from './store/sweeper.js';

/** What a store is opened with. */
export interface ImageStoreOptions extends RegistriesOptions {
  /** `<stateFolder>/images`; made when missing. On a file system that overlayfs can use as lower layers. */
  readonly folder: string;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly limits?: Partial<ImageLimits>;
  readonly retry?: Partial<RetryOptions>;
  /** Milliseconds after which a silent connection to a registry is given up. Default 30 000. */
  readonly idleMilliseconds?: number;
  /** Node's name of the processor that images are for. Default: this machine's. */
  readonly architecture?: string;
  /** How full the disk is; default: that of the folder. */
  readonly diskUsage?: () => Promise<DiskUsage>;
  readonly failpoints?: Failpoints;
}

/** An image as `kube image list` shows it. */
export interface ListedImage extends Image {
  readonly id: string;
  /** `linux/amd64` */
  readonly platform: string;
  /** When it was built, RFC 3339; empty: unknown. */
  readonly created: string;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
  readonly lastUsedAt: number;
  readonly layers: number;
  /** Ids of the containers that use it. */
  readonly containers: readonly string[];
}

/** The image store with what the command line and the node need beside the runtime's part. */
export interface OpenImageStore extends ImageStore {
  /** Adds the images of a docker-archive or OCI layout from a file or a stream; plain, gzip or zstd. */
  import(source: string | AsyncIterable<Uint8Array>, options?: ImportOptions): Promise<readonly ImportedImage[]>;
  list(): Promise<readonly ListedImage[]>;
  /** Removes an image with all its names, by name, digest or id; resolves with it, or with undefined when there was none. Layers that a container uses stay until it is gone. */
  remove(image: string): Promise<RemovedImage | undefined>;
  /** Removes what no container uses. */
  prune(): Promise<readonly RemovedImage[]>;
  /** Removes the least recently used while the disk is too full, as the kubelet does. */
  collect(options?: CollectOptions): Promise<CollectResult>;
  /** After an adoption: forgets holds of all containers but these. */
  retainHolds(containerIds: ReadonlySet<string>): Promise<void>;
  /** Gives up pulls and waits for what still writes. */
  close(): Promise<void>;
}

/** Opens the store in a folder, which other processes may use at the same time, and removes what crashes left there. */
export async function openStore(options: ImageStoreOptions): Promise<OpenImageStore> {
  const layout = await Layout.open(options.folder, options.random);
  const store = new Store(options, layout);
  await store.recover();
  return store;
}

class Store implements OpenImageStore {
  private readonly records: Records;
  private readonly layers: Layers;
  private readonly holds: Holds;
  private readonly sweeper: Sweeper;
  private readonly collector: Collector;
  private readonly context: PullContext;
  private readonly pulls = new SharedWork<string, PullProgress>();

  constructor(private readonly options: ImageStoreOptions, private readonly layout: Layout) {
    const { clock, random, commands, log } = options;
    const failpoints = options.failpoints ?? noFailpoints;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const leases = new Leases(layout);
    this.records = new Records(layout, clock, random);
    this.holds = new Holds(layout);
    this.layers = new Layers({ layout, commands, log, limits, failpoints });
    this.sweeper = new Sweeper(layout, this.layers, this.records, this.holds, leases);
    this.collector = new Collector(layout, this.records, this.holds, this.sweeper, clock, options.diskUsage);
    this.context = {
      client: new RegistryClient({ ...options, limits, retry: { ...DEFAULT_RETRY, ...options.retry } }),
      installer: new Installer(this.layers, leases, this.records, clock, failpoints),
      records: this.records, layout, limits, architecture: goArchitecture(options.architecture ?? process.arch),
      complete: async (id) => {
        const image = (await this.records.read()).images.get(id);
        return image !== undefined && (await this.isComplete(image));
      },
    };
  }

  /** Removes leftovers of crashes of a process or of the machine. */
  async recover(): Promise<void> {
    const leftovers = await collectLeftovers(this.layout);
    if (leftovers > 0) this.options.log.info('leftovers of interrupted pulls were removed', { folder: this.layout.folder, number: leftovers });
    for (const name of await this.layers.untrusted()) {
      this.options.log.warn('layer was not on the disk when the machine went down; it is removed', { layer: name });
      const away = this.layout.temporary();
      await rename(this.layout.in('layers', name), away).catch(() => undefined);
      await rm(away, { recursive: true, force: true });
    }
    for (const image of (await this.records.read(true)).images.values()) {
      if (await this.isComplete(image)) continue;
      this.options.log.warn('image lacks layers; it is removed', { image: image.id });
      await this.records.remove(image.id);
    }
    // A crash between a change and this would hide the change from others.
    await this.records.changed();
    await this.sweeper.sweep();
  }

  pullImage(image: string, options: PullOptions = {}): Promise<string> {
    let reference;
    try {
      reference = parseReference(image);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    // Only who shows the same credentials may share what they give access to.
    const key = `${reference.name} ${createHash('sha256').update(JSON.stringify(options.auth ?? null)).digest('hex')}`;
    return this.pulls.run(key, (signal, emit) => pullImage(this.context, reference, options.auth, signal, (event) => emit({ image: reference.name, ...event })), {
      ...(options.signal ? { signal: options.signal } : {}), ...(options.progress ? { listener: options.progress } : {}),
    });
  }

  import(source: string | AsyncIterable<Uint8Array>, options: ImportOptions = {}): Promise<readonly ImportedImage[]> {
    return importArchive(this.context, source, options);
  }

  async imageStatus(image: string): Promise<Image | undefined> {
    const found = await this.find(image);
    return found && toImage(found.image, found.name, found.contents);
  }

  async listImages(): Promise<readonly Image[]> {
    const contents = await this.records.read();
    return [...contents.images.values()].map((image) => toImage(image, undefined, contents));
  }

  async list(): Promise<readonly ListedImage[]> {
    const contents = await this.records.read(true);
    const holds = await this.holds.list();
    return Promise.all([...contents.images.values()].map(async (image) => ({
      ...toImage(image, undefined, contents), id: image.id, platform: formatPlatform(image.platform), created: image.created, addedAt: image.addedAt,
      lastUsedAt: await this.records.lastUsed(image), layers: image.chains.length, containers: holds.filter((hold) => hold.image === image.id).map(({ container }) => container),
    })));
  }

  async removeImage(image: string): Promise<void> {
    await this.remove(image);
  }

  async remove(image: string): Promise<RemovedImage | undefined> {
    const found = await this.find(image, false);
    if (!found) return undefined;
    const names = (found.contents.namesOf.get(found.image.id) ?? []).map(({ name }) => name);
    await this.records.remove(found.image.id);
    await this.sweeper.sweep();
    return { id: found.image.id, names, sizeBytes: found.image.sizeBytes };
  }

  async unpacked(ref: string): Promise<UnpackedImage | undefined> {
    const found = await this.find(ref);
    if (!found) return undefined;
    const { image } = found;
    const layers = image.chains.map((chain) => this.layers.folder(chain)).reverse();
    return { id: image.id, ref: refOf(image, found.name, found.contents), config: image.config, layers: layers.length > 0 ? layers : [this.layout.empty] };
  }

  async hold(ref: string, containerId: string): Promise<void> {
    const found = await this.find(ref);
    if (!found) throw new ImageError('KUBE_IMAGE_NOT_FOUND', `image "${ref}" is not present`);
    await this.holds.add({ container: containerId, image: found.image.id, chains: found.image.chains });
    // Somebody may have removed it in between.
    if (!(await this.isComplete(found.image))) {
      await this.holds.remove(containerId);
      throw new ImageError('KUBE_IMAGE_NOT_FOUND', `image "${ref}" was removed`);
    }
    await this.records.touch(found.image.id);
  }

  async release(containerId: string): Promise<void> {
    const hold = await this.holds.remove(containerId);
    if (!hold) return;
    await this.records.touch(hold.image);
    if (!(await this.records.read()).images.has(hold.image)) await this.sweeper.sweep();
  }

  async retainHolds(containerIds: ReadonlySet<string>): Promise<void> {
    for (const { container } of await this.holds.list()) if (!containerIds.has(container)) await this.holds.remove(container);
    await this.sweeper.sweep();
  }

  prune(): Promise<readonly RemovedImage[]> {
    return this.collector.prune();
  }

  collect(options?: CollectOptions): Promise<CollectResult> {
    return this.collector.collect(options);
  }

  async close(): Promise<void> {
    await this.pulls.stop(new ImageError('KUBE_IMAGE_STORE', 'the image store is closed'));
    await this.layers.settle();
    this.context.client.close();
  }

  /** By id, name or reference with digest. What is not found in memory is looked for on the disk: another process may have added it. */
  private async find(text: string, complete = true): Promise<{ readonly image: ImageRecord; readonly name: NameRecord | undefined; readonly contents: Contents } | undefined> {
    for (const fresh of [false, true]) {
      const contents = await this.records.read(fresh);
      const name = nameIn(contents, text);
      const image = name ? contents.images.get(name.image) : contents.images.get(isDigest(text) ? text : `sha256:${text}`);
      if (image && (!complete || (await this.isComplete(image)))) return { image, name, contents };
    }
    return undefined;
  }

  private async isComplete(image: ImageRecord): Promise<boolean> {
    return (await Promise.all(image.chains.map((chain) => this.layers.present(chain)))).every(Boolean);
  }
}

function nameIn(contents: Contents, text: string): NameRecord | undefined {
  if (/^(?:sha256:)?[0-9a-f]{64}$/.test(text)) return undefined;
  try {
    return contents.names.get(parseReference(text).name);
  } catch {
    return undefined;
  }
}

function toImage(image: ImageRecord, name: NameRecord | undefined, contents: Contents): Image {
  const names = contents.namesOf.get(image.id) ?? [];
  return { id: image.id, ref: refOf(image, name, contents), names: names.map((record) => record.name), sizeBytes: image.sizeBytes, ...(image.config.user === '' ? {} : { user: image.config.user }) };
}

function refOf(image: ImageRecord, name: NameRecord | undefined, contents: Contents): string {
  return name?.ref ?? contents.namesOf.get(image.id)?.[0]?.ref ?? image.id;
}
