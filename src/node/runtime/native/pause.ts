import { chmod, copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, makeFolder } from '../../../base/files.js';
import { defaultEnvironment } from '../../../base/process/direct.js';
import { findProgram } from '../../../base/process/find-program.js';
import type { PodSandboxConfig } from '../types.js';
import { launch, type Launched } from './launch.js';
import { kernelMounts } from './spec/mounts.js';
import type { OciSpec } from './spec/oci.js';
import type { NativeWorld } from './world.js';

/** Name of the program in the root file system of pause containers. */
const PROGRAM = 'pause';
/** Never swapped for the sake of a container: the kubelet's value for pause containers. */
const OOM_SCORE = -998;

/**
 * Starts the pause container of a sandbox whose containers share their processes: it is the first of them and reaps the others' orphans.
 * Rejects when the program `catatonit` is missing.
 */
export async function launchPause(world: NativeWorld, id: string, config: PodSandboxConfig, cgroupsPath: string): Promise<Launched> {
  const { places, facts } = world;
  await preparePauseRoot(world);
  await makeFolder(places.bundle(id));
  const namespace = (kind: 'net' | 'ipc' | 'uts'): string => places.namespace(id, kind);
  const none: readonly string[] = [];
  const spec: OciSpec = {
    ociVersion: '1.0.2',
    root: { path: places.pauseRoot, readonly: true },
    process: {
      terminal: false, user: { uid: 65535, gid: 65535, additionalGids: [] }, args: [`/${PROGRAM}`, '-P'], env: ['PATH=/'], cwd: '/', capabilities: { bounding: none, effective: none, permitted: none }, noNewPrivileges: true,
      oomScoreAdj: facts.capabilities.includes('CAP_SYS_RESOURCE') ? OOM_SCORE : Math.max(OOM_SCORE, facts.oomScoreAdj),
    },
    mounts: kernelMounts(false).filter((mount) => mount.destination === '/proc' || mount.destination === '/dev'),
    linux: {
      namespaces: [
        { type: 'mount' }, { type: 'pid' },
        ...(config.hostNetwork ? [] : [{ type: 'network' as const, path: namespace('net') }, { type: 'uts' as const, path: namespace('uts') }]),
        ...(config.hostIpc ? [] : [{ type: 'ipc' as const, path: namespace('ipc') }]),
      ],
      cgroupsPath, resources: { devices: [{ allow: false, access: 'rwm' }], cpu: { shares: 2 } }, devices: [], maskedPaths: facts.maskedPaths, readonlyPaths: ['/proc/sys'],
    },
  };
  await writeFile(`${places.bundle(id)}/config.json`, JSON.stringify(spec), { mode: 0o600 });
  return launch(world, { id, logPath: '/dev/null', tty: false, stdin: false, stdinOnce: false });
}

/** A root file system with one program, shared by all pause containers; it may not stand on a file system that is mounted `noexec`. */
async function preparePauseRoot({ places, programs, random }: NativeWorld): Promise<void> {
  const target = join(places.pauseRoot, PROGRAM);
  if (await exists(target)) return;
  for (const name of ['proc', 'dev', 'sys']) await mkdir(join(places.pauseRoot, name), { recursive: true, mode: 0o755 });
  const source = await findProgram(programs.catatonit, defaultEnvironment());
  const temporary = `${target}.${random.suffix(5)}`;
  await copyFile(source, temporary);
  await chmod(temporary, 0o755);
  await rename(temporary, target);
}
