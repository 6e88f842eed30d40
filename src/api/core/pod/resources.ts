import type { V1PodSpec, V1ResourceRequirements } from '../../generated/types.js';
import { isHugePages, isOvercommitAllowed, isPodLevelResource } from '../../helpers/resource-names.js';
import { podLimitQuantities, podRequestQuantities } from '../../helpers/pod-resources.js';
import { duplicate, forbidden, invalid, notFound, notSupported, required, withDetail, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { dns1123Label } from '../../meta/validation/names.js';
import type { Quantity } from '../../quantity.js';
import { quantityOf, validateResourceQuantity } from '../validation/quantities.js';
import { validateContainerResourceName, validateResourceName } from '../validation/resource-names.js';

type Amounts = Readonly<Record<string, string>> | undefined;
type NameRule = (name: string, path: FieldPath) => FieldError[];

/** Rules of the `resources` of a container. `claims` are the names of the pod's resource claims. */
export function checkContainerResources(resources: V1ResourceRequirements | undefined, claims: ReadonlySet<string>, path: FieldPath, errors: FieldError[]): void {
  if (resources !== undefined) checkRequirements(resources, validateContainerResourceName, claims, path, errors);
}

/** Rules of `overhead`, which are those of limits. */
export function checkOverhead(overhead: Amounts, path: FieldPath, errors: FieldError[]): void {
  if (overhead !== undefined) checkRequirements({ limits: overhead }, validateContainerResourceName, new Set(), path, errors);
}

/** Rules of the `resources` of a whole pod, which must be at least what its containers add up to. */
export function checkPodResources(spec: V1PodSpec, claims: ReadonlySet<string>, path: FieldPath, errors: FieldError[]): void {
  const { resources } = spec;
  if (resources === undefined) return;
  const at = path.child('resources');
  if (spec.os?.name === 'windows') return void errors.push(forbidden(at, 'may not be set for a windows pod'));
  if (resources.claims !== undefined) errors.push(forbidden(at.child('claims'), 'claims may not be set for Resources at pod-level'));
  checkRequirements(resources, podResourceName, claims, at, errors);
  checkConsistency(spec, resources, at, errors);
}

const podResourceName: NameRule = (name, path) => {
  const errors = validateResourceName(name, path);
  if (errors.length === 0 && !isPodLevelResource(name)) errors.push(notSupported(path, name, ['cpu', 'hugepages-', 'memory']));
  return errors;
};

function checkRequirements(resources: V1ResourceRequirements, nameRule: NameRule, claims: ReadonlySet<string>, path: FieldPath, errors: FieldError[]): void {
  const { limits, requests } = resources;
  let compute = false;
  let hugePages = false;
  const checkAmount = (name: string, text: string, at: FieldPath): void => {
    errors.push(...nameRule(name, at), ...validateResourceQuantity(name, text, at));
    compute ||= name === 'cpu' || name === 'memory';
  };
  const checkPages = (name: string, text: string, at: FieldPath): void => {
    if (!isHugePages(name)) return;
    hugePages = true;
    const amount = quantityOf(text);
    if (!isMultipleOfPage(name, amount)) errors.push(invalid(at, amount.toString(), `${amount} is not positive integer multiple of ${name}`));
  };
  for (const name in limits) {
    const at = path.child('limits').key(name);
    checkAmount(name, limits[name]!, at);
    checkPages(name, limits[name]!, at);
  }
  for (const name in requests) {
    const at = path.child('requests').key(name);
    checkAmount(name, requests[name]!, at);
    const limit = limits?.[name];
    if (limit !== undefined) {
      if (limit !== requests[name]) checkLimit(name, quantityOf(requests[name]), quantityOf(limit), path.child('requests'), errors);
    } else if (!isOvercommitAllowed(name)) errors.push(required(path.child('limits'), 'Limit must be set for non overcommitable resources'));
    checkPages(name, requests[name]!, at);
  }
  if (hugePages && !compute) errors.push(forbidden(path, 'HugePages require cpu or memory'));
  if (resources.claims !== undefined) checkClaims(resources, claims, path.child('claims'), errors);
}

function checkLimit(name: string, request: Quantity, limit: Quantity, path: FieldPath, errors: FieldError[]): void {
  const order = request.compare(limit);
  if (order !== 0 && !isOvercommitAllowed(name)) errors.push(invalid(path, request.toString(), `must be equal to ${name} limit of ${limit}`));
  else if (order > 0) errors.push(invalid(path, request.toString(), `must be less than or equal to ${name} limit of ${limit}`));
}

function isMultipleOfPage(name: string, amount: Quantity): boolean {
  const page = quantityOf(name.slice('hugepages-'.length));
  if (page.sign <= 0 || page.milliValue() % 1000 !== 0) return false;
  return amount.value() % page.value() === 0;
}

function checkClaims(resources: V1ResourceRequirements, podClaims: ReadonlySet<string>, path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  resources.claims!.forEach((claim, i) => {
    const at = path.index(i);
    const { name } = claim;
    if (!name) return void errors.push(required(at));
    if (seen.has(name)) errors.push(duplicate(at, name));
    else {
      if (claim.request) for (const message of dns1123Label(claim.request)) errors.push(invalid(at.child('request'), claim.request, message));
      const key = claim.request ? `${name}/${claim.request}` : name;
      if (seen.has(key)) errors.push(duplicate(at, key));
      else if (!claim.request) for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(at, name));
      seen.add(key);
    }
    if (!podClaims.has(name)) {
      const known = podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].sort().join(', ')}`;
      errors.push(withDetail(notFound(at, name), `must be one of the names in pod.spec.resourceClaims${known}`));
    }
  });
}

function checkConsistency(spec: V1PodSpec, resources: V1ResourceRequirements, path: FieldPath, errors: FieldError[]): void {
  const containersOnly = { spec: { ...spec, resources: undefined, overhead: undefined } };
  const safely = <T>(sum: () => Map<string, T>): Map<string, T> => {
    try {
      return sum();
    } catch {
      // Text that is no quantity has been refused by the decoder.
      return new Map();
    }
  };
  for (const [name, total] of safely(() => podRequestQuantities(containersOnly))) {
    const own = resources.requests?.[name];
    if (own !== undefined && total.compare(quantityOf(own)) > 0) {
      errors.push(invalid(path.child('requests').key(name), quantityOf(own).toString(), `must be greater than or equal to aggregate container requests of ${total}`));
    }
  }
  for (const [name, total] of safely(() => podLimitQuantities(containersOnly))) {
    const own = resources.limits?.[name];
    if (isHugePages(name) && own !== undefined && total.compare(quantityOf(own)) > 0) {
      errors.push(invalid(path.child('limits').key(name), quantityOf(own).toString(), `must be greater than or equal to aggregate container limits of ${total}`));
    }
  }
  (spec.containers ?? []).forEach((container, i) => {
    const limits = container.resources?.limits;
    for (const name in limits) {
      const own = resources.limits?.[name];
      if (own === undefined || quantityOf(limits[name]).compare(quantityOf(own)) <= 0) continue;
      errors.push(invalid(path.child('containers').index(i).key(name).child('limits'), quantityOf(limits[name]).toString(),
        `must be less than or equal to pod limits of ${quantityOf(own)}`));
    }
  });
}
