import { readdir, statfs } from 'node:fs/promises';
import os from 'node:os';
import { readIfPresent } from '../../base/files.js';

/** Memory that is kept back so that the node itself goes on (upstream's default eviction threshold `memory.available<100Mi`). */
const RESERVED_MEMORY = 100 * 1024 * 1024;
/** Likewise `nodefs.available<10%`. */
const RESERVED_DISK = 0.1;

/** What a machine is; fields of a node's `nodeInfo` and capacity. */
export interface Machine {
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly memoryBytes: number;
  /** Quantities by resource. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Reads what this machine has. `folder` stands on the file system that pods write to; it must exist. */
export async function readMachine(folder: string, maxPods: number): Promise<Machine> {
  const read = async (path: string): Promise<string> => ((await readIfPresent(path).catch(() => undefined)) ?? '').trim();
  const [machineId, uuid, bootId, release, disk, hugePages] = await Promise.all([
    read('/etc/machine-id'), read('/sys/class/dmi/id/product_uuid'), read('/proc/sys/kernel/random/boot_id'), read('/etc/os-release'), statfs(folder), hugePageCapacity(read),
  ]);
  const memoryBytes = os.totalmem();
  const diskBytes = disk.blocks * disk.bsize;
  const hugeBytes = Object.values(hugePages).reduce((sum, bytes) => sum + bytes, 0);
  const common = { cpu: String(os.cpus().length || 1), pods: String(maxPods), ...Object.fromEntries(Object.entries(hugePages).map(([name, bytes]) => [name, quantityOfBytes(bytes)])) };
  return {
    machineId: machineId || bootId.replaceAll('-', ''),
    systemUuid: uuid || machineId || bootId,
    bootId,
    kernelVersion: os.release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(release)?.[1] ?? os.type(),
    memoryBytes,
    capacity: { ...common, memory: `${Math.floor(memoryBytes / 1024)}Ki`, 'ephemeral-storage': `${Math.floor(diskBytes / 1024)}Ki` },
    allocatable: { ...common, memory: `${Math.floor((memoryBytes - RESERVED_MEMORY - hugeBytes) / 1024)}Ki`, 'ephemeral-storage': String(Math.floor(diskBytes * (1 - RESERVED_DISK))) },
  };
}

/** Bytes by resource name: what the kernel has set aside for each size of huge pages. */
async function hugePageCapacity(read: (path: string) => Promise<string>): Promise<Readonly<Record<string, number>>> {
  const folder = '/sys/kernel/mm/hugepages';
  const sizes = await readdir(folder).catch(() => []);
  const result: Record<string, number> = {};
  for (const name of sizes) {
    const kibibytes = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
    if (kibibytes > 0) result[`hugepages-${quantityOfBytes(kibibytes * 1024)}`] = Number(await read(`${folder}/${name}/nr_hugepages`)) * kibibytes * 1024;
  }
  return result;
}

function quantityOfBytes(bytes: number): string {
  for (const [unit, size] of [['Gi', 1024 ** 3], ['Mi', 1024 ** 2], ['Ki', 1024]] as const) if (bytes > 0 && bytes % size === 0) return `${bytes / size}${unit}`;
  return String(bytes);
}
