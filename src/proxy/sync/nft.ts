import type { Commands } from '../../base/process/commands.js';
import { runChecked } from '../../base/process/run-checked.js';

const TIMEOUT_MILLISECONDS = 60_000;
const MAX_LISTING_BYTES = 256 * 1024 * 1024;

/** The program `nft`, for one table. */
export class Nft {
  constructor(private readonly commands: Commands, private readonly table: string) {}

  /** Runs a script as one transaction. Rejects (`KUBE_COMMAND`) with what nft said; then nothing of it was applied. */
  async apply(script: string): Promise<void> {
    await runChecked(this.commands, 'nft', ['-f', '-'], { input: script, timeoutMilliseconds: TIMEOUT_MILLISECONDS });
  }

  /** The table as text; undefined when there is none. */
  list(): Promise<string | undefined> {
    return this.listing(['list', 'table', 'ip', this.table]);
  }

  /** The sets of the table, without its chains and maps; some versions of nft show those of other tables too. */
  listSets(): Promise<string | undefined> {
    return this.listing(['list', 'sets', 'table', 'ip', this.table]);
  }

  private async listing(args: readonly string[]): Promise<string | undefined> {
    const { code, stdout, timedOut } = await this.commands.run('nft', args, { timeoutMilliseconds: TIMEOUT_MILLISECONDS, maxOutputBytes: MAX_LISTING_BYTES });
    return code === 0 && !timedOut ? stdout.toString('latin1') : undefined;
  }
}
