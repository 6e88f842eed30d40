import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { exists } from '../../../../base/files.js';
import { kernelPageSize } from '../cgroups/resources.js';
import { capabilitiesOf } from './capabilities.js';

/** What descriptions of containers depend on and does not change while the program runs. */
export interface HostFacts {
  readonly hostname: string;
  /** Capabilities of this process. */
  readonly capabilities: readonly string[];
  /** Of this process; where it may not lower it, neither may containers have less. */
  readonly oomScoreAdj: number;
  readonly apparmor: boolean;
  /** Paths that containers do not see. */
  readonly maskedPaths: readonly string[];
  /** Of huge pages, where they can be limited: `2MB`. */
  readonly pageSizes: readonly string[];
}

/** The kubelet's list, kept in step with Docker's. */
const MASKED = [
  '/proc/asound', '/proc/acpi', '/proc/interrupts', '/proc/kcore', '/proc/keys', '/proc/latency_stats', '/proc/timer_list', '/proc/timer_stats', '/proc/sched_debug', '/proc/scsi', '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const CPUS = '/sys/devices/system/cpu';

/** Looks at the host. */
export async function readHostFacts(limitsHugePages: boolean): Promise<HostFacts> {
  const status = await readFile('/proc/self/status', 'utf8');
  const cpus = (await readdir(CPUS).catch(() => [])).filter((name) => /^cpu\d+$/.test(name)).map((name) => `${CPUS}/${name}/thermal_throttle`);
  const throttles = await Promise.all(cpus.map(async (path) => ((await exists(path)) ? [path] : [])));
  const pages = limitsHugePages ? await readdir('/sys/kernel/mm/hugepages').catch(() => []) : [];
  return {
    hostname: hostname(),
    capabilities: capabilitiesOf(status, 'CapEff'),
    oomScoreAdj: Number(await readFile('/proc/self/oom_score_adj', 'utf8').catch(() => '0')),
    apparmor: await appArmorEnabled(),
    maskedPaths: [...MASKED, ...throttles.flat()],
    pageSizes: pages.map((name) => kernelPageSize(Number(/\d+/.exec(name)?.[0] ?? 0) * 1024)),
  };
}

/** Whether the kernel of this host enforces AppArmor profiles. */
export async function appArmorEnabled(): Promise<boolean> {
  return (await readFile('/sys/module/apparmor/parameters/enabled', 'utf8').catch(() => '')).startsWith('Y');
}
