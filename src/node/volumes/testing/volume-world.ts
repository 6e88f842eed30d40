import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Container, V1Pod, V1PodSpec, V1Volume } from '../../../api/generated/types.js';
import { sleep, SystemClock, type Clock } from '../../../base/clock.js';
import { silentLogger } from '../../../base/log.js';
import type { Commands } from '../../../base/process/commands.js';
import { directCommands } from '../../../base/process/direct.js';
import type { Random } from '../../../base/random.js';
import type { Client } from '../../../client/index.js';
import { References } from '../../references/references.js';
import { createPodVolumes, type PodVolumesEnvironment, type PodVolumesOptions } from '../create-pod-volumes.js';
import { MountTable } from '../host/mount-table.js';
import { Mounter } from '../host/mounter.js';
import type { PodVolumes } from '../pod-volumes.js';

/** An API server in memory, with its time. */
export type TestApi = Client & { readonly clock: Clock; readonly random: Random };

/** Real volumes in a temporary folder. */
export interface VolumeWorld<A extends TestApi> {
  readonly api: A;
  readonly commands: Commands;
  /** Programs that were run, in order. */
  readonly ran: string[];
  readonly folder: string;
  readonly volumes: PodVolumes;
  /** As after a new start of the program, on the same disk. */
  again(): PodVolumes;
  /** Mount points below the folder. */
  mounted(): Promise<string[]>;
  /** Path of a pod's volume. */
  path(uid: string, plugin: string, name: string): string;
  remove(): Promise<void>;
}

export async function volumeWorld<A extends TestApi>(api: A, options: Partial<PodVolumesOptions> = {}, environment: Partial<PodVolumesEnvironment> = {}): Promise<VolumeWorld<A>> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'kube-volumes-')));
  const direct = directCommands();
  const ran: string[] = [];
  const commands: Commands = { ...direct, run: (program, args, settings) => (ran.push(program), direct.run(program, args, settings)), start: (...args) => direct.start(...args), close: () => direct.close() };
  const made: PodVolumes[] = [];
  const make = (): PodVolumes => {
    const volumes = createPodVolumes(
      { host: { clusterId: '00000000', stateFolder: folder, runFolder: folder, cgroup: '/kube-00000000', interfacePrefix: 'k00000000', tablePrefix: 'kube-00000000' }, nodeName: 'node-1', allocatable: { cpu: '4', memory: '1Gi' }, ...options },
      { commands, references: new References(api, api.clock), client: api, clock: api.clock, random: api.random, log: silentLogger, ...environment },
    );
    made.push(volumes);
    return volumes;
  };
  const table = new MountTable();
  return {
    api, commands, ran, folder, volumes: make(), again: make,
    mounted: () => table.below(folder),
    path: (uid, plugin, name) => join(folder, 'pods', uid, 'volumes', `kubernetes.io~${plugin}`, name),
    remove: async () => {
      for (const volumes of made) volumes.stop();
      await new Mounter(direct).unmountBelow(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A pod whose one container mounts each volume at `/<name>`. */
export function volumePod(volumes: readonly V1Volume[], spec: Partial<V1PodSpec> = {}, container: Partial<V1Container> = {}): V1Pod {
  return {
    apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default', uid: 'uid-1', labels: { app: 'web' }, resourceVersion: '1' },
    spec: { serviceAccountName: 'default', volumes, containers: [{ name: 'app', image: 'x', volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })), ...container }], ...spec },
  };
}

/** Waits, a few milliseconds at a time, until something is so. Fails after ten seconds. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const clock = new SystemClock();
  const end = clock.monotonic() + 10_000;
  while (!(await condition())) {
    if (clock.monotonic() > end) throw new Error('it did not happen');
    await sleep(clock, 3);
  }
}
