import { readDocument, readDocuments, removeDocument, writeDocument } from './durable.js';
import type { Layout } from './layout.js';

/** A container and what it needs of an image. */
export interface Hold {
  readonly container: string;
  readonly image: string;
  readonly chains: readonly string[];
}

/** Which containers use which images. On disk, so that a prune by another process, or while the node is away, leaves their layers alone. */
export class Holds {
  constructor(private readonly layout: Layout) {}

  async add(hold: Hold): Promise<void> {
    await writeDocument(this.layout, this.layout.hold(hold.container), hold);
  }

  /** Resolves with what the container held; undefined: nothing. */
  async remove(container: string): Promise<Hold | undefined> {
    const path = this.layout.hold(container);
    const hold = (await readDocument(path)) as Hold | undefined;
    await removeDocument(path);
    return hold;
  }

  async list(): Promise<readonly Hold[]> {
    return (await readDocuments(this.layout.in('holds'))).flatMap(({ document }) => (document ? [document as Hold] : []));
  }
}
