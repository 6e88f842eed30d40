import type { V1ResourceRequirements } from '../../../../api/generated/types.js';
import { quantityMilliValue, quantityValue } from '../../../../api/quantity.js';

/** Limits of a control group, in the units of the kernel's version 1 files. Absent: as it is. */
export interface CgroupLimits {
  /** 2 to 262144. */
  readonly cpuShares?: number;
  /** Microseconds of CPU time in each period; -1: no limit. */
  readonly cpuQuota?: number;
  /** Microseconds. */
  readonly cpuPeriod?: number;
  /** Bytes; -1: no limit. */
  readonly memory?: number;
  /** Bytes of swap; version 2 only. */
  readonly swap?: number;
  /** Processes and threads; -1: no limit. */
  readonly pids?: number;
  /** Sizes of pages as the kernel writes them (`2MB`), and bytes. */
  readonly hugepages?: readonly { readonly size: string; readonly bytes: number }[];
}

const MIN_SHARES = 2;
const MAX_SHARES = 262144;
const SHARES_OF_A_CPU = 1024;
/** The kubelet's `--cpu-cfs-quota-period`. */
const PERIOD = 100_000;
/** The least that the kernel takes. */
const MIN_QUOTA = 1000;
const HUGEPAGES = 'hugepages-';

/**
 * What the requests and limits of a container or pod are in its control group: the kubelet's rules. Without a request for CPU
 * its limit counts as one; without either it gets the least share.
 */
export function cgroupLimits(resources: V1ResourceRequirements | undefined, pageSizes: readonly string[] = []): CgroupLimits {
  const cpuLimit = resources?.limits?.cpu;
  const cpuRequest = resources?.requests?.cpu ?? cpuLimit;
  const quota = cpuLimit === undefined ? 0 : quantityMilliValue(cpuLimit);
  const memory = resources?.limits?.memory === undefined ? 0 : quantityValue(resources.limits.memory);
  return {
    cpuShares: cpuShares(cpuRequest === undefined ? 0 : quantityMilliValue(cpuRequest)),
    ...(quota > 0 ? { cpuQuota: Math.max(MIN_QUOTA, Math.floor((quota * PERIOD) / 1000)), cpuPeriod: PERIOD } : {}),
    ...(memory > 0 ? { memory } : {}),
    ...(pageSizes.length > 0 ? { hugepages: hugepages(resources, pageSizes) } : {}),
  };
}

/** Relative weight of so many thousandths of a CPU. */
export function cpuShares(milliCpu: number): number {
  return Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.floor((milliCpu * SHARES_OF_A_CPU) / 1000)));
}

/** Version 2's weight (1 to 10000) of version 1's shares: 2, 1024 and 262144 become 1, 100 and 10000. */
export function cpuWeight(shares: number): number {
  if (shares <= MIN_SHARES) return 1;
  if (shares >= MAX_SHARES) return 10_000;
  const log = Math.log2(shares);
  return Math.ceil(10 ** ((log * log + 125 * log) / 612 - 7 / 34));
}

/** Every page size of the host has a limit: 0 unless the pod asked for some. */
function hugepages(resources: V1ResourceRequirements | undefined, pageSizes: readonly string[]): { size: string; bytes: number }[] {
  const asked = new Map<string, number>();
  for (const [name, quantity] of Object.entries(resources?.limits ?? {})) {
    if (name.startsWith(HUGEPAGES)) asked.set(kernelPageSize(quantityValue(name.slice(HUGEPAGES.length))), quantityValue(quantity));
  }
  return pageSizes.map((size) => ({ size, bytes: asked.get(size) ?? 0 }));
}

/** `2MB`, `1GB`: the largest unit that leaves a whole number. */
export function kernelPageSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let unit = 0;
  let size = bytes;
  while (size >= 1024 && size % 1024 === 0 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size}${units[unit]!}`;
}
