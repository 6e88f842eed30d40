import { rm } from 'node:fs/promises';
import { exists } from '../../../base/files.js';
import { removeMountPoint, unmountBelow } from './sandbox-host.js';
import type { NativeWorld } from './world.js';

/** Ends what is left of a container's processes and takes away what it had while it ran: control group, runc's record, root mount, bundle. Idempotent. */
export async function releaseBundle(world: NativeWorld, id: string, cgroup: string): Promise<void> {
  const { places, commands, cgroups, programs } = world;
  await cgroups.kill(cgroup);
  // runc would wait for processes that are still dying; without any its record is all that there is to take away.
  if ((await cgroups.processes(cgroup)).length > 0 && (await exists(`${places.runc}/${id}`))) await commands.run(programs.runc, [`--root=${places.runc}`, 'delete', '--force', id]);
  await rm(`${places.runc}/${id}`, { recursive: true, force: true });
  await cgroups.remove(cgroup);
  const bundle = places.bundle(id);
  if (!(await exists(bundle))) return;
  await unmountBelow(commands, bundle);
  await removeMountPoint(places.rootfs(id));
  await rm(bundle, { recursive: true, force: true });
}
