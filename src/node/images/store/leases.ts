import { readdir, rm } from 'node:fs/promises';
import { isAlive } from '../../../base/process/alive.js';
import { readDocument, writeDocument } from './durable.js';
import { ownerOf, type Layout } from './layout.js';

/** Says that layers are needed although no image names them yet. A lease ends with its process. */
export class Leases {
  constructor(private readonly layout: Layout) {}

  /** Keeps these layers from being swept until the returned function is called. */
  async take(chains: readonly string[]): Promise<() => Promise<void>> {
    const path = this.layout.lease();
    await writeDocument(this.layout, path, { chains });
    return () => rm(path, { force: true });
  }

  /** Layers that somebody alive counts on. */
  async chains(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const name of await readdir(this.layout.in('leases'))) {
      if (!(await ownerIsAlive(name))) continue;
      const document = (await readDocument(this.layout.in('leases', name))) as { readonly chains: readonly string[] } | undefined;
      for (const chain of document?.chains ?? []) found.add(chain);
    }
    return found;
  }
}

/** Removes what processes left behind that ended in the middle of their work. Resolves with the number of things. */
export async function collectLeftovers(layout: Layout): Promise<number> {
  let removed = 0;
  for (const folder of ['tmp', 'leases']) {
    for (const name of await readdir(layout.in(folder))) {
      if (await ownerIsAlive(name)) continue;
      await rm(layout.in(folder, name), { recursive: true, force: true });
      removed++;
    }
  }
  return removed;
}

async function ownerIsAlive(name: string): Promise<boolean> {
  const owner = ownerOf(name);
  return owner !== undefined && isAlive(owner);
}
