/** A schema that an operation takes or gives: a definition by name, or plain text. */
export type Payload = { readonly definition: string } | 'string';

export interface OperationResponse {
  readonly code: number;
  readonly description: string;
  /** Absent: nothing is said about the body. */
  readonly payload?: Payload;
}

/** What OpenAPI says about one method of one path, before it is written in one of the two versions. */
export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';
  readonly operationId: string;
  readonly description: string;
  readonly tag: string;
  /** `x-kubernetes-action`. */
  readonly action?: string;
  /** `x-kubernetes-group-version-kind`. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  /** Keys of the table of parameters. */
  readonly parameters: readonly string[];
  readonly body?: { readonly payload: Payload; readonly required: boolean; readonly types: readonly string[] };
  readonly responses: readonly OperationResponse[];
  /** Media types of the request in OpenAPI v2, which names them without a body, too. */
  readonly consumes: readonly string[];
  /** Media types of the answer. */
  readonly produces: readonly string[];
}

/** A path with its operations. */
export interface PathOperations {
  /** With `{namespace}`, `{name}` and `{path}`. */
  readonly path: string;
  /** What `{name}` names, for the parameter's description: `Pod`. */
  readonly subject: string;
  readonly operations: readonly Operation[];
}

/** Media types of objects that are read and written. */
export const OBJECT_TYPES: readonly string[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
/** The same, and those of watch streams. */
export const LIST_TYPES: readonly string[] = [...OBJECT_TYPES, 'application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
export const PATCH_TYPES: readonly string[] = [
  'application/json-patch+json', 'application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml',
];
export const ANY_TYPE: readonly string[] = ['*/*'];

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
export const STATUS = `${META}Status`;
export const DELETE_OPTIONS = `${META}DeleteOptions`;
export const PATCH = `${META}Patch`;
export const WATCH_EVENT = `${META}WatchEvent`;
export const API_RESOURCE_LIST = `${META}APIResourceList`;
export const API_GROUP = `${META}APIGroup`;
export const API_GROUP_LIST = `${META}APIGroupList`;
export const API_VERSIONS = `${META}APIVersions`;
export const VERSION_INFO = 'io.k8s.apimachinery.pkg.version.Info';
