import type { V1Container, V1PersistentVolumeClaim, V1Pod, V1ResourceQuota, V1ScopedResourceSelectorRequirement, V1Service } from '../generated/types.js';
import { groupResourceText, type GroupResource, type KubeObject } from '../meta/object.js';
import { Quantity } from '../quantity.js';
import { podLimitQuantities, podRequestQuantities } from './pod-resources.js';
import { podMatchesScope, volumeClaimMatchesScope } from './quota-scopes.js';
import { isExtendedResource, isHugePages, isNativeResource } from './resource-names.js';

/** Amounts by the name under which quotas count them. */
export type Usage = ReadonlyMap<string, Quantity>;

/** How objects of one resource count against quotas. Pure. */
export interface QuotaEvaluator {
  /** Those of `names` (of `hard`) that objects of this kind count against. */
  matchingNames(names: readonly string[]): string[];
  /** What one object uses. `now` in milliseconds. */
  usage(object: KubeObject, now: number): Usage;
  /** Whether an object is in a scope; kinds without scopes are in none. */
  matchesScope(requirement: V1ScopedResourceSelectorRequirement, object: KubeObject): boolean;
  /** Says what an object must specify because one of `names` is limited; undefined when nothing is missing. */
  missing(names: readonly string[], object: KubeObject): string | undefined;
}

const ONE = Quantity.parse('1');

/** Names that were used before `count/…`. */
const ALIASES: Readonly<Record<string, string>> = {
  configmaps: 'configmaps', resourcequotas: 'resourcequotas', replicationcontrollers: 'replicationcontrollers', secrets: 'secrets',
};

