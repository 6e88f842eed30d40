import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.coordination.v1`. */
export const coordination: PackageFacts = {
  package: 'io.k8s.api.coordination.v1',
  group: 'coordination.k8s.io',
  version: 'v1',
  plain: `
    LeaseList
  `,
  types: {
    Lease: 'spec=',
    LeaseSpec: 'holderIdentity*; leaseDurationSeconds*; leaseTransitions*; strategy* CoordinatedLeaseStrategy; preferredHolder*',
  },
};
