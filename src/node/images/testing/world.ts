import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../../base/clock.js';
import { silentLogger } from '../../../base/log.js';
import { directCommands } from '../../../base/process/direct.js';
import { runChecked } from '../../../base/process/run-checked.js';
import { SystemRandom } from '../../../base/random.js';
import { openImageStore, type ImageStoreOptions, type OpenImageStore } from '../index.js';

/** A folder with a store in it, for tests. */
export class ImageWorld {
  readonly commands = directCommands();
  private readonly opened: OpenImageStore[] = [];

  private constructor(readonly folder: string) {}

  static async make(): Promise<ImageWorld> {
    return new ImageWorld(await mkdtemp(join(tmpdir(), 'kube-images-')));
  }

  /** Opens the store; again for a second process's view. */
  async open(options: Partial<ImageStoreOptions> = {}): Promise<OpenImageStore> {
    const store = await openImageStore({
      folder: `${this.folder}/images`, commands: this.commands, clock: new SystemClock(), random: new SystemRandom(), log: silentLogger, architecture: 'x64', retry: { firstDelay: 1 }, ...options,
    });
    this.opened.push(store);
    return store;
  }

  /** Entries of a folder of the store. */
  list(name: string): Promise<string[]> {
    return readdir(`${this.folder}/images/${name}`);
  }

  /** Mounts layers with overlayfs, runs a shell script in the result (its working folder), unmounts, and resolves with what it printed. */
  async inMount(layers: readonly string[], script: string): Promise<string> {
    const [upper, work, merged] = ['upper', 'work', 'merged'].map((name) => `${this.folder}/${name}`);
    const { stdout } = await runChecked(this.commands, 'unshare', ['--mount', 'sh', '-euc', `
      mkdir -p ${upper} ${work} ${merged}
      mount -t overlay overlay -o lowerdir=${layers.join(':')},upperdir=${upper},workdir=${work} ${merged}
      cd ${merged}
      ${script}
      cd /
      umount ${merged}
    `]);
    return stdout.toString().trim();
  }

  async close(): Promise<void> {
    for (const store of this.opened) await store.close();
    await this.commands.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
