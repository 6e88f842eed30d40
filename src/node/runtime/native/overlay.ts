import { mkdir, rm, stat, symlink, chmod, chown } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { runChecked } from '../../../base/process/run-checked.js';
import type { NativeWorld } from './world.js';

/** mount(2) takes one page of options; some are added by mount(8). */
const LONGEST_OPTIONS = 3900;
/** Folder of short names for layers, in the bundle. */
const SHORT_NAMES = 'l';

/**
 * Mounts a container's root file system: the image's layers, topmost first, below what the container writes. Names of layers are relative
 * to the folder that they have in common; where the options are still too long, to a folder of links with short names.
 */
export async function mountRootfs(world: Pick<NativeWorld, 'places' | 'commands'>, id: string, layers: readonly string[]): Promise<void> {
  const { places, commands } = world;
  await makeUpper(places.upper(id), layers[0]);
  await mkdir(places.work(id), { recursive: true, mode: 0o700 });
  await mkdir(places.rootfs(id), { recursive: true, mode: 0o755 });
  const lower = layers.length > 0 ? layers : [await emptyLayer(places.container(id))];
  let cwd = commonFolder(lower);
  let options = overlayOptions(lower.map((layer) => relative(cwd, layer) || '.'), places.upper(id), places.work(id));
  if (options.length > LONGEST_OPTIONS) {
    cwd = join(places.bundle(id), SHORT_NAMES);
    await rm(cwd, { recursive: true, force: true });
    await mkdir(cwd, { recursive: true });
    await Promise.all(lower.map((layer, index) => symlink(layer, join(cwd, index.toString(36)))));
    options = overlayOptions(lower.map((_layer, index) => index.toString(36)), places.upper(id), places.work(id));
  }
  await runChecked(commands, 'mount', ['-t', 'overlay', '-o', options, 'overlay', places.rootfs(id)], { cwd });
}

/** Options for mount(8). */
export function overlayOptions(lower: readonly string[], upper: string, work: string): string {
  return `lowerdir=${lower.map(escape).join(':')},upperdir=${escape(upper)},workdir=${escape(work)}`;
}

/** The deepest folder that holds all paths. */
export function commonFolder(paths: readonly string[]): string {
  let common = dirname(paths[0] ?? '/');
  while (common !== '/' && !paths.every((path) => path.startsWith(`${common}/`))) common = dirname(common);
  return common;
}

/** The upper folder is the container's `/`: it gets the owner and mode of the image's. */
async function makeUpper(path: string, top: string | undefined): Promise<void> {
  await mkdir(path, { recursive: true });
  const like = top === undefined ? undefined : await stat(top);
  await chmod(path, like ? like.mode & 0o7777 : 0o755);
  if (like && (like.uid !== 0 || like.gid !== 0)) await chown(path, like.uid, like.gid);
}

async function emptyLayer(folder: string): Promise<string> {
  await mkdir(join(folder, 'empty'), { recursive: true });
  return join(folder, 'empty');
}

function escape(path: string): string {
  return path.replace(/[\\:,]/g, (mark) => `\\${mark}`);
}
