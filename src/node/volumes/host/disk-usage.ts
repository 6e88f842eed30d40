import type { Clock } from '../../../base/clock.js';
import type { Commands } from '../../../base/process/commands.js';

/** A pod is measured at most so often; one that takes long to measure, ten times more seldom than it takes. */
const MIN_INTERVAL = 10_000;
const INTERVAL_FACTOR = 10;
/** A measurement that takes longer is given up. */
const TIMEOUT = 60_000;

interface Measured {
  readonly at: number;
  readonly milliseconds: number;
  readonly bytes: Promise<ReadonlyMap<string, number>>;
}

/** Measures folders with `du`, one pod after the other, in a process of its own. */
export class DiskUsage {
  private readonly measured = new Map<string, Measured>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly commands: Commands,
    private readonly clock: Clock,
  ) {}

  /** Bytes on disk by name; `folders` gives each name's folder. A measurement that is young enough is used again. */
  async measure(uid: string, folders: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, number>> {
    if (folders.size === 0) return new Map();
    const known = this.measured.get(uid);
    const now = this.clock.monotonic();
    if (known && now - known.at < Math.max(MIN_INTERVAL, known.milliseconds * INTERVAL_FACTOR)) return known.bytes;
    const bytes = this.last.then(() => this.run(folders));
    this.last = bytes.catch(() => undefined);
    const entry: Measured = { at: now, milliseconds: 0, bytes };
    this.measured.set(uid, entry);
    const started = bytes.then(() => this.clock.monotonic() - now);
    started.then(
      (milliseconds) => this.measured.get(uid) === entry && this.measured.set(uid, { ...entry, milliseconds }),
      () => this.measured.get(uid) === entry && this.measured.delete(uid),
    );
    return bytes;
  }

  forget(uid: string): void {
    this.measured.delete(uid);
  }

  private async run(folders: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, number>> {
    const entries = [...folders];
    // Files that vanish while it looks are no failure; those in several folders count once, as on disk.
    const result = await this.commands.run('du', ['-s', '-x', '-0', '--block-size=1', '--', ...entries.map(([, folder]) => folder)], { timeoutMilliseconds: TIMEOUT });
    const sizes = new Map<string, number>();
    for (const line of result.stdout.toString().split('\0')) {
      const tab = line.indexOf('\t');
      if (tab > 0) sizes.set(line.slice(tab + 1), Number(line.slice(0, tab)));
    }
    return new Map(entries.map(([name, folder]) => [name, sizes.get(folder) ?? 0]));
  }
}
