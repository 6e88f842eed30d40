import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1SeccompProfile } from '../../../../api/generated/types.js';
import { errorMessage, KubeError } from '../../../../base/errors.js';
import type { OciSeccomp, OciSeccompRule } from './oci.js';
import { DEFAULT_SYSCALLS, SYSCALLS_OF_CAPABILITIES, SYSCALLS_OF_MACHINES } from './syscalls.js';

const ENOSYS = 38;
const AF_VSOCK = 40;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const CLONE_NAMESPACES = 0x7e020000;
/** Values of `personality`: PER_LINUX, PER_LINUX32, UNAME26, PER_LINUX32 | UNAME26, and the question for the present one. */
const PERSONALITIES = [0x0, 0x0008, 0x20000, 0x20008, 0xffffffff];
const ARCHITECTURES: Readonly<Record<string, readonly string[]>> = {
  x64: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
  arm64: ['SCMP_ARCH_ARM', 'SCMP_ARCH_AARCH64'],
  s390x: ['SCMP_ARCH_S390', 'SCMP_ARCH_S390X'],
  riscv64: ['SCMP_ARCH_RISCV64'],
};

/**
 * The seccomp profile of a container; undefined: none. Privileged containers have none. Without a choice there is none either,
 * as with a kubelet without `seccompDefault`. Localhost profiles are files below `folder`; throws `KUBE_SECCOMP` when one cannot be read.
 */
export async function seccompProfile(choice: V1SeccompProfile | undefined, privileged: boolean, bounding: readonly string[], folder: string): Promise<OciSeccomp | undefined> {
  if (privileged || !choice || choice.type === 'Unconfined') return undefined;
  if (choice.type === 'RuntimeDefault') return defaultSeccomp(bounding);
  const path = join(folder, join('/', choice.localhostProfile ?? ''));
  try {
    return JSON.parse(await readFile(path, 'utf8')) as OciSeccomp;
  } catch (error) {
    throw new KubeError('KUBE_SECCOMP', `cannot load seccomp profile ${JSON.stringify(path)}: ${errorMessage(error)}`, { cause: error });
  }
}

/** A profile with the effect of containerd's `RuntimeDefault`, for a container with these capabilities in its bounding set. */
export function defaultSeccomp(bounding: readonly string[], machine: string = process.arch): OciSeccomp {
  const allow = (names: readonly string[], args?: OciSeccompRule['args']): OciSeccompRule => ({ names, action: 'SCMP_ACT_ALLOW', ...(args ? { args } : {}) });
  const syscalls: OciSeccompRule[] = [
    allow(DEFAULT_SYSCALLS),
    allow(['socket'], [{ index: 0, value: AF_VSOCK, op: 'SCMP_CMP_NE' }]),
    ...PERSONALITIES.map((value) => allow(['personality'], [{ index: 0, value, op: 'SCMP_CMP_EQ' }])),
  ];
  const ofMachine = SYSCALLS_OF_MACHINES[machine];
  if (ofMachine) syscalls.push(allow(ofMachine));
  for (const capability of bounding) {
    const names = SYSCALLS_OF_CAPABILITIES[capability];
    if (names) syscalls.push(allow(names));
  }
  if (!bounding.includes('CAP_SYS_ADMIN')) {
    syscalls.push(allow(['clone'], [{ index: machine === 's390x' ? 1 : 0, value: CLONE_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]));
    // The flags of clone3 are in memory, where a filter cannot look: libraries fall back to clone when it does not exist.
    syscalls.push({ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS });
  }
  return { defaultAction: 'SCMP_ACT_ERRNO', ...(ARCHITECTURES[machine] ? { architectures: ARCHITECTURES[machine] } : {}), syscalls };
}
