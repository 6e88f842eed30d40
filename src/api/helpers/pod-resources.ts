import type { V1Container, V1Pod, V1PodStatus } from '../generated/types.js';
import { Quantity, quantityMilliValue, quantityValue } from '../quantity.js';
import { isSidecar } from './pod-containers.js';
import { isPodLevelResource } from './resource-names.js';

type Amounts = Readonly<Record<string, string>> | undefined;

/** Arithmetic of one way of holding amounts. */
interface Arithmetic<T> {
  readonly parse: (name: string, text: string) => T;
  readonly add: (a: T, b: T) => T;
  readonly isMore: (a: T, b: T) => boolean;
}

/** What a pod needs: cpu in thousandths, everything else in units. */
const NUMBERS: Arithmetic<number> = {
  parse: (name, text) => (name === 'cpu' ? quantityMilliValue(text) : quantityValue(text)),
  add: (a, b) => a + b,
  isMore: (a, b) => a > b,
};

const QUANTITIES: Arithmetic<Quantity> = {
  parse: (_name, text) => Quantity.parse(text),
  add: (a, b) => a.add(b),
  isMore: (a, b) => a.compare(b) > 0,
};

export interface PodResourcesOptions {
  /** Assumed for containers that do not request the resource (the scheduler's spreading scores). */
  readonly nonMissing?: Readonly<Record<string, number>>;
  readonly excludeOverhead?: boolean;
  /** Take what containers really have from status, for pods that are being resized. */
  readonly useStatus?: boolean;
}

/**
 * What a pod requests: containers summed, init containers at their peak (sidecars stay), pod-level requests
 * in their stead where set, overhead on top. cpu in thousandths of a core, everything else in units.
 */
export function podRequests(pod: V1Pod, options: PodResourcesOptions = {}): Map<string, number> {
  return requests(pod, NUMBERS, options, options.nonMissing);
}

/** As {@link podRequests}, exact. */
export function podRequestQuantities(pod: V1Pod, options: Omit<PodResourcesOptions, 'nonMissing'> = {}): Map<string, Quantity> {
  return requests(pod, QUANTITIES, options, undefined);
}

/** Limits of a pod by the same rules; overhead only adds to limits that are set. */
export function podLimits(pod: V1Pod, options: Omit<PodResourcesOptions, 'nonMissing'> = {}): Map<string, number> {
  return limits(pod, NUMBERS, options);
}

/** As {@link podLimits}, exact. */
export function podLimitQuantities(pod: V1Pod, options: Omit<PodResourcesOptions, 'nonMissing'> = {}): Map<string, Quantity> {
  return limits(pod, QUANTITIES, options);
}

function requests<T>(pod: V1Pod, arithmetic: Arithmetic<T>, options: PodResourcesOptions, nonMissing: Readonly<Record<string, T>> | undefined): Map<string, T> {
  const infeasible = options.useStatus === true && isResizeInfeasible(pod);
  const total = aggregate(pod, arithmetic, nonMissing, (container, restartable) => {
    const wanted = read(container.resources?.requests, arithmetic);
    const status = options.useStatus === true && restartable ? statusOf(pod.status, container.name) : undefined;
    if (!status?.resources) return wanted;
    const held = read(status.resources.requests, arithmetic);
    raise(held, read(status.allocatedResources, arithmetic), arithmetic);
    if (!infeasible) raise(held, wanted, arithmetic);
    return held;
  });
  const podLevel = pod.spec?.resources?.requests;
  for (const name in podLevel) {
    if (!isPodLevelResource(name)) continue;
    let amount = arithmetic.parse(name, podLevel[name]!);
    if (options.useStatus === true && pod.status?.resources) {
      const held = read(pod.status.resources.requests, arithmetic);
      raise(held, read(pod.status.allocatedResources, arithmetic), arithmetic);
      if (infeasible) amount = held.get(name) ?? amount;
      else if (held.has(name) && arithmetic.isMore(held.get(name)!, amount)) amount = held.get(name)!;
    }
    total.set(name, amount);
  }
  if (options.excludeOverhead !== true) addAll(total, read(pod.spec?.overhead, arithmetic), arithmetic);
  return total;
}

