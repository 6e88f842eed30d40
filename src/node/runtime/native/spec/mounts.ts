import type { Mount } from '../../types.js';
import type { OciLinux, OciMount } from './oci.js';

/** Files and folders that the runtime itself mounts, unless the pod has put something there. */
export interface OwnMounts {
  readonly hostname: string;
  readonly resolvConf: string;
  readonly shm: string;
  readonly terminationMessage?: { readonly hostPath: string; readonly containerPath: string };
  /** Volumes that the image declares. */
  readonly volumes: readonly { readonly hostPath: string; readonly containerPath: string }[];
}

const PROPAGATIONS = { private: 'rprivate', 'host-to-container': 'rslave', bidirectional: 'rshared' } as const;

/** All mounts of a container in the order in which they are made: what lies deeper comes later. */
export function containerMounts(mounts: readonly Mount[], own: OwnMounts, options: { readonly privileged: boolean; readonly readOnlyRoot: boolean }): OciMount[] {
  const taken = new Set(mounts.map((mount) => clean(mount.containerPath)));
  const bind = (hostPath: string, containerPath: string, readonly: boolean): Mount[] => (taken.has(clean(containerPath)) ? [] : [{ hostPath, containerPath, readonly, propagation: 'private' }]);
  const all: Mount[] = [
    ...bind(own.hostname, '/etc/hostname', options.readOnlyRoot),
    ...bind(own.resolvConf, '/etc/resolv.conf', options.readOnlyRoot),
    ...bind(own.shm, '/dev/shm', false),
    ...(own.terminationMessage ? bind(own.terminationMessage.hostPath, own.terminationMessage.containerPath, false) : []),
    ...own.volumes.flatMap((volume) => bind(volume.hostPath, volume.containerPath, false)),
    ...mounts,
  ];
  const binds = all.sort((a, b) => depth(a.containerPath) - depth(b.containerPath)).map(bindMount);
  const covered = new Set(all.map((mount) => clean(mount.containerPath)));
  return [...kernelMounts(options.privileged).filter((mount) => !covered.has(mount.destination)), ...binds];
}

/** Mounts that pass mounts on need a root that does. */
export function rootPropagation(mounts: readonly Mount[]): OciLinux['rootfsPropagation'] {
  if (mounts.some((mount) => mount.propagation === 'bidirectional')) return 'rshared';
  return mounts.some((mount) => mount.propagation === 'host-to-container') ? 'rslave' : undefined;
}

/** The kernel's own file systems. Only privileged containers may write to `/sys`. */
export function kernelMounts(privileged: boolean): OciMount[] {
  const access = privileged ? 'rw' : 'ro';
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'] },
    { destination: '/dev/pts', type: 'devpts', source: 'devpts', options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5'] },
    { destination: '/dev/mqueue', type: 'mqueue', source: 'mqueue', options: ['nosuid', 'noexec', 'nodev'] },
    { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'nodev', access] },
    { destination: '/sys/fs/cgroup', type: 'cgroup', source: 'cgroup', options: ['nosuid', 'noexec', 'nodev', 'relatime', access] },
  ];
}

function bindMount(mount: Mount): OciMount {
  const access = mount.readonly ? (mount.recursiveReadOnly ? 'rro' : 'ro') : 'rw';
  return { destination: clean(mount.containerPath), type: 'bind', source: mount.hostPath, options: ['rbind', PROPAGATIONS[mount.propagation], access] };
}

function clean(path: string): string {
  return `/${path.split('/').filter((part) => part !== '' && part !== '.').join('/')}`;
}

function depth(path: string): number {
  return clean(path).split('/').length;
}
