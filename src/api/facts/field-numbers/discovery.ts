/** Field numbers in protobuf of the types of `io.k8s.api.discovery.v1`; the notation is explained in index.ts. */
export const discovery: Readonly<Record<string, string>> = {
  Endpoint: 'addresses conditions hostname targetRef deprecatedTopology nodeName zone hints',
  EndpointConditions: 'ready serving terminating',
  EndpointHints: 'forZones forNodes',
  EndpointPort: 'name protocol port appProtocol',
  EndpointSlice: 'metadata endpoints ports addressType',
  EndpointSliceList: 'metadata items',
  ForNode: 'name',
  ForZone: 'name',
};
