/** Names and abilities of one served resource, as discovery shows them. */
export interface ResourceFacts {
  readonly group: string;
  readonly version: string;
  /** Plural: `pods`. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly SubresourceFacts[];
  /** Of custom resources: the version in which objects are stored. */
  readonly storageVersion?: string;
}

export interface SubresourceFacts {
  /** `status`, `scale`, `log`, … */
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** Group and version of the kind where they differ from the resource's (scale: autoscaling/v1). */
  readonly group?: string;
  readonly version?: string;
}
