import type { Draft } from '../draft.js';
import type { V1EndpointSlice } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { dns1123Subdomain } from '../meta/validation/names.js';
import { FieldPath } from '../meta/field-path.js';
import { ipWarnings } from '../meta/validation/ip.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './endpoint-slice-validation.js';

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const CONTROLLERS = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];
const HOSTNAME = 'kubernetes.io/hostname';
const SHOWN = 3;

export const endpointSlice = defineKind<V1EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  tracksGeneration: true,
  defaults: (draft) => {
    for (const port of draft.ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
    for (const endpoint of draft.endpoints ?? []) endpoint.conditions ??= {};
  },
  prepareForCreate: (draft) => dropTopology(draft, undefined),
  prepareForUpdate: (draft, old) => {
    // Labels count here, and so does what is dropped below.
    const changed = !deepEqual({ ...draft, metadata: draft.metadata?.labels }, { ...old, metadata: old.metadata?.labels });
    if (changed && draft.metadata !== undefined) draft.metadata.generation = (old.metadata?.generation ?? 0) + 1;
    if (!deepEqual(draft.endpoints, old.endpoints)) dropTopology(draft, old);
    for (const endpoint of draft.endpoints ?? []) if (deepEqual(endpoint.deprecatedTopology, undefined)) delete endpoint.deprecatedTopology;
  },
  validate: (object) => validateEndpointSlice(object, undefined),
  validateUpdate: validateEndpointSliceUpdate,
  warnings: (object, old) => [
    ...(old === undefined && object.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...(CONTROLLERS.includes(object.metadata?.labels?.[MANAGED_BY] ?? '') ? [] : addressWarnings(object)),
  ],
  columns: [
    NAME,
    text('AddressType', (object) => object.addressType ?? ''),
    text('Ports', (object) => listText((object.ports ?? []).map((port) => (port.port === undefined ? (port.name ?? '*') : String(port.port))))),
    text('Endpoints', (object) => listText((object.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []))),
    AGE,
  ],
});

/** Topology is of an older version; a node name that was kept in it moves to its own field. */
function dropTopology(draft: Draft<V1EndpointSlice>, old: V1EndpointSlice | undefined): void {
  const known = new Set((old?.endpoints ?? []).map((endpoint) => endpoint.deprecatedTopology?.[HOSTNAME]));
  for (const endpoint of draft.endpoints ?? []) {
    const name = endpoint.deprecatedTopology?.[HOSTNAME];
    if (endpoint.nodeName === undefined && name !== undefined && known.has(name) && dns1123Subdomain(name).length === 0) endpoint.nodeName = name;
    delete endpoint.deprecatedTopology;
  }
}

function addressWarnings(object: V1EndpointSlice): string[] {
  return (object.endpoints ?? []).flatMap((endpoint, i) =>
    (endpoint.addresses ?? []).flatMap((address, j) => ipWarnings(address, FieldPath.of('endpoints').index(i).child('addresses').index(j))));
}

/** The first items, and how many more there are. */
function listText(items: readonly string[]): string {
  const shown = items.slice(0, SHOWN).join(',');
  return items.length > SHOWN ? `${shown} + ${items.length - SHOWN} more...` : shown || '<unset>';
}
