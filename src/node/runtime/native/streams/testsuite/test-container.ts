import { randomBytes } from 'node:crypto';
import { watch } from 'node:fs';
import { access, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenAborted } from '../../../../../base/abort.js';
import { directCommands } from '../../../../../base/process/direct.js';
import { runChecked } from '../../../../../base/process/run-checked.js';
import type { OciProcess } from '../../spec/oci.js';
import type { AttachTarget } from '../attach.js';
import type { ExecTarget } from '../exec.js';

const APPLETS = ['sh', 'cat', 'sleep', 'echo', 'stty', 'printf', 'tr', 'head', 'wc', 'setsid', 'true', 'false', 'id', 'pwd', 'env', 'seq', 'tty', 'ps', 'dd', 'test'];
const BUSYBOX = '/bin/busybox';

/** How a container for tests is made. */
export interface TestContainerOptions {
  readonly command: readonly string[];
  readonly tty?: boolean;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
}

/** A real container of busybox under runc and conmon, without the runtime around it. */
export interface TestContainer {
  readonly id: string;
  readonly logPath: string;
  readonly attach: AttachTarget;
  /** Path of its control group below each controller. */
  readonly cgroup: string;
  exec(command: readonly string[], more?: Partial<OciProcess>): ExecTarget;
  processes(): Promise<readonly number[]>;
  /** Lets its monitor begin a new log file. */
  reopenLog(): Promise<void>;
  kill(): Promise<void>;
  /** Kills and removes everything. */
  remove(): Promise<void>;
}

/** Starts one. Needs root, runc, conmon and a static busybox. */
export async function startTestContainer(options: TestContainerOptions): Promise<TestContainer> {
  const commands = directCommands();
  const id = randomBytes(16).toString('hex');
  const folder = await mkdtemp(join(tmpdir(), 'kube-container-'));
  const place = (name: string): string => join(folder, name);
  for (const name of ['rootfs/bin', 'rootfs/proc', 'rootfs/dev', 'rootfs/tmp', 'exits', 'execs', 'runc', 'sockets']) await mkdir(place(name), { recursive: true });
  await access(BUSYBOX);
  await copyFile(BUSYBOX, place('rootfs/bin/busybox'));
  for (const applet of APPLETS) await symlink('busybox', place(`rootfs/bin/${applet}`));
  const cgroup = `/kube-test-${id.slice(0, 8)}/${id}`;
  const process = (command: readonly string[], tty: boolean): OciProcess => ({
    terminal: tty, user: { uid: 0, gid: 0, additionalGids: [] }, args: command, env: ['PATH=/bin', 'TERM=xterm'], cwd: '/', noNewPrivileges: true,
    capabilities: { bounding: ['CAP_KILL'], effective: ['CAP_KILL'], permitted: ['CAP_KILL'] },
  });
  await writeFile(place('config.json'), JSON.stringify({
    ociVersion: '1.0.2', process: process(options.command, options.tty ?? false), root: { path: 'rootfs', readonly: false }, hostname: 'test',
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: [] },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
      { destination: '/dev/pts', type: 'devpts', source: 'devpts', options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620'] },
    ],
    linux: { namespaces: ['pid', 'network', 'ipc', 'uts', 'mount'].map((type) => ({ type })), cgroupsPath: cgroup, resources: {}, devices: [], maskedPaths: [], readonlyPaths: [] },
  }));
  const runc = (...args: string[]): Promise<unknown> => runChecked(commands, 'runc', [`--root=${place('runc')}`, ...args]);
  const ended = new AbortController();
  const watcher = watch(place('exits'), (_event, name) => name === id && ended.abort());
  const logPath = place('0.log');
  const conmon = [
    '--cid', id, '--cuuid', id, '--runtime', '/usr/sbin/runc', '--runtime-arg', `--root=${place('runc')}`, '--bundle', folder, '--exit-dir', place('exits'), '--full-attach', '--socket-dir-path', place('sockets'),
    '--log-path', `k8s-file:${logPath}`, '--container-pidfile', place('pid'), '--conmon-pidfile', place('conmon.pid'), '--log-level', 'error',
    ...(options.tty ? ['--terminal'] : []), ...(options.stdin ? ['--stdin'] : []), ...(options.stdin && !options.stdinOnce ? ['--leave-stdin-open'] : []),
  ];
  const word = await commands.run('sh', ['-c', '_OCI_SYNCPIPE=3 conmon "$@" 3>&1 >/dev/null | head -n 1', 'start', ...conmon]);
  if (!/"(data|pid)": \d/.test(word.stdout.toString())) throw new Error(`no container: ${word.stdout.toString()} ${word.stderr.toString()}`);
  await runc('start', id);
  const processes = async (): Promise<readonly number[]> =>
    (await readFile(`/sys/fs/cgroup/pids${cgroup}/cgroup.procs`, 'utf8').catch(() => readFile(`/sys/fs/cgroup${cgroup}/cgroup.procs`, 'utf8')).catch(() => '')).split('\n').filter((line) => line !== '').map(Number);
  return {
    id, logPath, cgroup, processes,
    attach: { logPath, bundle: folder, stdin: options.stdin ?? false, stdinOnce: options.stdinOnce ?? false, tty: options.tty ?? false, ended: ended.signal },
    exec: (command, more = {}) => ({ runc: 'runc', root: place('runc'), containerId: id, process: { ...process(command, false), ...more }, folder: place('execs'), processes }),
    reopenLog: async () => {
      await writeFile(place('ctl'), '2 0 0\n');
    },
    kill: async () => {
      await runc('kill', id, 'KILL').catch(() => undefined);
    },
    async remove() {
      await runc('delete', '--force', id);
      // Its monitor writes down the exit, and ends.
      await whenAborted(ended.signal);
      watcher.close();
      await commands.run('sh', ['-c', 'for c in /sys/fs/cgroup/*/; do rmdir "$c$1" "$c${1%/*}" 2>/dev/null; done; rmdir "/sys/fs/cgroup$1" "/sys/fs/cgroup${1%/*}" 2>/dev/null', 'clean', cgroup]);
      await commands.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
