import { chmod, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { errorCode, KubeError } from '../../../base/errors.js';
import { makeFolder } from '../../../base/files.js';
import { runChecked } from '../../../base/process/run-checked.js';
import type { PodSandboxConfig } from '../types.js';
import { mountTable, mountsBelow } from './mount-table.js';
import type { NativeWorld } from './world.js';

/** `emptyDir` apart, the memory that the containers of a pod can share: containerd's 64 MiB. */
const SHM_OPTIONS = 'nosuid,nodev,noexec,mode=1777,size=67108864';

/** Mounts the shared memory, pins new namespaces to files, and sets inside of them the host name and sysctls, given as pairs. */
const SCRIPT = `
set -e
cd "$1"; shm=$2; spaces=$3; shift 3
if [ -n "$shm" ]; then mkdir -p shm; mount -t tmpfs -o "$shm" shm shm; fi
if [ -n "$spaces" ]; then
  flags=; for space in $spaces; do : > "$space"; flags="$flags --$space=$space"; done
  exec unshare $flags sh -ec 'while [ $# -gt 1 ]; do printf %s "$2" > "/proc/sys/$1"; shift 2; done' set "$@"
fi
`;

/** Makes the folder of a sandbox with its files, shared memory and namespaces. Rejects with a message fit for an event. */
export async function makeSandboxHost(world: Pick<NativeWorld, 'places' | 'commands' | 'facts'>, id: string, config: PodSandboxConfig): Promise<void> {
  const { places, commands, facts } = world;
  const folder = places.sandbox(id);
  await makeFolder(folder);
  await readable(places.hostname(id), `${config.hostNetwork ? facts.hostname : config.hostname}\n`);
  await readable(places.resolvConf(id), config.dns ? resolvConf(config.dns) : await readFile('/etc/resolv.conf', 'utf8').catch(() => ''));
  const spaces = sandboxSpaces(config);
  await runChecked(commands, 'sh', ['-c', SCRIPT, 'kube-sandbox', folder, config.hostIpc ? '' : SHM_OPTIONS, spaces.join(' '), ...sandboxSysctls(config).flat()]);
}

/** Namespaces that the sandbox has for itself. */
export function sandboxSpaces(config: Pick<PodSandboxConfig, 'hostNetwork' | 'hostIpc'>): readonly ('net' | 'uts' | 'ipc')[] {
  return [...(config.hostNetwork ? [] : (['net', 'uts'] as const)), ...(config.hostIpc ? [] : (['ipc'] as const))];
}

/**
 * Settings of a new sandbox's kernel, as paths below `/proc/sys` and values: the host name, containerd's defaults (ports below 1024
 * and ping for everybody), the pod's own. Throws `KUBE_SYSCTL` for one that would be the host's.
 */
export function sandboxSysctls(config: PodSandboxConfig): readonly (readonly [path: string, value: string])[] {
  const settings = new Map<string, string>();
  if (!config.hostNetwork) {
    settings.set('kernel/hostname', config.hostname);
    settings.set('net/ipv4/ip_unprivileged_port_start', '0');
    settings.set('net/ipv4/ping_group_range', '0 2147483647');
  }
  for (const { name, value } of config.securityContext?.sysctls ?? []) {
    // Either separator may be used; the first one decides which (sysctl.d(5)).
    const path = /[./]/.exec(name)?.[0] === '/' ? name : name.replace(/[./]/g, (mark) => (mark === '.' ? '/' : '.'));
    const space = namespaceOf(path);
    if (space === undefined) throw new KubeError('KUBE_SYSCTL', `sysctl ${JSON.stringify(name)} is not namespaced: it cannot be set for a pod`);
    if ((space === 'net' && config.hostNetwork) || (space === 'ipc' && config.hostIpc)) throw new KubeError('KUBE_SYSCTL', `sysctl ${JSON.stringify(name)} cannot be set: the pod uses the host's ${space} namespace`);
    settings.set(path, value);
  }
  return [...settings];
}

function namespaceOf(path: string): 'net' | 'ipc' | undefined {
  if (path.split('/').includes('..')) return undefined;
  if (path.startsWith('net/')) return 'net';
  return /^(kernel\/(shm|msg|sem)|fs\/mqueue\/)/.test(path) ? 'ipc' : undefined;
}

/** `/etc/resolv.conf` in the form that containerd writes. */
export function resolvConf(dns: NonNullable<PodSandboxConfig['dns']>): string {
  return [
    ...(dns.searches.length > 0 ? [`search ${dns.searches.join(' ')}`] : []),
    ...dns.servers.map((server) => `nameserver ${server}`),
    ...(dns.options.length > 0 ? [`options ${dns.options.join(' ')}`] : []),
  ].map((line) => `${line}\n`).join('');
}

/** Takes a sandbox's mounts away, and its folder. Idempotent. */
export async function removeSandboxHost(world: Pick<NativeWorld, 'places' | 'commands'>, id: string): Promise<void> {
  await unmountBelow(world.commands, world.places.sandbox(id));
  await rm(world.places.sandbox(id), { recursive: true, force: true });
}

/** Takes away everything that is mounted at a folder or below it. Rejects when something stays. */
export async function unmountBelow(commands: Pick<NativeWorld['commands'], 'run'>, folder: string): Promise<void> {
  const mounts = mountsBelow(await mountTable(), folder);
  if (mounts.length === 0) return;
  const result = await commands.run('umount', ['-l', ...mounts]);
  if (result.code !== 0 && mountsBelow(await mountTable(), folder).length > 0) throw new KubeError('KUBE_UNMOUNT', `cannot unmount ${mounts.join(', ')}: ${result.stderr.toString().trim()}`);
}

/** Removes a folder that something was mounted on; not when that is still there, for then its content is not ours to delete. */
export async function removeMountPoint(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

/** A file that everybody may read, whatever this process's mask is. */
export async function readable(path: string, content: string, mode = 0o644): Promise<void> {
  await writeFile(path, content);
  await chmod(path, mode);
}

/** A folder that everybody may enter, and those above it. */
export async function openFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o755 });
}
