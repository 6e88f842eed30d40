/** Field numbers in protobuf of the types of `io.k8s.api.node.v1`; the notation is explained in index.ts. */
export const node: Readonly<Record<string, string>> = {
  Overhead: 'podFixed',
  RuntimeClass: 'metadata handler overhead scheduling',
  RuntimeClassList: 'metadata items',
  Scheduling: 'nodeSelector tolerations',
};
