import type { V1Pod, V1PodSpec, V1ResourceRequirements } from '../generated/types.js';
import { Quantity } from '../quantity.js';

export type PodQosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** The class in status, or what the spec makes it. */
export function podQosClass(pod: V1Pod): PodQosClass {
  const known = pod.status?.qosClass;
  return known ? (known as PodQosClass) : computeQosClass(pod.spec);
}

/**
 * Guaranteed: every container (init containers too) limits cpu and memory, and requests equal limits.
 * BestEffort: nothing is requested or limited. Pod-level resources count alone where they are set.
 */
export function computeQosClass(spec: V1PodSpec | undefined): PodQosClass {
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let guaranteed = true;
  const count = (resources: V1ResourceRequirements | undefined, needLimits: boolean): void => {
    add(requests, resources?.requests);
    const limited = add(limits, resources?.limits);
    if (needLimits && limited < 2) guaranteed = false;
  };
  if (spec?.resources) count(spec.resources, Object.keys(spec.resources.limits ?? {}).length > 0);
  else {
    for (const container of spec?.containers ?? []) count(container.resources, true);
    for (const container of spec?.initContainers ?? []) count(container.resources, true);
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  if (!guaranteed || requests.size !== limits.size) return 'Burstable';
  for (const [name, amount] of requests) if (limits.get(name)?.equals(amount) !== true) return 'Burstable';
  return 'Guaranteed';
}

/** Adds what is above zero; returns how many of cpu and memory there were. */
function add(total: Map<string, Quantity>, amounts: Readonly<Record<string, string>> | undefined): number {
  if (amounts === undefined) return 0;
  let found = 0;
  for (const name of ['cpu', 'memory']) {
    const text = amounts[name];
    if (text === undefined) continue;
    const amount = parse(text);
    if (amount === undefined || amount.sign <= 0) continue;
    found++;
    const old = total.get(name);
    total.set(name, old === undefined ? amount : old.add(amount));
  }
  return found;
}

/** Text that is no quantity is reported by validation, which runs later. */
function parse(text: string): Quantity | undefined {
  try {
    return Quantity.parse(text);
  } catch {
    return undefined;
  }
}
