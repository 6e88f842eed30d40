import { rm } from 'node:fs/promises';
import { errorMessage } from '../../../base/errors.js';
import { exists } from '../../../base/files.js';
import { isAlive } from '../../../base/process/alive.js';
import type { Containers } from './containers.js';
import type { ExitWatch } from './exit-watch.js';
import { awaitLaunch, launched } from './launch.js';
import type { MountEntry } from './mount-table.js';
import { namesIn, readRecord, writeRecord, type ContainerRecord, type SandboxRecord } from './records.js';
import { releaseBundle } from './release.js';
import { removeSandboxHost, sandboxSpaces } from './sandbox-host.js';
import type { Sandboxes } from './sandboxes.js';
import { monitorsGroup, type NativeWorld } from './world.js';

/** containerd's exit code and reason of containers whose end nobody saw. */
const UNKNOWN_EXIT = 255;
const UNKNOWN_REASON = 'Unknown';
/** Exit code of what was killed because its monitor had died. */
const KILLED_EXIT = 137;
/** Groups of containers stand at most so deep below the cluster's: class of service, pod, container. */
const GROUP_DEPTH = 3;
const ID = /^[0-9a-f]{64}$/;

/** What an earlier run's things are taken up into. */
export interface Adopting {
  readonly world: NativeWorld;
  readonly sandboxes: Sandboxes;
  readonly containers: Containers;
  readonly exits: ExitWatch;
}

/** How things were found. */
export interface Found {
  /** The run folder is still the one of that run, hence the machine was not started anew meanwhile. */
  readonly sameBoot: boolean;
  readonly mounts: readonly MountEntry[];
  /** Called once all containers are known: exits that were seen until then can be recorded now. */
  readonly takeUp: () => Promise<void>;
}

/** What was found of an earlier run. */
export interface Adopted {
  /** Sandboxes that are ready. */
  readonly live: ReadonlySet<string>;
  readonly sandboxes: number;
  readonly containers: number;
}

/**
 * Takes up what an earlier run left. Records are the truth: what has none was half made and is cleared away; what has one is compared with
 * the machine.
 */
export async function adopt({ world, sandboxes, containers, exits }: Adopting, found: Found): Promise<Adopted> {
  const { places } = world;
  const mounted = new Set(found.mounts.map((mount) => mount.path));
  const live = new Set<string>();
  const sandboxRecords = await readAll<SandboxRecord>(await namesIn(places.sandboxRecords), (name) => (name.endsWith('.json') ? `${places.sandboxRecords}/${name}` : undefined));
  for (const record of sandboxRecords) {
    const whole = found.sameBoot && record.state === 'ready' && (await exists(places.sandbox(record.id))) && sandboxSpaces(record.config).every((kind) => mounted.has(places.namespace(record.id, kind))) && (!record.pause || (await isAlive(record.pause)));
    sandboxes.adopt(record);
    if (whole) live.add(record.id);
  }
  await world.network.start(live);
  const names = await namesIn(places.containers);
  const containerRecords = await readAll<ContainerRecord>(names, (name) => places.containerRecord(name));
  const kept: ContainerRecord[] = [];
  for (const record of containerRecords) {
    const checked = sandboxes.get(record.sandboxId) ? await check(world, record, exits, found.sameBoot && mounted.has(places.rootfs(record.id))) : undefined;
    if (!checked) continue;
    if (checked !== record) await writeRecord(places.containerRecord(record.id), checked);
    kept.push(checked);
  }
  for (const record of kept) containers.adopt(record);
  await found.takeUp();
  // A sandbox that lost its namespaces is stopped like any other: its containers are dead or have to go.
  for (const { id, state } of sandboxRecords) {
    if (state !== 'ready' || live.has(id)) continue;
    for (const record of containers.inSandbox(id)) await containers.stop(record.id, 0);
    await sandboxes.stop(id);
  }
  await clearAway(world, sandboxes, containers, names);
  return { live, sandboxes: sandboxRecords.length, containers: kept.length };
}

