import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Programs that native containers need, and Debian's package of each. */
const PROGRAMS: Readonly<Record<string, string>> = {
  runc: 'runc', conmon: 'conmon', nft: 'nftables', ip: 'iproute2', mount: 'mount', umount: 'mount', nsenter: 'util-linux', unshare: 'util-linux', socat: 'socat', catatonit: 'catatonit', conntrack: 'conntrack',
};

/** Bits of `CapEff` in `/proc/self/status`, by name (linux/capability.h). */
const CAPABILITIES: Readonly<Record<string, number>> = { CAP_NET_ADMIN: 12, CAP_SYS_CHROOT: 18, CAP_SYS_PTRACE: 19, CAP_SYS_ADMIN: 21, CAP_MKNOD: 27 };

/** What {@link nativeObstacle} looks at; replaced in tests. */
export interface HostFacts {
  readonly platform: string;
  readonly uid: number;
  readonly path: string;
  /** The text of a file; undefined when there is none. */
  read(file: string): Promise<string | undefined>;
  isExecutable(file: string): Promise<boolean>;
}

/** This host. */
export function hostFacts(environment: NodeJS.ProcessEnv): HostFacts {
  return {
    platform: process.platform,
    uid: process.getuid?.() ?? -1,
    path: environment['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin',
    read: (file) => readFile(file, 'utf8').catch(() => undefined),
    isExecutable: (file) => access(file, constants.X_OK).then(() => true, () => false),
  };
}

/** Why this host cannot run native containers, in one line that says what to do about it; undefined when it can. */
export async function nativeObstacle(facts: HostFacts): Promise<string | undefined> {
  if (facts.platform !== 'linux') return `native containers need Linux, this is ${facts.platform}`;
  if (facts.uid !== 0) return 'native containers need root';
  const missing = await missingPrograms(facts);
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((program) => PROGRAMS[program]!))];
    return `native containers need ${missing.join(', ')}: install ${missing.length === 1 ? 'it' : 'them'} with "apt-get install ${packages.join(' ')}", or run scripts/start`;
  }
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec((await facts.read('/proc/self/status')) ?? '')?.[1] ?? '0'}`);
  const lacking = Object.entries(CAPABILITIES).filter(([, bit]) => (effective & (1n << BigInt(bit))) === 0n);
  if (lacking.length > 0) return `native containers need ${lacking.map(([name]) => name).join(', ')}, which this process does not have (a container without privileges?)`;
  const filesystems = (await facts.read('/proc/filesystems')) ?? '';
  if (!/^(nodev)?\s*overlay$/m.test(filesystems)) return 'native containers need overlayfs, which this kernel does not have';
  const mounts = (await facts.read('/proc/self/mounts')) ?? '';
  if (!/^\S+ \S+ cgroup2? /m.test(mounts)) return 'native containers need control groups, and none are mounted';
  if (/^\S+ \S+ cgroup /m.test(mounts)) {
    const absent = ['memory', 'cpu', 'pids'].filter((controller) => !new RegExp(`^\\S+ \\S+ cgroup \\S*\\b${controller}\\b`, 'm').test(mounts));
    if (absent.length > 0) return `native containers need the control group controller${absent.length === 1 ? '' : 's'} ${absent.join(', ')}, which ${absent.length === 1 ? 'is' : 'are'} not mounted`;
  }
  return undefined;
}

async function missingPrograms(facts: HostFacts): Promise<string[]> {
  const folders = facts.path.split(delimiter).filter((folder) => folder !== '');
  const missing: string[] = [];
  for (const program of Object.keys(PROGRAMS)) {
    const found = await Promise.all(folders.map((folder) => facts.isExecutable(join(folder, program))));
    if (!found.includes(true)) missing.push(program);
  }
  return missing;
}
