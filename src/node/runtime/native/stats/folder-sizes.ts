import type { Clock } from '../../../../base/clock.js';
import type { Commands } from '../../../../base/process/commands.js';

/** A count is good for so many milliseconds, as the kubelet's. */
const FRESH = 60_000;
/** A count that takes longer is given up. */
const LIMIT = 60_000;

/** What a folder holds on its own file system. */
export interface FolderSize {
  readonly bytes: number;
  readonly inodes: number;
}

interface Known {
  readonly at: number;
  readonly size: FolderSize | undefined;
}

/** Sizes of folders, counted by `du` in another process: one at a time, and each at most once a minute. */
export class FolderSizes {
  private readonly known = new Map<string, Known>();
  private readonly running = new Map<string, Promise<FolderSize | undefined>>();
  private queue: Promise<unknown> = Promise.resolve();
  private readonly closed = new AbortController();

  constructor(private readonly commands: Commands, private readonly clock: Clock) {}

  /** The last count, at once; when it is old or missing, a new one begins. */
  latest(folder: string): FolderSize | undefined {
    const known = this.known.get(folder);
    if (!known || this.clock.monotonic() - known.at >= FRESH) void this.count(folder);
    return known?.size;
  }

  /** A count that is no older than a minute; undefined when the folder cannot be counted. */
  async measure(folder: string): Promise<FolderSize | undefined> {
    const known = this.known.get(folder);
    return known && this.clock.monotonic() - known.at < FRESH ? known.size : this.count(folder);
  }

  /** Forgets all but these. */
  retain(folders: ReadonlySet<string>): void {
    for (const folder of this.known.keys()) if (!folders.has(folder)) this.known.delete(folder);
  }

  /** Ends a count that goes on, and begins none any more. */
  close(): void {
    this.closed.abort();
  }

  private count(folder: string): Promise<FolderSize | undefined> {
    const running = this.running.get(folder);
    if (running) return running;
    const next = this.queue.then(() => this.du(folder)).catch(() => undefined).then((size) => {
      this.known.set(folder, { at: this.clock.monotonic(), size });
      this.running.delete(folder);
      return size;
    });
    this.running.set(folder, next);
    this.queue = next;
    return next;
  }

  private async du(folder: string): Promise<FolderSize | undefined> {
    if (this.closed.signal.aborted) return undefined;
    // Twice in one process: a count of blocks and one of inodes, the second from a warm cache.
    const script = 'du -sxB1 -- "$1" 2>/dev/null; du -sx --inodes -- "$1" 2>/dev/null';
    const { stdout, timedOut } = await this.commands.run('nice', ['-n', '19', 'sh', '-c', script, 'du', folder], { timeoutMilliseconds: LIMIT, signal: this.closed.signal });
    const [bytes, inodes] = stdout.toString().split('\n').map((line) => (line === '' ? NaN : Number(line.split('\t')[0])));
    return timedOut || bytes === undefined || inodes === undefined || Number.isNaN(bytes + inodes) ? undefined : { bytes, inodes };
  }
}
