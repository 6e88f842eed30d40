import type { RbacV1Subject, V1PolicyRule, V1RoleRef } from '../../api/generated/types.js';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../api/resource-refs.js';
import type { UserInfo } from '../authn/authenticator.js';
import { parseServiceAccountUserName, serviceAccountUserName } from '../authn/users.js';
import type { ClusterView } from '../registry/cluster-view.js';
import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.js';
import { ruleAllows } from './rbac-rules.js';
import type { ResolvedRules, RuleResolver } from './rule-resolver.js';
import { aggregateText } from '../../api/helpers/aggregate-text.js';

/** One subject of one binding, with what it gets. */
interface Grant {
  readonly roleRef: V1RoleRef;
  /** Namespace of the binding; empty for cluster role bindings. */
  readonly namespace: string;
  readonly bindingName: string;
  readonly subject: RbacV1Subject;
}

/** Grants by subject; valid for one version of the bindings. */
interface GrantIndex {
  readonly version: number;
  readonly bySubject: ReadonlyMap<string, readonly Grant[]>;
}

const NO_OPINION: Decision = { decision: 'no-opinion', reason: '' };
const NO_GRANTS: readonly Grant[] = [];

/**
 * Role-based access control. Bindings are indexed by subject once per change, so that a request looks at the roles of its
 * user and groups only.
 */
export class RbacAuthorizer implements Authorizer, RuleResolver {
  readonly name = 'RBAC';
  private clusterIndex: GrantIndex | undefined;
  private readonly namespaceIndexes = new Map<string, GrantIndex>();

  constructor(private readonly view: ClusterView) {}

  authorize(attributes: AuthorizationAttributes): Decision {
    const errors: string[] = [];
    for (const grants of this.grantsOf(attributes.user, attributes.namespace)) {
      for (const grant of grants) {
        const rules = this.roleRules(grant.roleRef, grant.namespace);
        if (typeof rules === 'string') errors.push(rules);
        else if (rules.some((rule) => ruleAllows(rule, attributes))) return { decision: 'allow', reason: `RBAC: allowed by ${describe(grant)}` };
      }
    }
    return errors.length === 0 ? NO_OPINION : { decision: 'no-opinion', reason: `RBAC: ${aggregate(errors)}` };
  }

  rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const rules: V1PolicyRule[] = [];
    const errors: string[] = [];
    for (const grant of this.grantsOf(user, namespace).flat()) {
      const found = this.roleRules(grant.roleRef, grant.namespace);
      if (typeof found === 'string') errors.push(found);
      else rules.push(...found);
    }
    return { rules, incomplete: false, errors };
  }

  /** Rules of a role that a binding in `namespace` (empty: cluster-wide) refers to, or a text saying why there are none. */
  roleRules(roleRef: V1RoleRef, namespace: string): readonly V1PolicyRule[] | string {
    if (roleRef.kind === 'ClusterRole') {
      return this.view.get(CLUSTER_ROLES, '', roleRef.name)?.rules ?? this.missing(CLUSTER_ROLES, '', roleRef.name, 'clusterrole');
    }
    if (roleRef.kind === 'Role') return this.view.get(ROLES, namespace, roleRef.name)?.rules ?? this.missing(ROLES, namespace, roleRef.name, 'role');
    return `unsupported role reference kind: ${JSON.stringify(roleRef.kind)}`;
  }

  private missing(ref: typeof CLUSTER_ROLES | typeof ROLES, namespace: string, name: string, noun: string): readonly V1PolicyRule[] | string {
    return this.view.get(ref, namespace, name) ? [] : `${noun}.rbac.authorization.k8s.io "${name}" not found`;
  }

  /** Grants of a user and its groups: cluster-wide ones first, then those of the namespace. */
  private grantsOf(user: UserInfo, namespace: string): (readonly Grant[])[] {
    const keys = [`User/${user.name}`, ...user.groups.map((group) => `Group/${group}`)];
    const found: (readonly Grant[])[] = [];
    const collect = (index: GrantIndex): void => {
      for (const key of keys) found.push(index.bySubject.get(key) ?? NO_GRANTS);
    };
    collect(this.clusterGrants());
    if (namespace !== '') collect(this.namespaceGrants(namespace));
    return found;
  }

  private clusterGrants(): GrantIndex {
    const version = this.view.version(CLUSTER_ROLE_BINDINGS);
    if (this.clusterIndex?.version !== version) {
      this.clusterIndex = { version, bySubject: indexGrants(this.view.list(CLUSTER_ROLE_BINDINGS), '') };
    }
    return this.clusterIndex;
  }

  private namespaceGrants(namespace: string): GrantIndex {
    const version = this.view.version(ROLE_BINDINGS);
    let index = this.namespaceIndexes.get(namespace);
    if (index?.version !== version) {
      const bindings = this.view.list(ROLE_BINDINGS, namespace);
      index = { version, bySubject: indexGrants(bindings, namespace) };
      // Names of namespaces that do not exist come from clients and must not pile up.
      if (bindings.length > 0) this.namespaceIndexes.set(namespace, index);
      else this.namespaceIndexes.delete(namespace);
    }
    return index;
  }
}

interface Binding {
  readonly metadata?: { readonly name?: string };
  readonly roleRef: V1RoleRef;
  readonly subjects?: readonly RbacV1Subject[];
}

function indexGrants(bindings: readonly Binding[], namespace: string): ReadonlyMap<string, readonly Grant[]> {
  const index = new Map<string, Grant[]>();
  for (const binding of bindings) {
    for (const subject of binding.subjects ?? []) {
      const key = subjectKey(subject, namespace);
      if (key === undefined) continue;
      const grant = { roleRef: binding.roleRef, namespace, bindingName: binding.metadata?.name ?? '', subject };
      const list = index.get(key);
      if (list) list.push(grant);
      else index.set(key, [grant]);
    }
  }
  return index;
}

/** Service accounts are users by the name that their tokens give them. */
function subjectKey(subject: RbacV1Subject, bindingNamespace: string): string | undefined {
  if (subject.kind === 'User' || subject.kind === 'Group') return `${subject.kind}/${subject.name}`;
  const namespace = subject.namespace !== undefined && subject.namespace !== '' ? subject.namespace : bindingNamespace;
  const user = serviceAccountUserName(namespace, subject.name);
  return subject.kind === 'ServiceAccount' && parseServiceAccountUserName(user) ? `User/${user}` : undefined;
}

function describe(grant: Grant): string {
  const { subject, roleRef, namespace, bindingName } = grant;
  const who = subject.kind === 'ServiceAccount'
    ? `ServiceAccount ${JSON.stringify(`${subject.name}/${subject.namespace ?? namespace}`)}`
    : `${subject.kind} ${JSON.stringify(subject.name)}`;
  const binding = namespace === '' ? `ClusterRoleBinding ${JSON.stringify(bindingName)}` : `RoleBinding ${JSON.stringify(`${bindingName}/${namespace}`)}`;
  return `${binding} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${who}`;
}

function aggregate(errors: readonly string[]): string {
  const unique = [...new Set(errors)];
  return aggregateText(unique);
}
