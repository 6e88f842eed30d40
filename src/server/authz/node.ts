import type { V1PolicyRule } from '../../api/generated/types.js';
import { PERSISTENT_VOLUMES, PODS, RESOURCE_SLICES, VOLUME_ATTACHMENTS } from '../../api/resource-refs.js';
import { FieldSelector } from '../../api/selectors/field-selector.js';
import type { UserInfo } from '../authn/authenticator.js';
import { NODES, NODE_USER_PREFIX } from '../authn/users.js';
import type { ClusterView } from '../registry/cluster-view.js';
import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.js';
import { PODS_BY_NODE_REFERENCE, referenceKey, VOLUMES_BY_SECRET, type ReferencedKind } from './node-references.js';
import { ruleAllows } from './rbac-rules.js';
import type { ResolvedRules, RuleResolver } from './rule-resolver.js';

const ALLOW: Decision = { decision: 'allow', reason: '' };
const no = (reason: string): Decision => ({ decision: 'no-opinion', reason });
const PASS = no('');

const OWN_OBJECT_VERBS = ['get', 'create', 'update', 'patch', 'delete'];
const READ = ['get', 'list', 'watch'];

/**
 * What node agents may do: fixed rules for most resources; objects that pods refer to only when such a pod is bound to the
 * node. References are kept in an index of the view.
 */
export class NodeAuthorizer implements Authorizer, RuleResolver {
  readonly name = 'Node';

  /** @param rules those of the cluster role `system:node` */
  constructor(
    private readonly view: ClusterView,
    private readonly rules: readonly V1PolicyRule[],
  ) {}

  authorize(attributes: AuthorizationAttributes): Decision {
    const user = attributes.user;
    if (!user.name.startsWith(NODE_USER_PREFIX) || !user.groups.includes(NODES)) return PASS;
    const node = user.name.slice(NODE_USER_PREFIX.length);
    if (node === '') return no(`unknown node for user ${JSON.stringify(user.name)}`);
    if (attributes.isResourceRequest) {
      const decision = this.byResource(node, attributes);
      if (decision) return decision;
    }
    return this.rules.some((rule) => ruleAllows(rule, attributes)) ? ALLOW : PASS;
  }

  rulesFor(user: UserInfo): ResolvedRules {
    const isNode = user.name.startsWith(NODE_USER_PREFIX) && user.groups.includes(NODES);
    return { rules: [], incomplete: isNode, errors: isNode ? ['node authorizer does not support user rule resolution'] : [] };
  }

  private byResource(node: string, a: AuthorizationAttributes): Decision | undefined {
    const related = (kind: ReferencedKind): Decision => this.relation(node, a, this.refersTo(node, kind, a.namespace, a.name));
    switch (`${a.group}/${a.resource}`) {
      case '/secrets':
        return readOne(a) ?? this.relation(node, a, this.secretIsNeeded(node, a.namespace, a.name));
      case '/configmaps':
        return readOne(a) ?? related('configmap');
      case '/persistentvolumeclaims':
        if (a.subresource !== 'status') return getOnly(a) ?? related('pvc');
        return a.verb === 'update' || a.verb === 'patch' ? related('pvc') : no('can only get/update/patch this type');
      case '/persistentvolumes':
        return getOnly(a) ?? this.relation(node, a, this.volumeIsNeeded(node, a.name));
      case 'resource.k8s.io/resourceclaims':
        return getOnly(a) ?? related('resourceclaim');
      case 'storage.k8s.io/volumeattachments':
        return getOnly(a) ?? this.relation(node, a, this.view.get(VOLUME_ATTACHMENTS, '', a.name)?.spec.nodeName === node);
      case '/serviceaccounts':
        return this.serviceAccount(a) ?? related('serviceaccount');
      case 'coordination.k8s.io/leases':
        return lease(node, a);
      case 'storage.k8s.io/csinodes':
        return csiNode(node, a);
      case 'resource.k8s.io/resourceslices':
        return this.resourceSlice(node, a);
      case '/nodes':
        return nodeObject(node, a);
      case '/pods':
        return this.pod(node, a);
      default:
        return undefined;
    }
  }

  private relation(node: string, a: AuthorizationAttributes, found: boolean): Decision {
    if (a.name === '') return no('No Object name found');
    return found ? ALLOW : no(`no relationship found between node '${node}' and this object`);
  }

  private refersTo(node: string, kind: ReferencedKind, namespace: string, name: string): boolean {
    return this.view.byIndex(PODS, PODS_BY_NODE_REFERENCE, referenceKey(node, kind, namespace, name)).length > 0;
  }

  private volumeIsNeeded(node: string, name: string): boolean {
    const claim = this.view.get(PERSISTENT_VOLUMES, '', name)?.spec?.claimRef;
    return claim !== undefined && this.refersTo(node, 'pvc', claim.namespace ?? '', claim.name ?? '');
  }

