import type { V1Capabilities } from '../../../../api/generated/types.js';
import type { OciCapabilities } from './oci.js';

/** containerd's set for containers that ask for nothing else. */
const DEFAULT = [
  'CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FSETID', 'CAP_FOWNER', 'CAP_MKNOD', 'CAP_NET_RAW', 'CAP_SETGID', 'CAP_SETUID', 'CAP_SETFCAP', 'CAP_SETPCAP', 'CAP_NET_BIND_SERVICE', 'CAP_SYS_CHROOT', 'CAP_KILL',
  'CAP_AUDIT_WRITE',
];
/** Names in the order of their numbers in the kernel. */
const NAMES = [
  'CHOWN', 'DAC_OVERRIDE', 'DAC_READ_SEARCH', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'SETPCAP', 'LINUX_IMMUTABLE', 'NET_BIND_SERVICE', 'NET_BROADCAST', 'NET_ADMIN', 'NET_RAW', 'IPC_LOCK', 'IPC_OWNER',
  'SYS_MODULE', 'SYS_RAWIO', 'SYS_CHROOT', 'SYS_PTRACE', 'SYS_PACCT', 'SYS_ADMIN', 'SYS_BOOT', 'SYS_NICE', 'SYS_RESOURCE', 'SYS_TIME', 'SYS_TTY_CONFIG', 'MKNOD', 'LEASE', 'AUDIT_WRITE', 'AUDIT_CONTROL', 'SETFCAP',
  'MAC_OVERRIDE', 'MAC_ADMIN', 'SYSLOG', 'WAKE_ALARM', 'BLOCK_SUSPEND', 'AUDIT_READ', 'PERFMON', 'BPF', 'CHECKPOINT_RESTORE',
].map((name) => `CAP_${name}`);

/** The capabilities of a process, from a mask of `/proc/<pid>/status`. */
export function capabilitiesOf(status: string, line: 'CapEff' | 'CapBnd'): readonly string[] {
  const mask = BigInt(`0x${new RegExp(`^${line}:\\s*([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0'}`);
  return NAMES.filter((_name, number) => (mask >> BigInt(number)) & 1n);
}

/** A container's capabilities. `all` are those that this process has itself: no container can have more. */
export function containerCapabilities(wanted: V1Capabilities | undefined, privileged: boolean, all: readonly string[]): OciCapabilities {
  const add = (wanted?.add ?? []).map(canonical);
  const drop = (wanted?.drop ?? []).map(canonical);
  let set = new Set(privileged || add.includes(ALL) ? all : DEFAULT);
  if (!privileged && drop.includes(ALL)) set = new Set();
  if (!privileged) {
    for (const name of add) if (name !== ALL) set.add(name);
    for (const name of drop) set.delete(name);
  }
  const list = [...set];
  return { bounding: list, effective: list, permitted: list };
}

const ALL = 'CAP_ALL';

function canonical(name: string): string {
  const upper = name.toUpperCase();
  return upper.startsWith('CAP_') ? upper : `CAP_${upper}`;
}
