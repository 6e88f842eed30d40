import { readdir, readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Clock } from '../../../base/clock.js';
import { sleep } from '../../../base/clock.js';
import { errorMessage } from '../../../base/errors.js';
import { exists } from '../../../base/files.js';
import type { Logger } from '../../../base/log.js';
import type { Commands } from '../../../base/process/commands.js';
import type { NodeHost } from '../../host.js';
import { openCgroups, type Cgroups } from './cgroups/cgroups.js';
import { mountTable, mountsBelow } from './mount-table.js';
import { killProcess } from './sandboxes.js';

/** Something that a cluster's containers have on a host. */
export interface HostObject {
  readonly kind: 'process' | 'mount' | 'cgroup' | 'file';
  /** `<pid> <program>`, or a path; of control groups below every controller. */
  readonly name: string;
}

const CGROUP_ROOT = '/sys/fs/cgroup';
/** Programs that are ours when their arguments name a cluster's run folder. */
const OUR_PROGRAMS = new Set(['conmon', 'runc', 'kube-start']);
/** Ends of processes are waited for so often, and so long each time, in milliseconds. */
const LOOKS = 50;
const LOOK = 100;

/**
 * Everything that containers of a cluster have on the host: processes, mounts, control groups, and the run and state folders as a whole. Found by
 * the cluster's names alone, also when its folders are gone. Changes nothing.
 */
export async function listHostObjects(host: NodeHost, cgroupRoot = CGROUP_ROOT): Promise<HostObject[]> {
  const cgroups = await openCgroups(cgroupRoot, killProcess);
  const [processes, mounts, groups] = await Promise.all([ourProcesses(host, cgroups), ourMounts(host), groupsBelow(cgroups, host.cgroup, cgroupRoot)]);
  const files = await Promise.all([host.runFolder, host.stateFolder].map(async (path) => ((await exists(path)) ? [path] : [])));
  return [
    ...processes.map(({ pid, program }): HostObject => ({ kind: 'process', name: `${pid} ${program}` })),
    ...mounts.map((name): HostObject => ({ kind: 'mount', name })),
    ...groups.map((name): HostObject => ({ kind: 'cgroup', name })),
    ...files.flat().map((name): HostObject => ({ kind: 'file', name })),
  ];
}

/**
 * Removes what {@link listHostObjects} lists, and tells what is still there, with the reasons in the log. The state folder goes too: what other parts
 * keep in it has to be used before. No runtime of the cluster may run meanwhile. Idempotent.
 */
export async function removeHostObjects(host: NodeHost, { commands, clock, log }: { readonly commands: Commands; readonly clock: Clock; readonly log: Logger }, cgroupRoot = CGROUP_ROOT): Promise<HostObject[]> {
  const attempt = (what: string, work: Promise<unknown>): Promise<void> => work.then(() => undefined, (error: unknown) => log.warn('part of a cluster could not be removed from the host', { part: what, error: errorMessage(error) }));
  const cgroups = await openCgroups(cgroupRoot, killProcess);
  for (let look = 0; look < LOOKS; look++) {
    const processes = await ourProcesses(host, cgroups);
    if (processes.length === 0) break;
    if (look > 0) await sleep(clock, LOOK);
    await attempt('processes', killAll(processes, host, cgroups));
  }
  for (let look = 0; look < LOOKS; look++) {
    const mounts = await ourMounts(host);
    if (mounts.length === 0) break;
    if (look > 0) await sleep(clock, LOOK);
    await attempt('mounts', commands.run('umount', ['-l', ...mounts]));
  }
  await attempt('control groups', cgroups.remove(host.cgroup));
  if ((await ourMounts(host)).length === 0) for (const folder of [host.runFolder, host.stateFolder]) await attempt(folder, rm(folder, { recursive: true, force: true }));
  return listHostObjects(host, cgroupRoot);
}

interface FoundProcess {
  readonly pid: number;
  readonly program: string;
}

async function killAll(processes: readonly FoundProcess[], host: NodeHost, cgroups: Cgroups): Promise<void> {
  for (const path of await groupsBelow(cgroups, host.cgroup)) await cgroups.kill(path);
  for (const { pid } of processes) killProcess(pid);
}

/** Those in the cluster's control groups, and monitors that name its run folder. */
async function ourProcesses(host: NodeHost, cgroups: Cgroups): Promise<FoundProcess[]> {
  const grouped = new Set(await cgroups.processes(host.cgroup));
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => pid !== process.pid);
  const found = await Promise.all(pids.map(async (pid): Promise<FoundProcess[]> => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const words = line.split('\0');
    const program = basename(words[0] ?? '') || String(pid);
    // A zombie has no command line any more, and needs no killing.
    if (grouped.has(pid)) return line === '' ? [] : [{ pid, program }];
    const ours = (OUR_PROGRAMS.has(program) || words[3] === 'kube-start') && words.some((word) => word.includes(`${host.runFolder}/`));
    return ours ? [{ pid, program }] : [];
  }));
  return found.flat();
}

/** Last made first. */
async function ourMounts(host: NodeHost): Promise<string[]> {
  const table = await mountTable();
  return [...mountsBelow(table, host.runFolder), ...mountsBelow(table, host.stateFolder)];
}

/** Paths of a group and all below it, deepest first; none when it does not exist. */
async function groupsBelow(cgroups: Cgroups, path: string, root?: string): Promise<string[]> {
  const below = await Promise.all((await cgroups.children(path)).map((child) => groupsBelow(cgroups, child)));
  if (root !== undefined && below.length === 0 && !(await groupExists(root, path, cgroups))) return [];
  return [...below.flat(), path];
}

async function groupExists(root: string, path: string, cgroups: Cgroups): Promise<boolean> {
  if (cgroups.version === 2) return exists(`${root}${path}`);
  const controllers = await readdir(root).catch(() => []);
  return (await Promise.all(controllers.map((name) => exists(`${root}/${name}${path}`)))).includes(true);
}