  private secretIsNeeded(node: string, namespace: string, name: string): boolean {
    return (
      this.refersTo(node, 'secret', namespace, name) ||
      this.view.byIndex(PERSISTENT_VOLUMES, VOLUMES_BY_SECRET, `${namespace}/${name}`).some((volume) => this.volumeIsNeeded(node, volume.metadata?.name ?? ''))
    );
  }

  private serviceAccount(a: AuthorizationAttributes): Decision | undefined {
    if (a.verb === 'get' && a.subresource === '') return readOne(a);
    if (a.verb !== 'create' || a.name === '') return no('can only create tokens for individual service accounts');
    return a.subresource === 'token' ? undefined : no('can only create token subresource of serviceaccount');
  }

  private resourceSlice(node: string, a: AuthorizationAttributes): Decision {
    if (a.subresource !== '') return no('cannot authorize ResourceSlice subresources');
    if (a.verb === 'create') return ALLOW;
    if (a.verb === 'get' || a.verb === 'update' || a.verb === 'patch' || a.verb === 'delete') {
      return this.relation(node, a, this.view.get(RESOURCE_SLICES, '', a.name)?.spec.nodeName === node);
    }
    if (a.verb === 'list' || a.verb === 'watch' || a.verb === 'deletecollection') {
      return selects(a, 'spec.nodeName', node) ? ALLOW : no('can only list/watch/deletecollection resourceslices with nodeName field selector');
    }
    return no('only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection');
  }

  private pod(node: string, a: AuthorizationAttributes): Decision {
    const own = (): Decision => this.relation(node, a, this.refersTo(node, 'pod', a.namespace, a.name));
    if (a.subresource === '') {
      if (a.verb === 'get') return own();
      if (a.verb === 'list' || a.verb === 'watch') {
        if (selects(a, 'spec.nodeName', node)) return ALLOW;
        return a.name === '' ? no('can only list/watch pods with spec.nodeName field selector') : own();
      }
      return a.verb === 'create' || a.verb === 'delete' ? ALLOW : PASS;
    }
    if (a.subresource === 'status') return a.verb === 'update' || a.verb === 'patch' ? ALLOW : PASS;
    return a.subresource === 'eviction' && a.verb === 'create' ? ALLOW : PASS;
  }
}

/** Undefined: go on and look at the relation. */
function readOne(a: AuthorizationAttributes): Decision | undefined {
  if (!READ.includes(a.verb)) return no('can only read resources of this type');
  if (a.subresource !== '') return no('cannot read subresource');
  return a.namespace === '' ? no('can only read namespaced object of this type') : undefined;
}

function getOnly(a: AuthorizationAttributes): Decision | undefined {
  if (a.verb !== 'get') return no('can only get individual resources of this type');
  return a.subresource === '' ? undefined : no('cannot get subresource');
}

function lease(node: string, a: AuthorizationAttributes): Decision {
  if (!OWN_OBJECT_VERBS.includes(a.verb)) return no('can only get, create, update, patch, or delete a node lease');
  if (a.namespace !== 'kube-node-lease') return no('can only access leases in the "kube-node-lease" system namespace');
  return a.verb === 'create' || a.name === node ? ALLOW : no('can only access node lease with the same name as the requesting node');
}

function csiNode(node: string, a: AuthorizationAttributes): Decision {
  if (!OWN_OBJECT_VERBS.includes(a.verb)) return no('can only get, create, update, patch, or delete a CSINode');
  if (a.subresource !== '') return no('cannot authorize CSINode subresources');
  return a.verb === 'create' || a.name === node ? ALLOW : no('can only access CSINode with the same name as the requesting node');
}

function nodeObject(node: string, a: AuthorizationAttributes): Decision {
  const writes = a.verb === 'update' || a.verb === 'patch';
  if (a.subresource === 'status') return writes ? ALLOW : PASS;
  if (a.subresource !== '') return PASS;
  if (writes || a.verb === 'create') return ALLOW;
  if (!READ.includes(a.verb)) return PASS;
  if (a.name === node) return ALLOW;
  return no(a.name === '' ? `node '${node}' cannot read all nodes, only its own Node object` : `node '${node}' cannot read '${a.name}', only its own Node object`);
}

/** Whether the request's field selector holds `field` to `value`. What cannot be read holds nothing. */
function selects(a: AuthorizationAttributes, field: string, value: string): boolean {
  if (a.fieldSelector === undefined) return false;
  try {
    return FieldSelector.parse(a.fieldSelector).requirements.some((requirement) => requirement.field === field && requirement.equal && requirement.value === value);
  } catch {
    return false;
  }
}
