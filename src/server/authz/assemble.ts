import { KubeError } from '../../base/errors.js';
import { defaultRules } from '../bootstrap/rbac/objects.js';
import type { ServerContext } from '../server-context.js';
import { AbacAuthorizer } from './abac.js';
import { AlwaysAllow, AlwaysDeny, SuperuserAuthorizer } from './always.js';
import { NodeAuthorizer } from './node.js';
import { RbacAuthorizer } from './rbac.js';
import { UnionAuthorizer } from './union.js';

/** The chain of authorizers, and the resolver of roles that escalation checks need. */
export interface Authorization {
  readonly chain: UnionAuthorizer;
  readonly rbac: RbacAuthorizer;
}

/** The superuser first, then the configured modes in order. Throws `KUBE_AUTHORIZATION_MODE` for an unknown one. */
export function assembleAuthorization(context: ServerContext): Authorization {
  const rbac = new RbacAuthorizer(context.view);
  const members = context.options.authorizationModes.map((mode) => {
    switch (mode) {
      case 'RBAC':
        return rbac;
      case 'Node':
        return new NodeAuthorizer(context.view, defaultRules('system:node'));
      case 'ABAC':
        return new AbacAuthorizer(context.options.abacPolicies ?? []);
      case 'AlwaysAllow':
        return new AlwaysAllow();
      case 'AlwaysDeny':
        return new AlwaysDeny();
      default:
        throw new KubeError('KUBE_AUTHORIZATION_MODE', `unknown authorization mode ${JSON.stringify(mode)}; known: ABAC, AlwaysAllow, AlwaysDeny, Node, RBAC`);
    }
  });
  return { chain: new UnionAuthorizer([new SuperuserAuthorizer(), ...members]), rbac };
}
