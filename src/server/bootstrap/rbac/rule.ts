import type { RbacV1Subject, V1PolicyRule } from '../../../api/generated/types.js';

/** A default role; word lists are separated by blanks. */
export interface BootstrapRole {
  /** Empty or absent: a cluster role. */
  readonly namespace?: string;
  readonly name: string;
  /** Its rules are gathered into the cluster roles that aggregate under these names. */
  readonly aggregateTo?: string;
  /** It gathers the rules of cluster roles that carry one of these names. */
  readonly aggregates?: string;
  readonly rules: readonly V1PolicyRule[];
}

/** A default binding; `role` is its own name unless given. */
export interface BootstrapBinding {
  readonly namespace?: string;
  readonly name: string;
  readonly role?: string;
  readonly subjects: readonly RbacV1Subject[];
}

export const READ = 'get list watch';
export const WRITE = 'create delete deletecollection patch update';
export const READ_WRITE = 'create delete deletecollection get list patch update watch';

const words = (text: string): string[] => text.split(' ');

/** A rule about resources; `core` stands for the group without a name. */
export function on(verbs: string, groups: string, resources: string, names?: string): V1PolicyRule {
  return {
    verbs: words(verbs),
    apiGroups: words(groups).map((group) => (group === 'core' ? '' : group)),
    resources: words(resources),
    ...(names === undefined ? {} : { resourceNames: words(names) }),
  };
}

/** A rule about paths outside the resource scheme. */
export function urls(verbs: string, paths: string): V1PolicyRule {
  return { verbs: words(verbs), nonResourceURLs: words(paths) };
}

const GROUP = 'rbac.authorization.k8s.io';

export const user = (name: string): RbacV1Subject => ({ kind: 'User', apiGroup: GROUP, name });
export const group = (name: string): RbacV1Subject => ({ kind: 'Group', apiGroup: GROUP, name });
export const serviceAccount = (namespace: string, name: string): RbacV1Subject => ({ kind: 'ServiceAccount', name, namespace });
