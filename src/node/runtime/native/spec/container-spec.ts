import type { ImageConfig } from '../../../images/image-store.js';
import { KubeError } from '../../../../base/errors.js';
import { cgroupLimits } from '../cgroups/resources.js';
import type { ContainerConfig, PodSandboxConfig } from '../../types.js';
import { containerCapabilities } from './capabilities.js';
import { device, hostDevices } from './devices.js';
import type { HostFacts } from './host-facts.js';
import { containerMounts, rootPropagation, type OwnMounts } from './mounts.js';
import type { OciDevice, OciLinux, OciResources, OciSpec, OciUser } from './oci.js';
import { seccompProfile } from './seccomp.js';

/** What a container is described from. */
export interface SpecInput {
  readonly config: ContainerConfig;
  readonly sandbox: PodSandboxConfig;
  readonly image: ImageConfig;
  readonly user: OciUser;
  readonly rootfs: string;
  readonly own: OwnMounts;
  readonly cgroupsPath: string;
  readonly cgroupVersion: 1 | 2;
  /** Files of the sandbox's namespaces; absent: the host's. */
  readonly namespaces: { readonly net?: string; readonly ipc?: string; readonly uts?: string; readonly pid: 'own' | 'host' | { readonly path: string } };
  readonly facts: HostFacts;
  /** Folder of seccomp profiles that pods name. */
  readonly seccompFolder: string;
}

const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** Describes a container for runc. Rejects with a message fit for an event. */
export async function containerSpec(input: SpecInput): Promise<OciSpec> {
  const { config, sandbox, facts } = input;
  const security = config.securityContext;
  const privileged = security?.privileged === true;
  const capabilities = containerCapabilities(security?.capabilities, privileged, facts.capabilities);
  const volumes = await Promise.all((config.devices ?? []).map((item) => device(item.hostPath, item.containerPath)));
  const bare = privileged || security?.procMount === 'Unmasked';
  const seccomp = await seccompProfile(security?.seccompProfile ?? sandbox.securityContext?.seccompProfile, privileged, capabilities.bounding, input.seccompFolder);
  const apparmor = security?.appArmorProfile ?? sandbox.securityContext?.appArmorProfile;
  const propagation = rootPropagation(config.mounts);
  const readOnlyRoot = security?.readOnlyRootFilesystem === true;
  return {
    ociVersion: '1.0.2',
    root: { path: input.rootfs, readonly: readOnlyRoot },
    process: {
      terminal: config.tty,
      user: input.user,
      args: processArgs(config, input.image),
      env: environment(input),
      cwd: config.workingDir || input.image.workingDir || '/',
      capabilities,
      noNewPrivileges: security?.allowPrivilegeEscalation === false,
      ...oomScore(config.oomScoreAdj, facts),
      ...(facts.apparmor && apparmor?.type === 'Localhost' && apparmor.localhostProfile ? { apparmorProfile: apparmor.localhostProfile } : {}),
    },
    mounts: containerMounts(config.mounts, input.own, { privileged, readOnlyRoot }),
    linux: {
      namespaces: namespaces(input, privileged),
      cgroupsPath: input.cgroupsPath,
      resources: resources(input, privileged, volumes),
      devices: [...(privileged ? await hostDevices() : []), ...volumes],
      ...(propagation ? { rootfsPropagation: propagation } : {}),
      ...(seccomp ? { seccomp } : {}),
      maskedPaths: bare ? [] : facts.maskedPaths,
      readonlyPaths: bare ? [] : READONLY_PATHS,
    },
  };
}

/** The image's entry point and command, unless the pod has a command or arguments of its own. */
function processArgs(config: ContainerConfig, image: ImageConfig): string[] {
  const args = config.command.length > 0 ? [...config.command, ...config.args] : [...image.entrypoint, ...(config.args.length > 0 ? config.args : image.cmd)];
  if (args.length === 0) throw new KubeError('KUBE_NO_COMMAND', 'no command specified');
  return args;
}

/** Later ones replace earlier ones of the same name. */
function environment({ config, sandbox, image, facts }: SpecInput): string[] {
  const variables = new Map<string, string>();
  const add = (text: string): void => void variables.set(text.split('=', 1)[0]!, text);
  add(PATH);
  if (config.tty) add('TERM=xterm');
  add(`HOSTNAME=${sandbox.hostNetwork ? facts.hostname : sandbox.hostname}`);
  for (const text of image.env) add(text);
  for (const { name, value } of config.envs) add(`${name}=${value}`);
  return [...variables.values()];
}

/** Lowering it takes a capability that this process may lack; that must not keep a container from starting. */
function oomScore(wanted: number | undefined, facts: HostFacts): { oomScoreAdj?: number } {
  if (wanted === undefined) return {};
  return { oomScoreAdj: facts.capabilities.includes('CAP_SYS_RESOURCE') ? wanted : Math.max(wanted, facts.oomScoreAdj) };
}

function namespaces({ namespaces: { net, ipc, uts, pid }, cgroupVersion }: SpecInput, privileged: boolean): OciLinux['namespaces'] {
  return [
    { type: 'mount' },
    ...(pid === 'host' ? [] : pid === 'own' ? [{ type: 'pid' as const }] : [{ type: 'pid' as const, path: pid.path }]),
    ...(net === undefined ? [] : [{ type: 'network' as const, path: net }]),
    ...(ipc === undefined ? [] : [{ type: 'ipc' as const, path: ipc }]),
    ...(uts === undefined ? [] : [{ type: 'uts' as const, path: uts }]),
    ...(cgroupVersion === 2 && !privileged ? [{ type: 'cgroup' as const }] : []),
  ];
}

function resources({ config, facts, cgroupVersion }: SpecInput, privileged: boolean, volumes: readonly OciDevice[]): OciResources {
  const limits = cgroupLimits(config.resources, facts.pageSizes);
  return {
    devices: [
      { allow: privileged, access: 'rwm' },
      ...volumes.map((item) => ({ allow: true, type: item.type, major: item.major, minor: item.minor, access: 'rwm' })),
    ],
    cpu: { shares: limits.cpuShares!, ...(limits.cpuQuota === undefined ? {} : { quota: limits.cpuQuota, period: limits.cpuPeriod! }) },
    ...(limits.memory === undefined ? {} : { memory: { limit: limits.memory } }),
    ...(limits.hugepages ? { hugepageLimits: limits.hugepages.map(({ size, bytes }) => ({ pageSize: size, limit: bytes })) } : {}),
    // Out of memory ends the container as a whole: the kubelet's default where version 2 has the knob.
    ...(cgroupVersion === 2 ? { unified: { 'memory.oom.group': '1' } } : {}),
  };
}
