import { lstat, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { errorCode, errorMessage } from '../../../base/errors.js';
import type { Failpoints } from '../../../base/failpoint.js';
import { exists } from '../../../base/files.js';
import type { Logger } from '../../../base/log.js';
import type { Commands } from '../../../base/process/commands.js';
import { runChecked } from '../../../base/process/run-checked.js';
import { ImageError } from '../image-error.js';
import { extractLayer } from '../layers/extract.js';
import type { ImageLimits } from '../limits.js';
import { readDocument, syncFolder, writeDocument } from './durable.js';
import type { Layout } from './layout.js';

/** What is known of an unpacked layer. */
interface LayerRecord {
  readonly chainId: string;
  readonly diffId: string;
  readonly opaque: readonly string[];
  readonly entries: number;
  readonly bytes: number;
  /** Boot of the machine in which it was unpacked. */
  readonly boot: string;
}

/** What the layers are made with. */
export interface LayersOptions {
  readonly layout: Layout;
  readonly commands: Commands;
  readonly log: Logger;
  readonly limits: ImageLimits;
  readonly failpoints: Failpoints;
}

/** Unpacked layers, one folder for each chain of layers, shared by all images that begin with it. */
export class Layers {
  private readonly unpacking = new Map<string, Promise<void>>();
  private readonly syncing = new Set<Promise<void>>();

  constructor(private readonly options: LayersOptions) {}

  /** The folder for overlayfs. */
  folder(chainId: string): string {
    return `${this.options.layout.layer(chainId)}/fs`;
  }

  /** Whether it is there. Throws when another layer has its folder, which happens only on purpose. */
  async present(chainId: string): Promise<boolean> {
    return (await this.record(chainId)) !== undefined;
  }

  /** Runs `work`, which makes a layer, unless somebody in this process does so already. When that fails, it is tried again here. */
  async once(chainId: string, work: () => Promise<void>): Promise<void> {
    for (let other = this.unpacking.get(chainId); other; other = this.unpacking.get(chainId)) {
      try {
        return await other;
      } catch {
        if (this.unpacking.get(chainId) === other) this.unpacking.delete(chainId);
      }
    }
    const own = work();
    this.unpacking.set(chainId, own);
    try {
      await own;
    } finally {
      if (this.unpacking.get(chainId) === own) this.unpacking.delete(chainId);
    }
  }

  /** Unpacks a layer over those below it (the lowest first), which are present. */
  async unpack(chainId: string, diffId: string, below: readonly string[], source: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
    const { layout, commands, log, limits, failpoints } = this.options;
    const lower = await Promise.all([...below].reverse().map(async (chain) => {
      const record = await this.record(chain);
      if (!record) throw new ImageError('KUBE_IMAGE_STORE', `layer ${chain} disappeared while another was unpacked over it`);
      return { folder: this.folder(chain), opaque: new Set(record.opaque) };
    }));
    const temporary = layout.temporary();
    try {
      await mkdir(temporary, { mode: 0o700 });
      await mkdir(`${temporary}/fs`, { mode: 0o755 });
      const extracted = await extractLayer(source, `${temporary}/fs`, { commands, log, limits, diffId, lower, signal });
      const record: LayerRecord = { chainId, diffId, ...extracted, boot: await bootId() };
      await writeDocument(layout, `${temporary}/layer.json`, record);
      await failpoints.hit('image-layer-unpacked');
      await this.place(temporary, chainId);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }

  /** Writes layers to the disk for good, in the background. Until then they are not trusted after a crash of the machine. */
  syncSoon(chains: readonly string[]): void {
    const job: Promise<void> = this.sync(chains).catch((error: unknown) => {
      this.options.log.warn('layers could not be synced to the disk', { error: errorMessage(error) });
    }).finally(() => this.syncing.delete(job));
    this.syncing.add(job);
  }

  async settle(): Promise<void> {
    await Promise.all(this.syncing);
  }

  /** Layers that were not on the disk for certain when the machine went down. */
  async untrusted(): Promise<readonly string[]> {
    const boot = await bootId();
    const found: string[] = [];
    for (const name of await this.list()) {
      const folder = this.options.layout.in('layers', name);
      const record = (await readDocument(`${folder}/layer.json`)) as LayerRecord | undefined;
      if (record && record.boot !== boot && !(await exists(`${folder}/synced`))) found.push(name);
    }
    return found;
  }

  /** Names of all folders. */
  list(): Promise<readonly string[]> {
    return readdir(this.options.layout.in('layers'));
  }

  private async sync(chains: readonly string[]): Promise<void> {
    const { layout, commands } = this.options;
    const pending: string[] = [];
    for (const chain of chains) if (!(await exists(`${layout.layer(chain)}/synced`))) pending.push(chain);
    if (pending.length === 0) return;
    await runChecked(commands, 'sync', ['--file-system', layout.in('layers')]);
    for (const chain of pending) await writeFile(`${layout.layer(chain)}/synced`, '', { mode: 0o600 }).catch(() => undefined);
  }

  private async place(temporary: string, chainId: string): Promise<void> {
    const target = this.options.layout.layer(chainId);
    try {
      await rename(temporary, target);
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
      // Another process was faster; its layer is the same.
      if (await this.present(chainId)) return;
      const damaged = this.options.layout.temporary();
      await rename(target, damaged);
      await rename(temporary, target);
      await rm(damaged, { recursive: true, force: true });
    }
    await syncFolder(this.options.layout.in('layers'));
  }

  private async record(chainId: string): Promise<LayerRecord | undefined> {
    const path = this.options.layout.layer(chainId);
    const record = (await readDocument(`${path}/layer.json`)) as LayerRecord | undefined;
    if (!record) return undefined;
    if (record.chainId !== chainId) throw new ImageError('KUBE_IMAGE_REFUSED', `layer ${chainId} has the same folder as ${record.chainId}`);
    return (await lstat(`${path}/fs`).catch(() => undefined))?.isDirectory() ? record : undefined;
  }
}

/** Names this boot of the machine. */
async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}
