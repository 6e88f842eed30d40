/** What a request asks for, as parsed from method, path and query. It yields authorization attributes and routing alike. */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  /** The path without query, as received. */
  readonly path: string;
  /** `get list watch create update patch delete deletecollection`, or the lower-case method for non-resource paths. */
  readonly verb: string;
  /** `api` or `apis` for resource requests. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  /** Empty for cluster-scoped resources and for requests across all namespaces. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** What follows the subresource (proxy paths), without a leading slash. */
  readonly rest: string;
}
