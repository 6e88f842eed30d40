import type { V1ListMeta, V1ObjectMeta } from '../generated/types.js';

/** Any persisted API object. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: V1ObjectMeta;
}

/** Any list of API objects. */
export interface KubeList<T extends KubeObject = KubeObject> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: V1ListMeta;
  readonly items: readonly T[];
}

export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface GroupVersionResource extends GroupVersion {
  /** Plural, lower case: `pods`. */
  readonly resource: string;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Splits an `apiVersion`; undefined when it has more than one slash. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return undefined;
  return parts.length === 2 ? { group: parts[0]!, version: parts[1]! } : { group: '', version: parts[0]! };
}

/** `deployments.apps`, or `pods` for the core group: the form used in messages. */
export function groupResourceText(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** `Deployment.apps`, or `Pod` for the core group: the form used in messages. */
export function groupKindText(gk: { readonly group: string; readonly kind: string }): string {
  return gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
}
