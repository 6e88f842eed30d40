import type { V1PolicyRule } from '../../api/generated/types.js';
import type { UserInfo } from '../authn/authenticator.js';

/** What a user may do in a namespace, as far as it can be told. */
export interface ResolvedRules {
  readonly rules: readonly V1PolicyRule[];
  /** True when there may be more than `rules` says. */
  readonly incomplete: boolean;
  readonly errors: readonly string[];
}

/** Authorizers that can enumerate what they allow. */
export interface RuleResolver {
  rulesFor(user: UserInfo, namespace: string): ResolvedRules;
}
