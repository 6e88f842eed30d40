/** Field numbers in protobuf of the types of `io.k8s.api.scheduling.v1`; the notation is explained in index.ts. */
export const scheduling: Readonly<Record<string, string>> = {
  PriorityClass: 'metadata value globalDefault description preemptionPolicy',
  PriorityClassList: 'metadata items',
};
