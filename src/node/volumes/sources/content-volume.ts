import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writePayload } from '../content/atomic-writer.js';
import { ownFolder } from '../host/ownership.js';
import { memoryMount } from './empty-dir.js';
import { nestedMountFolders } from './nested-mounts.js';
import type { PreparedVolume, VolumeContent } from './prepared.js';
import type { SourceContext } from './source-context.js';

/** Upstream's names of the plugins, and whether their files are kept in memory. */
const PLUGINS = {
  configMap: { folder: 'configmap', memory: false },
  secret: { folder: 'secret', memory: true },
  downwardAPI: { folder: 'downward-api', memory: true },
  projected: { folder: 'projected', memory: true },
} as const;

/** A volume of files that the agent writes. They are collected first: when that fails nothing is made. */
export async function prepareContent(context: SourceContext, plugin: keyof typeof PLUGINS, source: Omit<VolumeContent, 'folder' | 'gid'>): Promise<PreparedVolume> {
  const { pod, volume, fsGroup, version, paths, uid } = context;
  const folder = paths.volume(uid, PLUGINS[plugin].folder, volume.name);
  const content: VolumeContent = { ...source, folder, gid: fsGroup };
  const { payload, refreshAt } = await content.collect(pod);
  let mount: PreparedVolume['mount'];
  if (PLUGINS[plugin].memory) mount = await memoryMount(context, folder);
  else {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o777);
    if (fsGroup !== undefined) await ownFolder(folder, fsGroup);
  }
  return {
    hostPath: folder, readonly: true, content, refreshAt, ...(mount ? { mount } : {}),
    finish: async () => {
      for (const nested of nestedMountFolders(pod, volume.name)) await mkdir(join(folder, nested), { recursive: true, mode: 0o755 });
      await writePayload(folder, payload, { version, ...(fsGroup === undefined ? {} : { gid: fsGroup }) });
    },
  };
}
