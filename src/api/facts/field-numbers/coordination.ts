/** Field numbers in protobuf of the types of `io.k8s.api.coordination.v1`; the notation is explained in index.ts. */
export const coordination: Readonly<Record<string, string>> = {
  Lease: 'metadata spec',
  LeaseList: 'metadata items',
  LeaseSpec: 'holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions strategy preferredHolder',
};