/** A container's record as it is now; undefined when it never ran and cannot any more. */
async function check(world: NativeWorld, record: ContainerRecord, exits: ExitWatch, rootMounted: boolean): Promise<ContainerRecord | undefined> {
  const { places, clock, cgroups } = world;
  const ended = (exitCode: number, reason: string): ContainerRecord => ({ ...record, state: 'exited', exitCode, reason, finishedAt: Math.max(record.startedAt, clock.now()) });
  if (record.state === 'exited') {
    if (await exists(places.bundle(record.id))) await releaseBundle(world, record.id, record.cgroup);
    await exits.forget(record.id);
    return record;
  }
  if (record.state === 'created') return rootMounted ? record : undefined;
  if (record.state === 'starting') {
    await awaitLaunch(world, record.id);
    const state = `${places.runc}/${record.id}`;
    // runc takes the pipe away when the container's own program begins.
    const begun = (await exists(state)) && !(await exists(`${state}/exec.fifo`));
    if (!begun && !(await exits.read(record.id))) return undefined;
  }
  const processes = record.init ? { init: record.init, ...(record.monitor ? { monitor: record.monitor } : {}) } : await launched(world, record.id);
  const running: ContainerRecord = { ...record, state: 'running', ...processes };
  // The exit file is told of by the watch, which was begun before.
  if (await exits.read(record.id)) return running;
  const monitored = processes.monitor !== undefined && (await isAlive(processes.monitor));
  if (monitored && rootMounted) return running;
  const alive = processes.init !== undefined && (await isAlive(processes.init));
  // The monitor may have written the file just now.
  if (await exits.read(record.id)) return running;
  await cgroups.kill(record.cgroup);
  await releaseBundle(world, record.id, record.cgroup);
  return alive ? ended(KILLED_EXIT, 'Error') : ended(UNKNOWN_EXIT, UNKNOWN_REASON);
}

/** Removes what belongs to no sandbox and no container that is known. */
async function clearAway(world: NativeWorld, sandboxes: Sandboxes, containers: Containers, containerNames: readonly string[]): Promise<void> {
  const { places, cgroups, host, log } = world;
  const known = (id: string): boolean => containers.has(id) || sandboxes.get(id)?.state === 'ready';
  const attempt = async (what: string, name: string, work: Promise<unknown>): Promise<void> => {
    await work.catch((error: unknown) => log.warn('something left over from an earlier run could not be removed', { what, name, error: errorMessage(error) }));
  };
  for (const path of await leftGroups(world, host.cgroup, GROUP_DEPTH, known)) {
    const id = path.slice(path.lastIndexOf('/') + 1);
    await attempt('container', id, releaseBundle(world, id, path));
  }
  for (const id of await namesIn(places.bundles)) if (!known(id)) await attempt('bundle', id, releaseBundle(world, id, `${host.cgroup}/${id}`));
  for (const id of containerNames) if (!containers.has(id)) await attempt('container', id, containers.discard(id, `${host.cgroup}/${id}`));
  for (const id of await namesIn(places.sandboxes)) if (sandboxes.get(id)?.state !== 'ready') await attempt('sandbox', id, removeSandboxHost(world, id));
  for (const id of await namesIn(places.runc)) if (!known(id)) await attempt('runc', id, rm(`${places.runc}/${id}`, { recursive: true, force: true }));
  for (const id of await namesIn(places.exits)) if (!known(id)) await attempt('exit', id, rm(`${places.exits}/${id}`, { force: true }));
  for (const name of await namesIn(places.execs)) await attempt('exec', name, rm(`${places.execs}/${name}`, { force: true }));
  const used = new Set([...sandboxes.all()].map((record) => sandboxes.groupOf(record.config)));
  for (const parent of [host.cgroup, `${host.cgroup}/burstable`, `${host.cgroup}/besteffort`, `${host.cgroup}/guaranteed`]) {
    for (const path of await cgroups.children(parent)) if (/\/pod[^/]*$/.test(path) && !used.has(path)) await attempt('group', path, cgroups.remove(path));
  }
}

/** Control groups of containers that nobody knows. */
async function leftGroups(world: NativeWorld, path: string, depth: number, known: (id: string) => boolean): Promise<string[]> {
  if (depth === 0 || path === monitorsGroup(world.host)) return [];
  const found: string[] = [];
  for (const child of await world.cgroups.children(path)) {
    const name = child.slice(child.lastIndexOf('/') + 1);
    if (ID.test(name)) found.push(...(known(name) ? [] : [child]));
    else found.push(...(await leftGroups(world, child, depth - 1, known)));
  }
  return found;
}

/** Records that can be read, oldest first. */
async function readAll<T extends SandboxRecord | ContainerRecord>(names: readonly string[], pathOf: (name: string) => string | undefined): Promise<T[]> {
  const records = await Promise.all(names.map((name) => {
    const path = pathOf(name);
    return path === undefined ? undefined : readRecord<T>(path);
  }));
  return records.filter((record): record is Awaited<T> & T => record !== undefined).sort((a, b) => a.createdAt - b.createdAt);
}
