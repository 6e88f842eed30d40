import type { IncomingHttpHeaders } from 'node:http';
import { badRequestError } from '../../api/status-error.js';
import type { UserInfo } from '../authn/authenticator.js';
import type { AuthorizationAttributes, Decision } from '../authz/authorizer.js';
import { forbiddenRequestError } from '../authz/forbidden.js';

type Authorize = (attributes: AuthorizationAttributes) => Promise<Decision> | Decision;

const EXTRA_PREFIX = 'impersonate-extra-';
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

interface Wanted {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** True when a request asks to be treated as somebody else's. */
export function impersonates(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}

/** The user that the headers name, after asking for each part whether `user` may be it. Throws 400 and 403 `Status` errors. */
export async function impersonatedUser(headers: IncomingHttpHeaders, user: UserInfo, authorize: Authorize): Promise<UserInfo> {
  const name = single(headers['impersonate-user']);
  const uid = single(headers['impersonate-uid']);
  const groups = list(headers['impersonate-group']);
  const extra: Record<string, string[]> = {};
  for (const header of Object.keys(headers)) {
    if (header.startsWith(EXTRA_PREFIX)) extra[unescape(header.slice(EXTRA_PREFIX.length))] = list(headers[header]);
  }
  if (name === '') throw badRequestError('requested impersonation without naming a user (Impersonate-User)');

  const account = SERVICE_ACCOUNT.exec(name);
  const parts: Wanted[] = [
    account
      ? { group: '', resource: 'serviceaccounts', namespace: account[1]!, name: account[2]!, subresource: '' }
      : { group: '', resource: 'users', namespace: '', name, subresource: '' },
    ...groups.map((group): Wanted => ({ group: '', resource: 'groups', namespace: '', name: group, subresource: '' })),
    ...(uid === '' ? [] : [{ group: 'authentication.k8s.io', resource: 'uids', namespace: '', name: uid, subresource: '' }]),
    ...Object.entries(extra).flatMap(([key, values]) => values.map((value): Wanted => ({ group: 'authentication.k8s.io', resource: 'userextras', namespace: '', name: value, subresource: key }))),
  ];
  for (const part of parts) {
    const attributes: AuthorizationAttributes = { user, verb: 'impersonate', isResourceRequest: true, version: part.group === '' ? '' : 'v1', path: '', ...part };
    const { decision, reason } = await authorize(attributes);
    if (decision !== 'allow') throw forbiddenRequestError(attributes, reason);
  }
  return { name, uid, groups: completeGroups(name, groups, account?.[1]), extra };
}

function completeGroups(name: string, groups: readonly string[], namespace: string | undefined): string[] {
  const complete = [...groups];
  if (namespace !== undefined && complete.length === 0) complete.push('system:serviceaccounts', `system:serviceaccounts:${namespace}`);
  if (name === 'system:anonymous') {
    if (!complete.includes('system:unauthenticated')) complete.push('system:unauthenticated');
  } else if (!complete.includes('system:authenticated') && !complete.includes('system:unauthenticated')) complete.push('system:authenticated');
  return complete;
}

function single(value: string | string[] | undefined): string {
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
}

/** Node joins repeated headers with a comma and a blank. */
function list(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : value.split(', ')).filter((item) => item !== '');
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
