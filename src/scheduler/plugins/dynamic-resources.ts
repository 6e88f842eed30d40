import type { ResourceV1ResourceClaim, V1Pod } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { nodeSelectorMatches } from '../../api/helpers/node-selection.js';
import { RESOURCE_CLAIMS } from '../../api/resource-refs.js';
import type { Client, Lister } from '../../client/index.js';
import { Action } from '../framework/cluster-event.js';
import type { FilterPlugin, PostFilterPlugin, PreBindPlugin, PreEnqueuePlugin, ReservePlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';

const NAME = 'DynamicResources';
const IN_USE = unresolvable(NAME, 'resourceclaim in use');
const NOT_ON_NODE = unresolvable(NAME, 'resourceclaim not available on the node');
const NOT_ALLOCATED = unresolvable(NAME, 'cannot allocate all claims');

/** At most this many pods share a claim. */
const MAX_CONSUMERS = 256;

/**
 * Places pods with resource claims (KEP-4381) whose claims are allocated: on nodes that the allocation reaches, reserving the claims for the pod.
 * Claims that nobody has allocated keep a pod pending: choosing devices is not done here.
 */
export function dynamicResourcesPlugin(
  client: Client,
  claims: Lister<ResourceV1ResourceClaim>,
): PreEnqueuePlugin & FilterPlugin & PostFilterPlugin & ReservePlugin & PreBindPlugin {
  return {
    name: NAME,
    interests: [
      { resource: 'resource.k8s.io/ResourceClaim', actions: Action.Add | Action.Update, hint: (pod, before, after) => claimHint(pod, before as ResourceV1ResourceClaim | undefined, after as ResourceV1ResourceClaim | undefined) },
      { resource: 'Pod', actions: Action.UpdatePodGeneratedResourceClaim, hint: (pod, _before, after) => after?.metadata?.uid === pod.metadata?.uid },
      { resource: 'Node', actions: Action.Add | Action.UpdateNodeLabel },
    ],
    preEnqueue: (pod) => {
      const found = claimsOf(pod, claims);
      return typeof found === 'string' ? unresolvable(NAME, found) : undefined;
    },
    prepareFilter: ({ pod }) => {
      const found = claimsOf(pod, claims);
      if (typeof found === 'string') return unresolvable(NAME, found);
      if (found.length === 0) return undefined;
      if (found.some((claim) => !canUse(claim, pod))) return IN_USE;
      const allocated = found.every((claim) => claim.status?.allocation);
      return {
        filter: ({ node }) => {
          if (!allocated) return NOT_ALLOCATED;
          const reachable = found.every(({ status }) => !status?.allocation?.nodeSelector || nodeSelectorMatches(status.allocation.nodeSelector, node));
          return reachable ? undefined : NOT_ON_NODE;
        },
      };
    },
    postFilter: (cycle) => {
      if (!cycle.prepared.has(NAME)) throw new Error('not found');
      return { nominatedNode: undefined, success: false, message: cycle.filters.has(NAME) ? 'still not schedulable' : 'no new claims to deallocate' };
    },
    reserve: () => undefined,
    unreserve: () => undefined,
    needsPreBind: (cycle) => cycle.filters.has(NAME) && unreserved(cycle.pod.pod, claims).length > 0,
    preBind: async (cycle) => {
      const { pod, name, uid } = cycle.pod;
      for (const claim of unreserved(pod, claims)) {
        const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: 'pods', name, uid }];
        await client.resource(RESOURCE_CLAIMS).updateStatus({ ...claim, status: { ...claim.status, reservedFor } });
      }
    },
  };
}

/** The claims of a pod, or why they cannot be found. */
function claimsOf(pod: V1Pod, claims: Lister<ResourceV1ResourceClaim>): readonly ResourceV1ResourceClaim[] | string {
  const found: ResourceV1ResourceClaim[] = [];
  for (const { name, resourceClaimName } of pod.spec?.resourceClaims ?? []) {
    const made = pod.status?.resourceClaimStatuses?.find((one) => one.name === name);
    // The controller found that this claim is not needed.
    if (made && made.resourceClaimName === undefined) continue;
    const claimName = resourceClaimName ?? made?.resourceClaimName;
    if (claimName === undefined) return `pod claim "${name}": ResourceClaim not created yet`;
    const claim = claims.get(pod.metadata?.namespace ?? '', claimName);
    if (!claim) return `pod claim "${name}": resourceclaim.resource.k8s.io "${claimName}" not found`;
    if (claim.metadata?.deletionTimestamp !== undefined) return `resourceclaim "${claimName}" is being deleted`;
    found.push(claim);
  }
  return found;
}

function isReservedFor(claim: ResourceV1ResourceClaim, pod: V1Pod): boolean {
  return claim.status?.reservedFor?.some((one) => one.uid === pod.metadata?.uid) ?? false;
}

function canUse(claim: ResourceV1ResourceClaim, pod: V1Pod): boolean {
  return isReservedFor(claim, pod) || (claim.status?.reservedFor?.length ?? 0) < MAX_CONSUMERS;
}

function unreserved(pod: V1Pod, claims: Lister<ResourceV1ResourceClaim>): readonly ResourceV1ResourceClaim[] {
  const found = claimsOf(pod, claims);
  return typeof found === 'string' ? [] : found.filter((claim) => !isReservedFor(claim, pod));
}

function claimHint(pod: V1Pod, before: ResourceV1ResourceClaim | undefined, after: ResourceV1ResourceClaim | undefined): boolean {
  if (before?.status?.allocation && !after?.status?.allocation) return true;
  const names = (pod.spec?.resourceClaims ?? []).map(
    ({ name, resourceClaimName }) => resourceClaimName ?? pod.status?.resourceClaimStatuses?.find((one) => one.name === name)?.resourceClaimName,
  );
  const used = after?.metadata?.namespace === pod.metadata?.namespace && names.includes(after?.metadata?.name);
  return used && (!before || !deepEqual(before.status, after?.status));
}
