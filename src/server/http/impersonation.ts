import type { IncomingHttpHeaders } from 'node:http';
import { badRequestError } from '../../api/status-error.js';
import type { UserInfo } from '../authn/authenticator.js';
import { headerValues, prefixedHeaders } from '../authn/header-values.js';
import type { AuthorizationAttributes, Decision } from '../authz/authorizer.js';
import { ImpersonationModes } from './impersonation-modes.js';

const EXTRA_PREFIX = 'impersonate-extra-';

/** True when a request asks to be treated as somebody else's. */
export function impersonates(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}

/** Requests in somebody else's name, as the `Impersonate-…` headers ask. */
export class Impersonation {
  private readonly modes: ImpersonationModes;

  constructor(authorize: (attributes: AuthorizationAttributes) => Promise<Decision> | Decision) {
    this.modes = new ImpersonationModes(authorize);
  }

  /**
   * Who the request is to be treated as coming from; the requestor when no header says otherwise. Throws 400 and 403 `Status` errors.
   * @param raw names and values of the headers in turn
   * @param attributes of the request, as the requestor's own
   */
  userOf(raw: readonly string[], attributes: AuthorizationAttributes): Promise<UserInfo> | UserInfo {
    const name = headerValues(raw, 'impersonate-user')[0] ?? '';
    const uid = headerValues(raw, 'impersonate-uid')[0] ?? '';
    const groups = headerValues(raw, 'impersonate-group');
    const extra = prefixedHeaders(raw, EXTRA_PREFIX);
    const wanted = { name, uid, groups, extra };
    if (name !== '') return this.modes.impersonate(wanted, attributes);
    if (uid !== '' || groups.length > 0 || Object.keys(extra).length > 0) throw badRequestError(`requested ${goText(wanted)} without impersonating a user name`);
    return attributes.user;
  }
}

/** How upstream writes the wanted user into the message that clients see. */
function goText({ name, uid, groups, extra }: UserInfo): string {
  const list = (values: readonly string[]): string => `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const keys = Object.keys(extra).sort();
  const pairs = keys.map((key) => `${JSON.stringify(key)}:${list(extra[key]!)}`).join(', ');
  return `&user.DefaultInfo{Name:${JSON.stringify(name)}, UID:${JSON.stringify(uid)}, Groups:${groups.length === 0 ? '[]string(nil)' : list(groups)}, Extra:map[string][]string${keys.length === 0 ? '(nil)' : `{${pairs}}`}}`;
}
