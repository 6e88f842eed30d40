import type { UserInfo } from '../authn/authenticator.js';
import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.js';
import type { ResolvedRules, RuleResolver } from './rule-resolver.js';

/** Authorizers asked in order until one allows or denies; the reasons of those without an opinion are joined by line ends. */
export class UnionAuthorizer implements Authorizer, RuleResolver {
  readonly name = 'union';

  constructor(private readonly members: readonly (Authorizer & Partial<RuleResolver>)[]) {}

  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    return this.askFrom(0, attributes, []);
  }

  private askFrom(start: number, attributes: AuthorizationAttributes, reasons: string[]): Decision | Promise<Decision> {
    for (let i = start; i < this.members.length; i++) {
      const answer = this.members[i]!.authorize(attributes);
      if (answer instanceof Promise) {
        return answer.then((decision) => this.settle(decision, reasons) ?? this.askFrom(i + 1, attributes, reasons));
      }
      const settled = this.settle(answer, reasons);
      if (settled) return settled;
    }
    return { decision: 'no-opinion', reason: reasons.join('\n') };
  }

  private settle(decision: Decision, reasons: string[]): Decision | undefined {
    if (decision.decision !== 'no-opinion') return decision;
    if (decision.reason !== '') reasons.push(decision.reason);
    return undefined;
  }

  rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const all = this.members.map((member) => member.rulesFor?.(user, namespace) ?? { rules: [], incomplete: true, errors: [] });
    return {
      rules: all.flatMap((resolved) => resolved.rules),
      incomplete: all.some((resolved) => resolved.incomplete),
      errors: all.flatMap((resolved) => resolved.errors),
    };
  }
}
