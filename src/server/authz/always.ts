import type { V1PolicyRule } from '../../api/generated/types.js';
import { MASTERS } from '../authn/users.js';
import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.js';
import type { ResolvedRules, RuleResolver } from './rule-resolver.js';

const EVERYTHING: readonly V1PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Everything is allowed. */
export class AlwaysAllow implements Authorizer, RuleResolver {
  readonly name = 'AlwaysAllow';

  authorize(): Decision {
    return { decision: 'allow', reason: '' };
  }

  rulesFor(): ResolvedRules {
    return { rules: EVERYTHING, incomplete: false, errors: [] };
  }
}

/** Nothing is allowed. */
export class AlwaysDeny implements Authorizer, RuleResolver {
  readonly name = 'AlwaysDeny';

  authorize(): Decision {
    return { decision: 'no-opinion', reason: 'Everything is forbidden.' };
  }

  rulesFor(): ResolvedRules {
    return { rules: [], incomplete: false, errors: [] };
  }
}

const ALLOWED: Decision = { decision: 'allow', reason: '' };
const NO_OPINION: Decision = { decision: 'no-opinion', reason: '' };

/** Members of `system:masters` may do everything, whatever the other authorizers think. */
export class SuperuserAuthorizer implements Authorizer, RuleResolver {
  readonly name = 'system:masters';

  authorize(attributes: AuthorizationAttributes): Decision {
    return attributes.user.groups.includes(MASTERS) ? ALLOWED : NO_OPINION;
  }

  /** None, as upstream: what the group may do is told by its binding. */
  rulesFor(): ResolvedRules {
    return { rules: [], incomplete: false, errors: [] };
  }
}
