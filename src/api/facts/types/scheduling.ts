import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.scheduling.v1`. */
export const scheduling: PackageFacts = {
  package: 'io.k8s.api.scheduling.v1',
  group: 'scheduling.k8s.io',
  version: 'v1',
  plain: `
    PriorityClassList
  `,
  types: {
    PriorityClass: 'value!; preemptionPolicy* PreemptionPolicy',
  },
};
