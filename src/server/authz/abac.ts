import type { V1PolicyRule } from '../../api/generated/types.js';
import type { UserInfo } from '../authn/authenticator.js';
import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.js';
import type { ResolvedRules, RuleResolver } from './rule-resolver.js';

/** One line of a policy file in today's terms: `*` stands for all, empty texts for nothing (of subjects: for no condition). */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  /** Only get, list and watch. */
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  /** Empty: cluster-scoped requests. */
  readonly namespace: string;
  /** May end in `*`. */
  readonly nonResourcePath: string;
}

const READ = ['get', 'list', 'watch'];
const ALLOW: Decision = { decision: 'allow', reason: '' };
const NO_MATCH: Decision = { decision: 'no-opinion', reason: 'No policy matched.' };

/** Attribute-based access control: allowed is what any line of a policy file allows. */
export class AbacAuthorizer implements Authorizer, RuleResolver {
  readonly name = 'ABAC';

  constructor(private readonly policies: readonly AbacPolicy[]) {}

  authorize(attributes: AuthorizationAttributes): Decision {
    return this.policies.some((policy) => matches(policy, attributes)) ? ALLOW : NO_MATCH;
  }

  rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const rules: V1PolicyRule[] = [];
    for (const policy of this.policies) {
      if (!isSubject(policy, user) || !is(policy.namespace, namespace)) continue;
      const verbs = policy.readonly ? READ : ['*'];
      if (policy.resource !== '') rules.push({ verbs, apiGroups: [policy.apiGroup], resources: [policy.resource] });
      if (policy.nonResourcePath !== '') rules.push({ verbs, nonResourceURLs: [policy.nonResourcePath] });
    }
    return { rules, incomplete: false, errors: [] };
  }
}

const is = (pattern: string, value: string): boolean => pattern === '*' || pattern === value;

function matches(policy: AbacPolicy, a: AuthorizationAttributes): boolean {
  if (!isSubject(policy, a.user) || (policy.readonly && !READ.includes(a.verb))) return false;
  if (a.isResourceRequest) return is(policy.namespace, a.namespace) && is(policy.resource, a.resource) && is(policy.apiGroup, a.group);
  const path = policy.nonResourcePath;
  return is(path, a.path) || (path.endsWith('*') && a.path.startsWith(path.replace(/\*+$/, '')));
}

/** User and group must both fit where both are given; a policy that names neither is for nobody. */
function isSubject(policy: AbacPolicy, user: UserInfo): boolean {
  if (policy.user === '' && policy.group === '') return false;
  return (policy.user === '' || is(policy.user, user.name)) && (policy.group === '' || policy.group === '*' || user.groups.includes(policy.group));
}
