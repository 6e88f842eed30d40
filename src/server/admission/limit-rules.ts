import type { V1LimitRangeItem, V1ResourceRequirements } from '../../api/generated/types.js';
import { Quantity } from '../../api/quantity.js';

/** What a container, pod or claim asks for. */
export interface Amounts {
  readonly requests: ReadonlyMap<string, Quantity>;
  readonly limits: ReadonlyMap<string, Quantity>;
}

export function containerAmounts(resources: V1ResourceRequirements | undefined): Amounts {
  return { requests: parseAll(resources?.requests), limits: parseAll(resources?.limits) };
}

function parseAll(amounts: Readonly<Record<string, string>> | undefined): Map<string, Quantity> {
  return new Map(Object.entries(amounts ?? {}).map(([name, text]) => [name, Quantity.parse(text)]));
}

/**
 * What violates one item of a limit range, in upstream's words. With `requestsOnly` the maximum is compared
 * with the request alone (claims have no limits).
 */
export function limitViolations(item: V1LimitRangeItem, amounts: Amounts, requestsOnly = false): string[] {
  const violations: string[] = [];
  const add = (message: string | undefined): void => {
    if (message !== undefined) violations.push(message);
  };
  for (const [name, bound] of parseAll(item.min)) add(minimum(item.type, name, bound, amounts));
  for (const [name, bound] of parseAll(item.max)) add(requestsOnly ? requestMaximum(item.type, name, bound, amounts) : maximum(item.type, name, bound, amounts));
  if (!requestsOnly) for (const [name, bound] of parseAll(item.maxLimitRequestRatio)) add(ratio(item.type, name, bound, amounts));
  return violations;
}

function minimum(type: string, name: string, bound: Quantity, { requests, limits }: Amounts): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${bound}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (!request) return `${rule}.  No request is specified`;
  if (request.compare(bound) < 0) return `${rule}, but request is ${request}`;
  return limit && limit.compare(bound) < 0 ? `${rule}, but limit is ${limit}` : undefined;
}

function requestMaximum(type: string, name: string, bound: Quantity, { requests }: Amounts): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  const request = requests.get(name);
  if (!request) return `${rule}.  No request is specified`;
  return request.compare(bound) > 0 ? `${rule}, but request is ${request}` : undefined;
}

function maximum(type: string, name: string, bound: Quantity, { requests, limits }: Amounts): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${bound}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (!limit) return `${rule}.  No limit is specified`;
  if (limit.compare(bound) > 0) return `${rule}, but limit is ${limit}`;
  return request && request.compare(bound) > 0 ? `${rule}, but request is ${request}` : undefined;
}

function ratio(type: string, name: string, bound: Quantity, { requests, limits }: Amounts): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`;
  const request = requests.get(name);
  const limit = limits.get(name);
  if (!request || request.sign === 0) return `${rule}, but no request is specified or request is 0`;
  if (!limit || limit.sign === 0) return `${rule}, but no limit is specified or limit is 0`;
  const observed = limit.toNumber() / request.toNumber();
  return observed > bound.toNumber() ? `${rule}, but provided ratio is ${observed.toFixed(6)}` : undefined;
}
