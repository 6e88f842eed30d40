import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, KubeError } from '../../../base/errors.js';
import { COMMAND_FAILED, type Commands } from '../../../base/process/commands.js';
import { MountTable } from './mount-table.js';

/** One mount to be made; the target exists. */
export interface MountRequest {
  readonly type: 'tmpfs' | 'bind' | 'nfs' | 'overlay';
  /** A path; `server:path` of NFS; not used by tmpfs and overlay. */
  readonly source: string;
  readonly target: string;
  /** As `mount -o` takes them. */
  readonly options: readonly string[];
  /** Paths in options are relative to this folder. */
  readonly cwd?: string;
}

/** A mount that hangs (NFS of a server that is away) is given up after two minutes. */
const TIMEOUT = 120_000;
/** Unmounting waits for nothing but the file system's last writes. */
const UNMOUNT_TIMEOUT = 60_000;

/** Mounts and unmounts on the host, many with one process. */
export class Mounter {
  readonly table: MountTable;

  constructor(
    private readonly commands: Commands,
    table = new MountTable(),
  ) {
    this.table = table;
  }

  /** Tries every request, in order; the result has what went wrong at the same place, undefined where nothing did. */
  async mount(requests: readonly MountRequest[]): Promise<readonly (Error | undefined)[]> {
    if (requests.length === 0) return [];
    if (requests.length === 1) return [await this.mountOne(requests[0]!)];
    const script = `n=0; m() { out=$(cd "$1" && shift && mount "$@" 2>&1 </dev/null) || printf '\\036%s %s' "$n" "$out"; n=$((n+1)); }\n${requests.map((request) => `m ${[request.cwd ?? '/', ...mountArguments(request)].map(quote).join(' ')}`).join('\n')}\nexit 0\n`;
    const result = await this.commands.run('sh', ['-s'], { input: script, timeoutMilliseconds: TIMEOUT });
    if (result.code !== 0 || result.timedOut) return requests.map((request) => mountError(request, result.timedOut ? 'it did not end in time' : result.stderr.toString()));
    const errors = new Map<number, string>();
    for (const part of result.stdout.toString().split('\x1e').slice(1)) errors.set(Number(part.slice(0, part.indexOf(' '))), part.slice(part.indexOf(' ') + 1));
    return requests.map((request, index) => (errors.has(index) ? mountError(request, errors.get(index)!) : undefined));
  }

  /** Unmounts everything at and below a folder, the newest first. Throws `KUBE_COMMAND` when something stays; then nothing below may be removed. */
  async unmountBelow(folder: string): Promise<void> {
    // The kernel's table has paths without links.
    const real = await realpath(folder);
    const points = await this.table.below(real);
    if (points.length === 0) return;
    const result = await this.commands.run('umount', ['--no-canonicalize', '--', ...points.reverse()], { timeoutMilliseconds: UNMOUNT_TIMEOUT });
    const left = await this.table.below(real);
    if (left.length > 0) throw new KubeError(COMMAND_FAILED, `still mounted: ${left.join(', ')}: ${result.stderr.toString().trim()}`);
  }

  private async mountOne(request: MountRequest): Promise<Error | undefined> {
    const result = await this.commands.run('mount', mountArguments(request), { timeoutMilliseconds: TIMEOUT, ...(request.cwd === undefined ? {} : { cwd: request.cwd }) });
    if (result.code === 0) return undefined;
    return mountError(request, result.timedOut ? 'it did not end in time' : result.stderr.toString());
  }
}

/** Whether another file system than its folder's is mounted at a path: says nothing about bind mounts. False when there is nothing. */
export async function isFileSystemRoot(path: string): Promise<boolean> {
  try {
    const [own, parent] = await Promise.all([stat(path), stat(dirname(path))]);
    return own.dev !== parent.dev;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Whether two paths are the same file or folder: a bind mount and its source are. */
export async function isSameFile(a: string, b: string): Promise<boolean> {
  try {
    const [first, second] = await Promise.all([stat(a), stat(b)]);
    return first.dev === second.dev && first.ino === second.ino;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function mountArguments({ type, source, target, options }: MountRequest): string[] {
  const chosen = options.length > 0 ? ['-o', options.join(',')] : [];
  if (type === 'tmpfs' || type === 'overlay') return ['-n', '-t', type, ...chosen, type, target];
  if (type === 'nfs') return ['-t', 'nfs', ...chosen, source, target];
  return ['-n', '--no-canonicalize', '-o', ['bind', ...options].join(','), source, target];
}

function mountError({ type, target }: MountRequest, said: string): Error {
  return new KubeError(COMMAND_FAILED, `mount of ${type === 'bind' ? 'a folder or file' : type} at ${target} failed: ${said.trim()}`);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
