import { Quantity } from '../../api/quantity.js';

/** What the kubelet watches so that a node does not run out of something; its names. */
export type Signal = 'memory.available' | 'nodefs.available' | 'nodefs.inodesFree' | 'imagefs.available' | 'imagefs.inodesFree' | 'pid.available';

/** A condition of a node that says that it runs short of something. */
export type PressureCondition = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

/** What is short. `inodes` and `pids` are the kubelet's own names. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

/** Below which amount of a signal the node is under pressure. */
export interface Threshold {
  readonly signal: Signal;
  /** A quantity (`100Mi`), or a share of the capacity (`10%`). */
  readonly value: string;
}

/** How much there is at a moment. */
export interface Observation {
  readonly available: Quantity;
  /** Of the whole, in units. */
  readonly capacity: number;
}

/** Signals that cannot be observed are absent. */
export type Observations = ReadonlyMap<Signal, Observation>;

/** The kubelet's defaults for `evictionHard`. Process numbers have none. */
export const DEFAULT_THRESHOLDS: readonly Threshold[] = [
  { signal: 'memory.available', value: '100Mi' },
  { signal: 'nodefs.available', value: '10%' },
  { signal: 'nodefs.inodesFree', value: '5%' },
  { signal: 'imagefs.available', value: '15%' },
  { signal: 'imagefs.inodesFree', value: '5%' },
];

const CONDITIONS: Readonly<Record<Signal, PressureCondition>> = {
  'memory.available': 'MemoryPressure', 'nodefs.available': 'DiskPressure', 'nodefs.inodesFree': 'DiskPressure', 'imagefs.available': 'DiskPressure', 'imagefs.inodesFree': 'DiskPressure', 'pid.available': 'PIDPressure',
};

const RESOURCES: Readonly<Record<Signal, StarvedResource>> = {
  'memory.available': 'memory', 'nodefs.available': 'ephemeral-storage', 'nodefs.inodesFree': 'inodes', 'imagefs.available': 'ephemeral-storage', 'imagefs.inodesFree': 'inodes', 'pid.available': 'pids',
};

/** The condition that a signal below its threshold brings about. */
export function conditionOf(signal: Signal): PressureCondition {
  return CONDITIONS[signal];
}

/** The resource that a signal is about. */
export function resourceOf(signal: Signal): StarvedResource {
  return RESOURCES[signal];
}

/** A threshold as an amount, given the capacity that shares are of. */
export function thresholdQuantity(threshold: Threshold, capacity: number): Quantity {
  const { value } = threshold;
  return value.endsWith('%') ? Quantity.of(Math.trunc((capacity * Number(value.slice(0, -1))) / 100), 'BinarySI') : Quantity.parse(value);
}

/** The thresholds that are crossed, memory first. */
export function crossedThresholds(thresholds: readonly Threshold[], observations: Observations): readonly Threshold[] {
  const crossed = thresholds.filter((threshold) => {
    const observed = observations.get(threshold.signal);
    return observed !== undefined && thresholdQuantity(threshold, observed.capacity).compare(observed.available) > 0;
  });
  return [...crossed.filter(({ signal }) => signal === 'memory.available'), ...crossed.filter(({ signal }) => signal !== 'memory.available')];
}
