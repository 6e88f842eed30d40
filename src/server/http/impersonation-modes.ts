import { StatusError } from '../../api/status-error.js';
import { dns1123Subdomain } from '../../api/meta/validation/names.js';
import type { UserInfo } from '../authn/authenticator.js';
import { EXTRA, MASTERS, NODES, NODE_USER_PREFIX, parseServiceAccountUserName, serviceAccountGroups } from '../authn/users.js';
import type { AuthorizationAttributes, Decision } from '../authz/authorizer.js';
import { forbiddenRequestError } from '../authz/forbidden.js';
import { extraRefusal } from './impersonation-extra.js';

type Authorize = (attributes: AuthorizationAttributes) => Promise<Decision> | Decision;

/** Narrow ways to impersonate, each with verbs of its own, and the old one (`impersonate`) that allows all. */
interface Mode {
  /** Empty: the old one. */
  readonly name: string;
  applies(wanted: UserInfo, requestor: UserInfo): boolean;
}

const AUTHENTICATION = 'authentication.k8s.io';
const ASSOCIATED_NODE = 'associated-node';
/** From this many values on it is first asked whether all are allowed. */
const MANY = 4;

const onlyName = ({ uid, groups, extra }: UserInfo): boolean => uid === '' && groups.length === 0 && Object.keys(extra).length === 0;

/** Name of the node behind a node's user name; undefined for other users. */
function nodeOf(user: string): string | undefined {
  const name = user.startsWith(NODE_USER_PREFIX) ? user.slice(NODE_USER_PREFIX.length) : '';
  return name !== '' && dns1123Subdomain(name).length === 0 ? name : undefined;
}

function runsOn(requestor: UserInfo, node: string | undefined): boolean {
  const names = requestor.extra[EXTRA.nodeName] ?? [];
  return node !== undefined && names.length === 1 && names[0] === node && parseServiceAccountUserName(requestor.name) !== undefined;
}

/** In the order in which they are tried. */
const MODES: readonly Mode[] = [
  { name: ASSOCIATED_NODE, applies: (wanted, requestor) => onlyName(wanted) && runsOn(requestor, nodeOf(wanted.name)) },
  { name: 'arbitrary-node', applies: (wanted) => onlyName(wanted) && nodeOf(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => onlyName(wanted) && parseServiceAccountUserName(wanted.name) !== undefined },
  { name: 'user-info', applies: (wanted) => nodeOf(wanted.name) === undefined && parseServiceAccountUserName(wanted.name) === undefined },
  { name: '', applies: () => true },
];

/** Decides on impersonation: KEP-5284, as 1.36 has it on by default. */
export class ImpersonationModes {
  constructor(private readonly authorize: Authorize) {}

  /** The user to treat the request as coming from. Throws the 403 of the first mode that applied when none allows it. */
  async impersonate(wanted: UserInfo, request: AuthorizationAttributes): Promise<UserInfo> {
    let failure: StatusError | undefined;
    for (const mode of MODES) {
      if (!mode.applies(wanted, request.user)) continue;
      try {
        if (mode.name !== '') await this.demand({ ...request, user: requestorOf(mode, request.user), verb: `impersonate-on:${mode.name}:${request.verb}` });
        return await this.check(mode, wanted, request.user);
      } catch (error) {
        if (!StatusError.is(error, 'Forbidden')) throw error;
        failure ??= error;
      }
    }
    throw failure!;
  }

  private async check(mode: Mode, wanted: UserInfo, user: UserInfo): Promise<UserInfo> {
    const narrow = mode.name !== '';
    const requestor = requestorOf(mode, user);
    const base = (resource: string, group: string, name: string): AuthorizationAttributes => ({
      user: requestor, verb: narrow ? `impersonate:${mode.name}` : 'impersonate', isResourceRequest: true, namespace: '', group, version: 'v1', resource, subresource: '', name, path: '',
    });
    const nameGroup = narrow ? AUTHENTICATION : '';
    let groups = wanted.groups;
    const node = narrow ? nodeOf(wanted.name) : undefined;
    const account = parseServiceAccountUserName(wanted.name);
    if (node !== undefined) {
      groups = [NODES];
      await this.demand(base('nodes', nameGroup, mode.name === ASSOCIATED_NODE ? '*' : node));
    } else if (account) {
      if (groups.length === 0) groups = serviceAccountGroups(account.namespace);
      await this.demand({ ...base('serviceaccounts', nameGroup, account.name), namespace: account.namespace });
    } else await this.demand(base('users', nameGroup, wanted.name));
    if (wanted.uid !== '') await this.demand(base('uids', AUTHENTICATION, wanted.uid));
    await this.checkGroups(wanted.groups, narrow, (name) => base('groups', nameGroup, name));
    await this.checkExtra(wanted.extra, narrow, (key, name) => ({ ...base('userextras', AUTHENTICATION, name), subresource: key }));
    return { ...wanted, groups: complete(wanted.name, groups) };
  }

  private async checkGroups(groups: readonly string[], narrow: boolean, attributesOf: (name: string) => AuthorizationAttributes): Promise<void> {
    if (narrow && groups.includes('')) throw forbiddenRequestError(attributesOf(''), 'impersonating the empty string group is not allowed');
    if (narrow && groups.includes(MASTERS)) throw forbiddenRequestError(attributesOf(MASTERS), `impersonating the ${MASTERS} group is not allowed`);
    if (narrow && groups.length >= MANY && (await this.allows(attributesOf('*')))) return;
    for (const group of groups) await this.demand(attributesOf(group));
  }

  private async checkExtra(extra: UserInfo['extra'], narrow: boolean, attributesOf: (key: string, value: string) => AuthorizationAttributes): Promise<void> {
    const pairs = Object.entries(extra).flatMap(([key, values]) => values.map((value) => [key, value] as const));
    const refusal = narrow ? extraRefusal(extra) : undefined;
    if (refusal !== undefined) throw forbiddenRequestError(attributesOf('', ''), refusal);
    if (narrow && pairs.length >= MANY && (await this.allows(attributesOf('*', '*')))) return;
    for (const [key, value] of pairs) await this.demand(attributesOf(key, value));
  }

  private async allows(attributes: AuthorizationAttributes): Promise<boolean> {
    return (await this.authorize(attributes)).decision === 'allow';
  }

  private async demand(attributes: AuthorizationAttributes): Promise<void> {
    const { decision, reason } = await this.authorize(attributes);
    if (decision !== 'allow') throw forbiddenRequestError(attributes, reason);
  }
}

/** For a node of one's own the authorizer sees that there is one, and no more: so has it upstream. */
function requestorOf(mode: Mode, user: UserInfo): UserInfo {
  return mode.name === ASSOCIATED_NODE ? { ...user, extra: { 'authentication.kubernetes.io/associated-node-keys': Object.keys(user.extra).sort() } } : user;
}

function complete(name: string, groups: readonly string[]): readonly string[] {
  const group = name === 'system:anonymous' ? 'system:unauthenticated' : groups.includes('system:unauthenticated') ? undefined : 'system:authenticated';
  return group === undefined || groups.includes(group) ? groups : [...groups, group];
}
