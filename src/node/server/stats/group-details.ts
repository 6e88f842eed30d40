import { readFile } from 'node:fs/promises';

/** What the kernel counts of a control group beyond what everybody needs. Absent: this kernel does not tell. */
export interface GroupDetails {
  readonly cpuUserSeconds?: number;
  readonly cpuSystemSeconds?: number;
  readonly periods?: number;
  readonly throttledPeriods?: number;
  readonly throttledSeconds?: number;
  /** Microseconds; -1: no limit. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  readonly cpuShares?: number;
  /** 0: no limit. */
  readonly memoryLimit?: number;
  readonly cacheBytes?: number;
  readonly mappedFileBytes?: number;
  readonly maxUsageBytes?: number;
  readonly failCount?: number;
  readonly oomKills?: number;
  readonly kernelBytes?: number;
  readonly activeFileBytes?: number;
  readonly inactiveFileBytes?: number;
  readonly threadsMax?: number;
  readonly readBytes?: number;
  readonly writtenBytes?: number;
  readonly reads?: number;
  readonly writes?: number;
}

/** Reads them below `root`; both versions of control groups have their own files, and what is missing is left out. */
export async function readGroupDetails(root: string, path: string, version: 1 | 2): Promise<GroupDetails> {
  return clean(version === 1 ? await readV1(root, path) : await readV2(root, path));
}

type Maybe = { -readonly [K in keyof GroupDetails]: number | undefined };

/** Linux tells programs 100 ticks a second. */
const TICKS = 100;
/** What version 1 says where there is no limit. */
const UNLIMITED = 2 ** 60;

async function readV1(root: string, path: string): Promise<Maybe> {
  const file = (controller: string, name: string): Promise<string | undefined> => readFile(`${root}/${controller}${path}/${name}`, 'utf8').catch(() => undefined);
  const [times, cfs, quota, period, shares, limit, stat, max, failed, oom, kernel, pids, bytes, operations] = await Promise.all([
    file('cpuacct', 'cpuacct.stat'), file('cpu', 'cpu.stat'), file('cpu', 'cpu.cfs_quota_us'), file('cpu', 'cpu.cfs_period_us'), file('cpu', 'cpu.shares'), file('memory', 'memory.limit_in_bytes'), file('memory', 'memory.stat'),
    file('memory', 'memory.max_usage_in_bytes'), file('memory', 'memory.failcnt'), file('memory', 'memory.oom_control'), file('memory', 'memory.kmem.usage_in_bytes'), file('pids', 'pids.max'),
    file('blkio', 'blkio.throttle.io_service_bytes'), file('blkio', 'blkio.throttle.io_serviced'),
  ]);
  const limitBytes = number(limit);
  return {
    cpuUserSeconds: scale(entry(times, 'user'), 1 / TICKS), cpuSystemSeconds: scale(entry(times, 'system'), 1 / TICKS),
    periods: entry(cfs, 'nr_periods'), throttledPeriods: entry(cfs, 'nr_throttled'), throttledSeconds: scale(entry(cfs, 'throttled_time'), 1e-9),
    cpuQuota: number(quota), cpuPeriod: number(period), cpuShares: number(shares), memoryLimit: limitBytes === undefined ? undefined : limitBytes >= UNLIMITED ? 0 : limitBytes,
    cacheBytes: entry(stat, 'total_cache'), mappedFileBytes: entry(stat, 'total_mapped_file'), activeFileBytes: entry(stat, 'total_active_file'), inactiveFileBytes: entry(stat, 'total_inactive_file'),
    maxUsageBytes: number(max), failCount: number(failed), oomKills: entry(oom, 'oom_kill'), kernelBytes: number(kernel), threadsMax: pids?.startsWith('max') ? 0 : number(pids),
    readBytes: devices(bytes, 'Read'), writtenBytes: devices(bytes, 'Write'), reads: devices(operations, 'Read'), writes: devices(operations, 'Write'),
  };
}

async function readV2(root: string, path: string): Promise<Maybe> {
  const file = (name: string): Promise<string | undefined> => readFile(`${root}${path}/${name}`, 'utf8').catch(() => undefined);
  const [cpu, cpuMax, weight, limit, stat, peak, events, pids, io] = await Promise.all([file('cpu.stat'), file('cpu.max'), file('cpu.weight'), file('memory.max'), file('memory.stat'), file('memory.peak'), file('memory.events'), file('pids.max'), file('io.stat')]);
  const [quota, period] = (cpuMax ?? '').trim().split(' ');
  const share = number(weight);
  const total = (name: string): number | undefined => (io === undefined ? undefined : [...io.matchAll(new RegExp(`\\b${name}=(\\d+)`, 'g'))].reduce((sum, match) => sum + Number(match[1]), 0));
  return {
    cpuUserSeconds: scale(entry(cpu, 'user_usec'), 1e-6), cpuSystemSeconds: scale(entry(cpu, 'system_usec'), 1e-6),
    periods: entry(cpu, 'nr_periods'), throttledPeriods: entry(cpu, 'nr_throttled'), throttledSeconds: scale(entry(cpu, 'throttled_usec'), 1e-6),
    cpuQuota: quota === 'max' ? -1 : number(quota), cpuPeriod: number(period), cpuShares: share === undefined ? undefined : Math.trunc(2 + ((share - 1) * 262142) / 9999),
    memoryLimit: limit?.startsWith('max') ? 0 : number(limit), cacheBytes: entry(stat, 'file'), mappedFileBytes: entry(stat, 'file_mapped'), activeFileBytes: entry(stat, 'active_file'), inactiveFileBytes: entry(stat, 'inactive_file'),
    maxUsageBytes: number(peak), failCount: entry(events, 'max'), oomKills: entry(events, 'oom_kill'), kernelBytes: entry(stat, 'kernel'), threadsMax: pids?.startsWith('max') ? 0 : number(pids),
    readBytes: total('rbytes'), writtenBytes: total('wbytes'), reads: total('rios'), writes: total('wios'),
  };
}

function clean(values: Maybe): GroupDetails {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as GroupDetails;
}

function number(text: string | undefined): number | undefined {
  const value = Number.parseInt(text ?? '', 10);
  return Number.isNaN(value) ? undefined : value;
}

function scale(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}

function entry(text: string | undefined, name: string): number | undefined {
  return number(new RegExp(`^${name} (\\d+)`, 'm').exec(text ?? '')?.[1]);
}

/** The sum over all devices of one direction. */
function devices(text: string | undefined, direction: string): number | undefined {
  return text === undefined ? undefined : [...text.matchAll(new RegExp(`^\\d+:\\d+ ${direction} (\\d+)`, 'gm'))].reduce((sum, match) => sum + Number(match[1]), 0);
}
