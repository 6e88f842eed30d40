import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.discovery.v1`. */
export const discovery: PackageFacts = {
  package: 'io.k8s.api.discovery.v1',
  group: 'discovery.k8s.io',
  version: 'v1',
  plain: `
    EndpointSliceList ForNode ForZone
  `,
  types: {
    Endpoint: 'addresses +set; conditions=; hostname*; nodeName*; zone*',
    EndpointConditions: 'ready*; serving*; terminating*',
    EndpointHints: 'forZones +atomic; forNodes +atomic',
    EndpointPort: '@atomic; name*; protocol* Protocol; port*; appProtocol*',
    EndpointSlice: 'addressType AddressType; endpoints! +atomic; ports! +atomic',
  },
  enums: {
    AddressType: 'FQDN|IPv4|IPv6',
  },
};
