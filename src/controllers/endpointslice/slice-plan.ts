import type { DiscoveryV1EndpointPort, V1Endpoint, V1EndpointSlice } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';

/** Upstream's `--max-endpoints-per-slice`. */
export const MAX_ENDPOINTS = 100;

/** Endpoints that share an address type and ports. */
export interface EndpointGroup {
  readonly addressType: string;
  readonly ports: readonly DiscoveryV1EndpointPort[];
  readonly endpoints: readonly V1Endpoint[];
}

/** Content of a slice to be made. */
export type SliceContent = Pick<V1EndpointSlice, 'addressType' | 'ports' | 'endpoints'>;

/** What has to be done to the slices of a service. */
export interface SlicePlan {
  readonly create: readonly SliceContent[];
  readonly update: readonly V1EndpointSlice[];
  readonly remove: readonly V1EndpointSlice[];
}

/** Identity of an endpoint within a service: what it points to, or its addresses. */
export function endpointKey(endpoint: V1Endpoint): string {
  return endpoint.targetRef?.uid ?? endpoint.addresses.join(',');
}

function portsKey(addressType: string, ports: readonly DiscoveryV1EndpointPort[] | undefined): string {
  const sorted = [...(ports ?? [])].map(({ name = '', port, protocol = 'TCP', appProtocol = '' }) => `${name}|${port ?? ''}|${protocol}|${appProtocol}`).sort();
  return [addressType, ...sorted].join(' ');
}

/**
 * Compares wanted groups with the slices that exist. Endpoints stay in their slices, so that a change of one pod writes
 * one slice; new ones fill slices that are written anyway, then the fullest with room, then new slices.
 */
export function planSlices(groups: readonly EndpointGroup[], existing: readonly V1EndpointSlice[], max = MAX_ENDPOINTS): SlicePlan {
  const create: SliceContent[] = [];
  const update: V1EndpointSlice[] = [];
  const remove: V1EndpointSlice[] = [];
  const slices = new Map<string, V1EndpointSlice[]>();
  for (const slice of existing) {
    const key = portsKey(slice.addressType, slice.ports);
    slices.set(key, [...(slices.get(key) ?? []), slice]);
  }
  for (const group of groups) {
    const key = portsKey(group.addressType, group.ports);
    planGroup(group, slices.get(key) ?? [], max, { create, update, remove });
    slices.delete(key);
  }
  for (const leftover of slices.values()) remove.push(...leftover);
  return recycle({ create, update, remove });
}

/** Slices that would go are filled anew instead of making others. */
function recycle({ create, update, remove }: SlicePlan): SlicePlan {
  const free = [...remove];
  const recycled: V1EndpointSlice[] = [];
  const left = create.filter((content) => {
    const index = free.findIndex(({ addressType }) => addressType === content.addressType);
    if (index < 0) return true;
    recycled.push(...free.splice(index, 1).map((slice) => ({ ...slice, ...content })));
    return false;
  });
  return { create: left, update: [...update, ...recycled], remove: free };
}

interface Draft {
  readonly slice: V1EndpointSlice;
  readonly endpoints: V1Endpoint[];
  changed: boolean;
}

function planGroup(group: EndpointGroup, slices: readonly V1EndpointSlice[], max: number, into: { create: SliceContent[]; update: V1EndpointSlice[]; remove: V1EndpointSlice[] }): void {
  const wanted = new Map(group.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const drafts = slices.map((slice): Draft => {
    const draft: Draft = { slice, endpoints: [], changed: false };
    for (const endpoint of slice.endpoints ?? []) {
      const key = endpointKey(endpoint);
      const next = wanted.get(key);
      if (!next) {
        draft.changed = true;
        continue;
      }
      wanted.delete(key);
      if (!deepEqual(next, endpoint)) draft.changed = true;
      draft.endpoints.push(next);
    }
    return draft;
  });
  const fresh = [...wanted.values()];
  const room = [...drafts].sort((a, b) => Number(b.changed) - Number(a.changed) || b.endpoints.length - a.endpoints.length);
  for (const draft of room) {
    if (fresh.length === 0) break;
    const fits = fresh.splice(0, Math.max(0, max - draft.endpoints.length));
    if (fits.length > 0) {
      draft.endpoints.push(...fits);
      draft.changed = true;
    }
  }
  while (fresh.length > 0) into.create.push({ addressType: group.addressType, ports: group.ports, endpoints: fresh.splice(0, max) });
  const kept = drafts.filter((draft) => draft.endpoints.length > 0);
  // A service without endpoints keeps one empty slice: its watchers see that there are none.
  const survivors = kept.length > 0 || into.create.length > 0 ? kept : drafts.slice(0, 1);
  for (const draft of drafts) {
    if (!survivors.includes(draft)) into.remove.push(draft.slice);
    else if (draft.changed) into.update.push({ ...draft.slice, endpoints: draft.endpoints });
  }
  if (survivors.length === 0 && group.endpoints.length === 0) into.create.push({ addressType: group.addressType, ports: group.ports, endpoints: [] });
}
