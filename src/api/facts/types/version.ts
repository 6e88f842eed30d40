import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.apimachinery.pkg.version`. */
export const version: PackageFacts = {
  package: 'io.k8s.apimachinery.pkg.version',
  version: 'v1',
  plain: `
    Info
  `,
  types: {
  },
};
