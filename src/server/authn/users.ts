import type { UserInfo } from './authenticator.js';

const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
export const MASTERS = 'system:masters';
export const NODES = 'system:nodes';
export const NODE_USER_PREFIX = 'system:node:';
const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts';
const SERVICE_ACCOUNT_USER_PREFIX = 'system:serviceaccount:';

/** Keys of `extra` that the server itself fills in. */
export const EXTRA = {
  podName: 'authentication.kubernetes.io/pod-name',
  podUid: 'authentication.kubernetes.io/pod-uid',
  nodeName: 'authentication.kubernetes.io/node-name',
  nodeUid: 'authentication.kubernetes.io/node-uid',
  credentialId: 'authentication.kubernetes.io/credential-id',
} as const;

/** Who is nobody. */
export const ANONYMOUS: UserInfo = Object.freeze({ name: 'system:anonymous', uid: '', groups: Object.freeze([UNAUTHENTICATED]), extra: Object.freeze({}) });

/** A user of which only name and groups are known. */
export function simpleUser(name: string, groups: readonly string[], extra: UserInfo['extra'] = {}): UserInfo {
  return { name, uid: '', groups, extra };
}

/** Adds `system:authenticated`, which every user but the anonymous one is in, also when a proxy in front names that one. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === ANONYMOUS.name || user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}

export const serviceAccountUserName = (namespace: string, name: string): string => `${SERVICE_ACCOUNT_USER_PREFIX}${namespace}:${name}`;

/** The groups of a service account, without `system:authenticated`. */
export const serviceAccountGroups = (namespace: string): string[] => [ALL_SERVICE_ACCOUNTS, `${ALL_SERVICE_ACCOUNTS}:${namespace}`];

/** Namespace and name behind a service account's user name; undefined for other users. */
export function parseServiceAccountUserName(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT_USER_PREFIX)) return undefined;
  const parts = user.slice(SERVICE_ACCOUNT_USER_PREFIX.length).split(':');
  return parts.length === 2 && parts[0] !== '' && parts[1] !== '' ? { namespace: parts[0]!, name: parts[1]! } : undefined;
}