/** Never counted: what is not stored, and events. */
const IGNORED = new Set([
  'bindings', 'componentstatuses', 'events', 'events.events.k8s.io', 'tokenreviews.authentication.k8s.io', 'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io', 'selfsubjectaccessreviews.authorization.k8s.io', 'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

/** `count/pods`, `count/deployments.apps`. */
const objectCountName = (resource: GroupResource): string => `count/${groupResourceText(resource)}`;

/** How objects of a resource count; undefined for those that never do. */
export function quotaEvaluator(resource: GroupResource): QuotaEvaluator | undefined {
  if (IGNORED.has(groupResourceText(resource))) return undefined;
  if (resource.group === '') {
    if (resource.resource === 'pods') return PODS;
    if (resource.resource === 'services') return SERVICES;
    if (resource.resource === 'persistentvolumeclaims') return CLAIMS;
  }
  const alias = resource.group === '' ? ALIASES[resource.resource] : undefined;
  return countingEvaluator([objectCountName(resource), ...(alias === undefined ? [] : [alias])]);
}

const without = { matchesScope: () => false, missing: () => undefined };

function countingEvaluator(names: readonly string[]): QuotaEvaluator {
  const usage = new Map(names.map((name) => [name, ONE]));
  return { ...without, matchingNames: (wanted) => wanted.filter((name) => usage.has(name)), usage: () => usage };
}

/** The scope rules of a quota, whichever way they are written. */
export function quotaScopes(quota: V1ResourceQuota): V1ScopedResourceSelectorRequirement[] {
  const plain = (quota.spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(quota.spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Whether an object counts against a quota whose limits have these names. */
export function quotaMatches(quota: V1ResourceQuota, names: readonly string[], evaluator: QuotaEvaluator, object: KubeObject): boolean {
  return evaluator.matchingNames(names).length > 0 && quotaScopes(quota).every((requirement) => evaluator.matchesScope(requirement, object));
}

/**
 * What is used of a quota's limits: every name of `spec.hard` is in the result. `objectsOf` gives the objects of a resource in the
 * quota's namespace; it is asked only for resources that the limits can be about.
 */
export function quotaUsage(quota: V1ResourceQuota, resources: readonly GroupResource[], objectsOf: (resource: GroupResource) => readonly KubeObject[], now: number): Map<string, Quantity> {
  const names = Object.keys(quota.spec?.hard ?? {});
  const scopes = quotaScopes(quota);
  const used = new Map(names.map((name) => [name, Quantity.zero]));
  for (const resource of resources) {
    const evaluator = quotaEvaluator(resource);
    const wanted = evaluator?.matchingNames(names) ?? [];
    if (!evaluator || wanted.length === 0) continue;
    for (const object of objectsOf(resource)) {
      if (!scopes.every((requirement) => evaluator.matchesScope(requirement, object))) continue;
      const usage = evaluator.usage(object, now);
      for (const name of wanted) {
        const amount = usage.get(name);
        if (amount) used.set(name, used.get(name)!.add(amount));
      }
    }
  }
  return used;
}

const POD_NAMES = new Set([
  'count/pods', 'pods', 'cpu', 'memory', 'ephemeral-storage', 'requests.cpu', 'requests.memory', 'requests.ephemeral-storage', 'limits.cpu', 'limits.memory',
  'limits.ephemeral-storage',
]);
/** When one of these is limited, every container must specify it. */
const DEMANDED = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];

const PODS: QuotaEvaluator = {
  matchingNames: (names) => names.filter((name) => POD_NAMES.has(name) || isPrefixedPodName(name)),
  usage: (object, now) => podUsage(object as V1Pod, now),
  matchesScope: (requirement, object) => podMatchesScope(requirement, object as V1Pod),
  missing: (names, object) => missingResources(names, object as V1Pod),
};

function isPrefixedPodName(name: string): boolean {
  if (isHugePages(name) || name.startsWith('requests.hugepages-')) return true;
  const bare = name.startsWith('requests.') ? name.slice('requests.'.length) : undefined;
  return bare !== undefined && (!isNativeResource(name) || bare.startsWith('deviceclass.resource.kubernetes.io/'));
}

/** Pods that have ended, or should have by now, use nothing but their place as objects. */
function podUsage(pod: V1Pod, now: number): Usage {
  const usage = new Map([['count/pods', ONE]]);
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
  const phase = pod.status?.phase;
  if (phase === 'Failed' || phase === 'Succeeded') return usage;
  if (deletionTimestamp !== undefined && deletionGracePeriodSeconds !== undefined && now > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000) return usage;
  addCompute(usage, podRequestQuantities(pod, { useStatus: true }), podLimitQuantities(pod, { useStatus: true }));
  return usage;
}

function addCompute(usage: Map<string, Quantity>, requests: Usage, limits: Usage): void {
  usage.set('pods', ONE);
  for (const name of COMPUTE) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request) usage.set(name, request).set(`requests.${name}`, request);
    if (limit) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (isHugePages(name)) usage.set(name, request).set(`requests.${name}`, request);
    else if (isExtendedResource(name)) usage.set(`requests.${name}`, request);
  }
}

function missingResources(names: readonly string[], pod: V1Pod): string | undefined {
  const { requests: podRequests, limits: podLimits } = pod.spec?.resources ?? {};
  if (Object.keys(podRequests ?? {}).length > 0 || Object.keys(podLimits ?? {}).length > 0) return undefined;
  const demanded = names.filter((name) => DEMANDED.has(name)).sort();
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const complaints = demanded.flatMap((name) => {
    const lacking = containers.filter((container) => !specifies(container, name)).map((container) => container.name);
    return lacking.length === 0 ? [] : [`${name} for: ${[...new Set(lacking)].sort().join(',')}`];
  });
  return complaints.length === 0 ? undefined : `must specify ${complaints.join('; ')}`;
}

function specifies({ resources }: V1Container, name: string): boolean {
  return name.startsWith('limits.') ? resources?.limits?.[name.slice('limits.'.length)] !== undefined : resources?.requests?.[name.replace('requests.', '')] !== undefined;
}

const SERVICE_NAMES = new Set(['count/services', 'services', 'services.nodeports', 'services.loadbalancers']);

const SERVICES: QuotaEvaluator = {
  ...without,
  matchingNames: (names) => names.filter((name) => SERVICE_NAMES.has(name)),
  usage: (object) => {
    const spec = (object as V1Service).spec;
    const ports = spec?.ports ?? [];
    const isBalancer = spec?.type === 'LoadBalancer';
    const onNodes = isBalancer && spec.allocateLoadBalancerNodePorts === false ? ports.filter((port) => port.nodePort) : isBalancer || spec?.type === 'NodePort' ? ports : [];
    return new Map([
      ['count/services', ONE],
      ['services', ONE],
      ['services.nodeports', Quantity.parse(String(onNodes.length))],
      ['services.loadbalancers', isBalancer ? ONE : Quantity.zero],
    ]);
  },
};

const CLASS_INFIX = '.storageclass.storage.k8s.io/';
const CLAIM_NAMES = ['persistentvolumeclaims', 'requests.storage'];

const CLAIMS: QuotaEvaluator = {
  missing: () => undefined,
  matchingNames: (names) =>
    names.filter((name) => name === 'count/persistentvolumeclaims' || CLAIM_NAMES.some((bare) => name === bare || name.endsWith(CLASS_INFIX + bare))),
  matchesScope: (requirement, object) => volumeClaimMatchesScope(requirement, object as V1PersistentVolumeClaim),
  usage: (object) => claimUsage(object as V1PersistentVolumeClaim),
};

function claimUsage(claim: V1PersistentVolumeClaim): Usage {
  const usage = new Map([['persistentvolumeclaims', ONE], ['count/persistentvolumeclaims', ONE]]);
  const className = claim.metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? claim.spec?.storageClassName ?? '';
  const add = (name: string, amount: Quantity): void => {
    usage.set(name, amount);
    if (className !== '') usage.set(className + CLASS_INFIX + name, amount);
  };
  add('persistentvolumeclaims', ONE);
  const requested = claim.spec?.resources?.requests?.['storage'];
  if (requested === undefined) return usage;
  let amount = Quantity.parse(requested);
  const allocated = claim.status?.allocatedResources?.['storage'];
  if (allocated !== undefined && Quantity.parse(allocated).compare(amount) > 0) amount = Quantity.parse(allocated);
  add('requests.storage', amount.roundUp(0));
  return usage;
}
