import { readFile } from 'node:fs/promises';
import { KubeError } from '../../../base/errors.js';
import { identifyProcess, type ProcessIdentity } from '../../../base/process/alive.js';
import { LIFE_PIPE } from './monitor-watch.js';
import { monitorsGroup, type NativeWorld } from './world.js';

/** What is started: a bundle with a `config.json`. */
export interface Launch {
  readonly id: string;
  readonly logPath: string;
  readonly tty: boolean;
  readonly stdin: boolean;
  /** Close stdin once the first client that was attached has gone. */
  readonly stdinOnce: boolean;
}

/** Processes of a container that runs; absent when they were gone before anybody looked. */
export interface Launched {
  readonly init?: ProcessIdentity;
  readonly monitor?: ProcessIdentity;
}

/**
 * Enters the monitors' control group, begins a monitor, waits for its word that the container is made, and starts that. As long as the
 * script goes on it holds a lock, and the monitor inherits the writing end of a pipe that ends with it: who finds a container half started after a crash first waits for it. The monitor keeps the pipe of
 * its word open, hence the reader in between. Its working folder is the bundle: it leaves a file there when memory runs out.
 */
const SCRIPT = `
exec 9>"$1"; flock 9
mkfifo -m 600 "$6"; exec 8<>"$6"
for file in $2; do echo $$ > "$file"; done
start=$3; id=$4; root=$5; shift 6
_OCI_SYNCPIPE=3 "$@" 3>&1 >/dev/null 9>&- | {
  exec 8>&-
  read -r line
  printf '%s\\n' "$line"
  case "$line" in '{"pid": '[0-9]*) exec "$start" "--root=$root" start "$id" ;; *) exit 1 ;; esac
}
`;

/** Name of the lock in a bundle. */
export const LAUNCH_LOCK = 'launch.lock';

/** Makes and starts a container by runc with conmon as its monitor. Rejects (`KUBE_START`) with runc's own words; what it left behind is then the caller's to remove. */
export async function launch(world: NativeWorld, { id, logPath, tty, stdin, stdinOnce }: Launch): Promise<Launched> {
  const { places, programs, commands, cgroups, host } = world;
  const bundle = places.bundle(id);
  const conmon = [
    programs.conmon, '--cid', id, '--cuuid', id, '--name', id, '--runtime', programs.runc, '--runtime-arg', `--root=${places.runc}`, '--bundle', bundle, '--exit-dir', places.exits, '--persist-dir', bundle, '--full-attach',
    '--log-path', `k8s-file:${logPath}`, '--container-pidfile', `${bundle}/pid`, '--conmon-pidfile', `${bundle}/conmon.pid`, '--log-level', 'error', '--no-sync-log',
    ...(tty ? ['--terminal'] : []), ...(stdin ? ['--stdin'] : []), ...(stdin && !stdinOnce ? ['--leave-stdin-open'] : []),
  ];
  const entrances = cgroups.entrances(monitorsGroup(host)).join(' ');
  const result = await commands.run('sh', ['-c', SCRIPT, 'kube-start', `${bundle}/${LAUNCH_LOCK}`, entrances, programs.runc, id, places.runc, LIFE_PIPE, ...conmon], { cwd: bundle });
  if (result.code !== 0) throw new KubeError('KUBE_START', startFailure(result.stdout.toString(), result.stderr.toString()));
  return launched(world, id);
}

/** The processes of a bundle, from the files that its monitor wrote. */
export async function launched({ places }: Pick<NativeWorld, 'places'>, id: string): Promise<Launched> {
  const identify = async (file: string): Promise<ProcessIdentity | undefined> => {
    const pid = Number(await readFile(`${places.bundle(id)}/${file}`, 'utf8').catch(() => '0'));
    return pid > 0 ? identifyProcess(pid) : undefined;
  };
  const [init, monitor] = await Promise.all([identify('pid'), identify('conmon.pid')]);
  return { ...(init ? { init } : {}), ...(monitor ? { monitor } : {}) };
}

/** Waits until no script starts the container any more, be it one of an earlier run of this program. */
export async function awaitLaunch({ commands, places }: Pick<NativeWorld, 'commands' | 'places'>, id: string): Promise<void> {
  await commands.run('flock', [`${places.bundle(id)}/${LAUNCH_LOCK}`, 'true'], { timeoutMilliseconds: 30_000 });
}

/** runc's message, out of its log line in the monitor's word, or whatever was said on stderr. */
export function startFailure(stdout: string, stderr: string): string {
  let said = stderr;
  try {
    const word = JSON.parse(stdout.trim().split('\n')[0] ?? '') as { readonly pid?: number; readonly message?: string };
    if ((word.pid ?? -1) < 0 && word.message) said = word.message;
  } catch {
    // No word came: stderr tells why.
  }
  const messages = [...said.matchAll(/level=(?:error|fatal) msg=("(?:[^"\\]|\\.)*")/g)].map((match) => unquote(match[1]!));
  const text = (messages.length > 0 ? messages.join('; ') : said.trim()) || 'no reason given';
  return `OCI runtime create failed: ${text}`;
}

function unquote(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}
