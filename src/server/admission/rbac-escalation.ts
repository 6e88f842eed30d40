import type { V1ClusterRole, V1PolicyRule, V1RoleBinding } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import type { KubeObject } from '../../api/meta/object.js';
import { forbiddenError, notFoundError, type StatusError } from '../../api/status-error.js';
import { MASTERS } from '../authn/users.js';
import type { RbacAuthorizer } from '../authz/rbac.js';
import { uncoveredRules } from '../authz/rule-cover.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = ['roles', 'clusterroles'];
const BINDINGS = ['rolebindings', 'clusterrolebindings'];

const FULL_AUTHORITY: readonly V1PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Nobody grants what they do not have: writers of roles and bindings need all that is granted, or the verbs `escalate`
 * (roles) and `bind` (bindings). Upstream checks this in the registries of these kinds; it cannot be switched off.
 */
export class RbacEscalationCheck implements AdmissionPlugin {
  readonly name = 'RBACEscalationCheck';

  constructor(
    private readonly context: ServerContext,
    private readonly rbac: RbacAuthorizer,
  ) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  /** As upstream before the object is validated, so that nobody learns more than that it is not for them. */
  admit(a: AdmissionAttributes): Promise<void> {
    return this.check(a);
  }

  /** Once more, of what is going to be stored. */
  validate(a: AdmissionAttributes): Promise<void> {
    return this.check(a);
  }

  private async check(a: AdmissionAttributes): Promise<void> {
    if (a.resource.group !== GROUP || a.subresource !== '' || a.user.groups.includes(MASTERS)) return;
    if (a.oldObject && onlyCollectorFieldsChange(a.oldObject, a.object!)) return;
    if (ROLES.includes(a.resource.resource)) await this.role(a);
    else if (BINDINGS.includes(a.resource.resource)) await this.binding(a);
  }

  private async role(a: AdmissionAttributes): Promise<void> {
    // The name of a new object is not part of the request's attributes.
    const name = a.operation === 'CREATE' ? '' : a.name;
    if (await this.may(a, 'escalate', GROUP, a.resource.resource, name)) return;
    const role = a.object as V1ClusterRole;
    this.requireHeld(a, role.rules ?? []);
    const aggregates = (object: V1ClusterRole | undefined): boolean => (object?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
    if (!aggregates(role) && !aggregates(a.oldObject as V1ClusterRole | undefined)) return;
    if (this.missing(a, FULL_AUTHORITY).length > 0) throw forbidden(a, 'must have cluster-admin privileges to use the aggregationRule');
  }

  private async binding(a: AdmissionAttributes): Promise<void> {
    const { roleRef } = a.object as V1RoleBinding;
    const resource = roleRef.kind === 'ClusterRole' ? 'clusterroles' : roleRef.kind === 'Role' ? 'roles' : undefined;
    if (resource !== undefined && (await this.may(a, 'bind', roleRef.apiGroup ?? GROUP, resource, roleRef.name))) return;
    const rules = this.rbac.roleRules(roleRef, a.namespace);
    if (typeof rules === 'string') throw resource === undefined ? new Error(rules) : notFoundError({ group: GROUP, resource: a.resource.resource }, roleRef.name);
    this.requireHeld(a, rules);
  }

  private async may(a: AdmissionAttributes, verb: string, group: string, resource: string, name: string): Promise<boolean> {
    const attributes = { user: a.user, verb, isResourceRequest: true, namespace: a.namespace, group, version: '*', resource, subresource: '', name, path: '' };
    return (await this.context.authorize(attributes)).decision === 'allow';
  }

  private missing(a: AdmissionAttributes, wanted: readonly V1PolicyRule[]): string[] {
    return uncoveredRules(this.rbac.rulesFor(a.user, a.namespace).rules, wanted);
  }

  private requireHeld(a: AdmissionAttributes, wanted: readonly V1PolicyRule[]): void {
    const missing = this.missing(a, wanted);
    if (missing.length === 0) return;
    const { errors } = this.rbac.rulesFor(a.user, a.namespace);
    const groups = a.user.groups.map((group) => JSON.stringify(group)).join(' ');
    const resolution = errors.length > 0 ? `; resolution errors: [${errors.join(', ')}]` : '';
    throw forbidden(a, `user ${JSON.stringify(a.user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}${resolution}`);
  }
}

/** Upstream names the object as sent, before a name is generated. */
function forbidden(a: AdmissionAttributes, reason: string): StatusError {
  return forbiddenError({ group: a.resource.group, resource: a.resource.resource }, a.object?.metadata?.name ?? '', reason);
}

/** Owner references and finalizers are what the garbage collector changes. */
function onlyCollectorFieldsChange(before: KubeObject, after: KubeObject): boolean {
  const rest = (object: KubeObject): unknown => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, resourceVersion: _version, ...metadata } = object.metadata ?? {};
    return { ...object, metadata };
  };
  return deepEqual(rest(before), rest(after));
}
