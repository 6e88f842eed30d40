import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.node.v1`. */
export const node: PackageFacts = {
  package: 'io.k8s.api.node.v1',
  group: 'node.k8s.io',
  version: 'v1',
  plain: `
    RuntimeClass RuntimeClassList
  `,
  types: {
    Overhead: 'podFixed ResourceList',
    Scheduling: 'nodeSelector +atomicmap; tolerations +atomic',
  },
};
