import { readFile, stat, utimes, writeFile, rename } from 'node:fs/promises';
import type { Clock } from '../../../base/clock.js';
import type { Random } from '../../../base/random.js';
import type { ImageConfig } from '../image-store.js';
import type { Platform } from '../platform.js';
import { readDocuments, removeDocument, writeDocument } from './durable.js';
import type { Layout } from './layout.js';

/** An image of the store. */
export interface ImageRecord {
  /** `sha256:…` of its configuration. */
  readonly id: string;
  /** Its layers, the lowest first: chain ids of the OCI image specification. */
  readonly chains: readonly string[];
  readonly config: ImageConfig;
  readonly platform: Platform;
  /** When it was built, RFC 3339; empty: unknown. */
  readonly created: string;
  /** Manifest, configuration and layers as they were sent. */
  readonly sizeBytes: number;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
}

/** A name of an image. */
export interface NameRecord {
  /** `repository:tag` or `repository@digest`. */
  readonly name: string;
  readonly image: string;
  /** `repository@digest` that it stood for. */
  readonly ref: string;
}

/** All images and names at one moment. */
export interface Contents {
  readonly images: ReadonlyMap<string, ImageRecord>;
  readonly names: ReadonlyMap<string, NameRecord>;
  /** Names by image; digests come last. */
  readonly namesOf: ReadonlyMap<string, readonly NameRecord[]>;
}

/** The images and names of a store. Other processes change them too; the next look sees it. */
export class Records {
  private cache: { readonly generation: string; readonly contents: Contents } | undefined;

  constructor(private readonly layout: Layout, private readonly clock: Clock, private readonly random: Random) {}

  /** What is there now. */
  async read(fresh = false): Promise<Contents> {
    const generation = await readFile(this.layout.generation, 'utf8').catch(() => '');
    if (!fresh && generation !== '' && this.cache?.generation === generation) return this.cache.contents;
    const contents = await this.load();
    this.cache = { generation, contents };
    return contents;
  }

  /** Adds or replaces an image and gives it names, which other images lose. */
  async add(image: ImageRecord, names: readonly NameRecord[]): Promise<void> {
    await writeDocument(this.layout, this.layout.image(image.id), image);
    for (const name of names) await writeDocument(this.layout, this.layout.name(name.name), name);
    await this.changed();
  }

  /** Removes names first: a crash in between leaves an image without a name, which is collected later. */
  async remove(id: string): Promise<void> {
    const { names } = await this.read(true);
    for (const name of names.values()) if (name.image === id) await removeDocument(this.layout.name(name.name));
    await removeDocument(this.layout.image(id));
    await this.changed();
  }

  async removeName(name: string): Promise<void> {
    await removeDocument(this.layout.name(name));
    await this.changed();
  }

  /** An image was used just now. */
  async touch(id: string): Promise<void> {
    const seconds = this.clock.now() / 1000;
    await utimes(this.layout.image(id), seconds, seconds).catch(() => undefined);
  }

  /** When it was used last, in milliseconds since the epoch; when it was added if never. */
  async lastUsed(image: ImageRecord): Promise<number> {
    const file = await stat(this.layout.image(image.id)).catch(() => undefined);
    // utimes takes seconds: on the way the milliseconds lose a little.
    return file ? Math.round(file.mtimeMs) : image.addedAt;
  }

  /** Makes every process look again. */
  async changed(): Promise<void> {
    this.cache = undefined;
    const temporary = this.layout.temporary();
    await writeFile(temporary, this.random.bytes(12).toString('hex'));
    await rename(temporary, this.layout.generation);
  }

  private async load(): Promise<Contents> {
    const images = new Map<string, ImageRecord>();
    for (const { document } of await readDocuments(this.layout.in('images'))) if (document) images.set((document as ImageRecord).id, document as ImageRecord);
    const names = new Map<string, NameRecord>();
    const namesOf = new Map<string, NameRecord[]>();
    for (const { document } of await readDocuments(this.layout.in('names'))) {
      const record = document as NameRecord | undefined;
      if (!record || !images.has(record.image)) continue;
      names.set(record.name, record);
      const list = namesOf.get(record.image);
      if (list) list.push(record);
      else namesOf.set(record.image, [record]);
    }
    for (const list of namesOf.values()) list.sort((a, b) => Number(a.name.includes('@')) - Number(b.name.includes('@')) || (a.name < b.name ? -1 : 1));
    return { images, names, namesOf };
  }
}
