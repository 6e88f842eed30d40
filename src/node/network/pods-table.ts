import type { Commands } from '../../base/process/commands.js';
import { runChecked } from '../../base/process/run-checked.js';
import { KeyedQueue } from './keyed-queue.js';
import { addHostPorts, removeHostPorts, wholeTable, type PodHostPorts, type RulesetSettings, type RulesetState } from './ruleset.js';

/**
 * The pods' nftables table. Changes are transactions of a few elements, one after the other; when one fails, for instance because somebody
 * flushed the rules, the table is made anew from `state`.
 */
export class PodsTable {
  private readonly queue = new KeyedQueue();
  /** As `nft` lists it without its elements since it was made. */
  private listing: string | undefined;

  constructor(
    private readonly commands: Commands,
    private readonly settings: RulesetSettings,
    private readonly state: () => RulesetState,
  ) {}

  /** Makes the whole table as it has to be now. */
  replace(): Promise<void> {
    return this.queue.run('', () => this.apply(wholeTable(this.settings, this.state())));
  }

  /** Host ports of a pod that `state` has already. */
  add(pod: PodHostPorts): Promise<void> {
    return this.change(addHostPorts(this.settings.table, pod));
  }

  /** Host ports of a pod that `state` has no more. */
  remove(pod: PodHostPorts): Promise<void> {
    return this.change(removeHostPorts(this.settings.table, pod));
  }

  /** Makes the table anew when somebody removed it or changed its rules; resolves with whether that was so. Host ports that are gone from a table that is still there are not missed. */
  check(): Promise<boolean> {
    return this.queue.run('', async () => {
      if (this.listing === undefined || (await this.list()) === this.listing) return false;
      await this.apply(wholeTable(this.settings, this.state()));
      return true;
    });
  }

  private change(transaction: string): Promise<void> {
    return this.queue.run('', async () => {
      const result = await this.commands.run('nft', ['-f', '-'], { input: transaction });
      if (result.code !== 0) await this.apply(wholeTable(this.settings, this.state()));
    });
  }

  private async apply(text: string): Promise<void> {
    await runChecked(this.commands, 'nft', ['-f', '-'], { input: text });
    this.listing = await this.list();
  }

  /** Empty when there is none. */
  private async list(): Promise<string> {
    return (await this.commands.run('nft', ['--terse', 'list', 'table', 'ip', this.settings.table])).stdout.toString();
  }
}
