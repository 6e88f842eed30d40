import { mkdir, rename, rm } from 'node:fs/promises';
import { errorCode } from '../../../base/errors.js';
import type { Holds } from './holds.js';
import type { Layers } from './layers.js';
import { layerFolder, type Layout } from './layout.js';
import type { Leases } from './leases.js';
import type { Records } from './records.js';

/**
 * Removes layers that nobody needs. Other processes may begin to need one at any moment; they say so in a lease before they look
 * whether it is there. So a layer is first moved away, then the leases are read again, and it is moved back when somebody needs it.
 */
export class Sweeper {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly layout: Layout, private readonly layers: Layers, private readonly records: Records, private readonly holds: Holds, private readonly leases: Leases) {}

  /** Resolves with the number of removed layers. */
  sweep(): Promise<number> {
    const next = this.last.then(() => this.run());
    this.last = next.catch(() => undefined);
    return next;
  }

  private async run(): Promise<number> {
    const needed = await this.needed();
    const candidates = (await this.layers.list()).filter((name) => !needed.has(name));
    let removed = 0;
    for (const name of candidates) if (await this.removeUnlessNeeded(name)) removed++;
    return removed;
  }

  private async removeUnlessNeeded(name: string): Promise<boolean> {
    const away = this.layout.temporary();
    await mkdir(away, { mode: 0o700 });
    try {
      await rename(this.layout.in('layers', name), `${away}/layer`);
    } catch (error) {
      await rm(away, { recursive: true, force: true });
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
    if ((await this.needed()).has(name)) {
      const back = await rename(`${away}/layer`, this.layout.in('layers', name)).then(() => true, () => false);
      await rm(away, { recursive: true, force: true });
      return !back;
    }
    await rm(away, { recursive: true, force: true });
    return true;
  }

  private async needed(): Promise<ReadonlySet<string>> {
    const chains = new Set<string>(await this.leases.chains());
    for (const hold of await this.holds.list()) for (const chain of hold.chains) chains.add(chain);
    for (const image of (await this.records.read(true)).images.values()) for (const chain of image.chains) chains.add(chain);
    return new Set([...chains].map(layerFolder));
  }
}