function limits<T>(pod: V1Pod, arithmetic: Arithmetic<T>, options: PodResourcesOptions): Map<string, T> {
  const infeasible = options.useStatus === true && isResizeInfeasible(pod);
  const total = aggregate(pod, arithmetic, undefined, (container, restartable) => {
    const wanted = read(container.resources?.limits, arithmetic);
    const status = options.useStatus === true && restartable ? statusOf(pod.status, container.name) : undefined;
    if (!status?.resources) return wanted;
    const held = read(status.resources.limits, arithmetic);
    if (!infeasible) raise(held, wanted, arithmetic);
    return held;
  });
  const podLevel = pod.spec?.resources?.limits;
  for (const name in podLevel) if (isPodLevelResource(name)) total.set(name, arithmetic.parse(name, podLevel[name]!));
  if (options.excludeOverhead !== true) {
    for (const [name, amount] of read(pod.spec?.overhead, arithmetic)) {
      const limit = total.get(name);
      if (limit !== undefined) total.set(name, arithmetic.add(limit, amount));
    }
  }
  return total;
}

function aggregate<T>(
  pod: V1Pod,
  arithmetic: Arithmetic<T>,
  nonMissing: Readonly<Record<string, T>> | undefined,
  amountsOf: (container: V1Container, restartable: boolean) => Map<string, T>,
): Map<string, T> {
  const withAssumed = (amounts: Map<string, T>): Map<string, T> => {
    for (const name in nonMissing) if (!amounts.has(name)) amounts.set(name, nonMissing[name]!);
    return amounts;
  };
  const total = new Map<string, T>();
  for (const container of pod.spec?.containers ?? []) addAll(total, withAssumed(amountsOf(container, true)), arithmetic);
  const initContainers = pod.spec?.initContainers;
  if (!initContainers?.length) return total;
  const sidecars = new Map<string, T>();
  const peak = new Map<string, T>();
  for (const container of initContainers) {
    const restartable = isSidecar(container);
    const amounts = withAssumed(amountsOf(container, restartable));
    if (restartable) {
      addAll(total, amounts, arithmetic);
      addAll(sidecars, amounts, arithmetic);
      raise(peak, sidecars, arithmetic);
    } else {
      addAll(amounts, sidecars, arithmetic);
      raise(peak, amounts, arithmetic);
    }
  }
  raise(total, peak, arithmetic);
  return total;
}

function isResizeInfeasible(pod: V1Pod): boolean {
  return pod.status?.conditions?.find((condition) => condition.type === 'PodResizePending')?.reason === 'Infeasible';
}

function statusOf(status: V1PodStatus | undefined, name: string): NonNullable<V1PodStatus['containerStatuses']>[number] | undefined {
  return status?.containerStatuses?.find((item) => item.name === name) ?? status?.initContainerStatuses?.find((item) => item.name === name);
}

function read<T>(amounts: Amounts, arithmetic: Arithmetic<T>): Map<string, T> {
  const result = new Map<string, T>();
  for (const name in amounts) result.set(name, arithmetic.parse(name, amounts[name]!));
  return result;
}

function addAll<T>(total: Map<string, T>, more: ReadonlyMap<string, T>, arithmetic: Arithmetic<T>): void {
  for (const [name, amount] of more) {
    const old = total.get(name);
    total.set(name, old === undefined ? amount : arithmetic.add(old, amount));
  }
}

function raise<T>(total: Map<string, T>, other: ReadonlyMap<string, T>, arithmetic: Arithmetic<T>): void {
  for (const [name, amount] of other) {
    const old = total.get(name);
    if (old === undefined || arithmetic.isMore(amount, old)) total.set(name, amount);
  }
}
