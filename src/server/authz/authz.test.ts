import type { V1Pod } from '../../api/generated/types.js';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, PERSISTENT_VOLUMES, PODS, ROLE_BINDINGS, ROLES } from '../../api/resource-refs.js';
import { simpleUser } from '../authn/users.js';
import { defaultRules } from '../bootstrap/rbac/objects.js';
import { FakeView } from '../testing/fake-view.js';
import { SuperuserAuthorizer } from './always.js';
import type { AuthorizationAttributes } from './authorizer.js';
import { forbiddenRequestError } from './forbidden.js';
import { NodeAuthorizer } from './node.js';
import { RbacAuthorizer } from './rbac.js';
import { uncoveredRules } from './rule-cover.js';
import { UnionAuthorizer } from './union.js';

const jane = simpleUser('jane', ['dev', 'system:authenticated']);

function ask(overrides: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes {
  return { user: jane, verb: 'get', isResourceRequest: true, namespace: 'default', group: '', version: 'v1', resource: 'pods', subresource: '', name: 'x', path: '', ...overrides };
}

const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
const group = (name: string) => ({ kind: 'Group', name, apiGroup: 'rbac.authorization.k8s.io' });

test('RBAC: cluster and namespace bindings, subresources, names, paths; changes count at once', () => {
  const view = new FakeView()
    .put(CLUSTER_ROLES, { metadata: { name: 'reader' }, rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', '*/status'] }, { verbs: ['get'], nonResourceURLs: ['/healthz*'] }] })
    .put(ROLES, { metadata: { namespace: 'default', name: 'one' }, rules: [{ verbs: ['update'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'] }] });
  const rbac = new RbacAuthorizer(view);
  expect(rbac.authorize(ask())).toEqual({ decision: 'no-opinion', reason: '' });
  view.put(CLUSTER_ROLE_BINDINGS, { metadata: { name: 'b' }, roleRef: roleRef('ClusterRole', 'reader'), subjects: [group('dev')] });
  expect(rbac.authorize(ask())).toEqual({ decision: 'allow', reason: 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "dev"' });
  expect(rbac.authorize(ask({ subresource: 'log' })).decision).toBe('no-opinion');
  expect(rbac.authorize(ask({ resource: 'nodes', subresource: 'status' })).decision).toBe('allow');
  expect(rbac.authorize(ask({ isResourceRequest: false, path: '/healthz/etcd' })).decision).toBe('allow');
  view.put(ROLE_BINDINGS, { metadata: { namespace: 'default', name: 'rb' }, roleRef: roleRef('Role', 'one'), subjects: [{ kind: 'User', name: 'jane' }] });
  const update = { verb: 'update', group: 'apps', resource: 'deployments' };
  expect(rbac.authorize(ask({ ...update, name: 'web' }))).toEqual({ decision: 'allow', reason: 'RBAC: allowed by RoleBinding "rb/default" of Role "one" to User "jane"' });
  expect(rbac.authorize(ask({ ...update, name: 'db' })).decision).toBe('no-opinion');
  expect(rbac.authorize(ask({ ...update, name: 'web', namespace: 'other' })).decision).toBe('no-opinion');
  view.remove(ROLES, 'default', 'one');
  expect(rbac.authorize(ask({ ...update, name: 'web' })).reason).toBe('RBAC: role.rbac.authorization.k8s.io "one" not found');
});

test('service accounts are users by their token name', () => {
  const view = new FakeView()
    .put(CLUSTER_ROLES, { metadata: { name: 'all' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] })
    .put(ROLE_BINDINGS, { metadata: { namespace: 'ns', name: 'rb' }, roleRef: roleRef('ClusterRole', 'all'), subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: '' }] });
  const rbac = new RbacAuthorizer(view);
  expect(rbac.authorize(ask({ user: simpleUser('system:serviceaccount:ns:robot', []), namespace: 'ns' })).decision).toBe('allow');
  expect(rbac.authorize(ask({ user: simpleUser('system:serviceaccount:ns:robot', []), namespace: '' })).decision).toBe('no-opinion');
});

test('what a user lacks is named as upstream names it', () => {
  expect(uncoveredRules(
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, { verbs: ['*'], apiGroups: ['apps'], resources: ['*/scale'] }],
    [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }, { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments/scale'] }, { verbs: ['get'], nonResourceURLs: ['/x'] }],
  )).toEqual(['{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}', '{NonResourceURLs:["/x"], Verbs:["get"]}']);
});

test('the refusal and the superuser', async () => {
  const union = new UnionAuthorizer([new SuperuserAuthorizer(), new RbacAuthorizer(new FakeView())]);
  expect(await union.authorize(ask({ user: simpleUser('root', ['system:masters']) }))).toMatchObject({ decision: 'allow' });
  const decision = await union.authorize(ask({ verb: 'list', name: '' }));
  expect(forbiddenRequestError(ask({ verb: 'list', name: '' }), decision.reason).status).toMatchObject({
    code: 403, message: 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"', details: { kind: 'pods' },
  });
  expect(forbiddenRequestError(ask({ isResourceRequest: false, resource: '', namespace: '', name: '', path: '/<x>' }), '').message).toBe('forbidden: User "jane" cannot get path "/&lt;x&gt;"');
});

describe('nodes', () => {
  const node = simpleUser('system:node:n1', ['system:nodes']);
  const pod: V1Pod = {
    metadata: { namespace: 'default', name: 'p' },
    spec: {
      nodeName: 'n1', serviceAccountName: 'robot', containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'env' } }] }],
      volumes: [{ name: 'v', secret: { secretName: 'mounted' } }, { name: 'd', persistentVolumeClaim: { claimName: 'claim' } }],
    },
  };
  const view = new FakeView().put(PODS, pod, { ...pod, metadata: { namespace: 'default', name: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'x' } }, spec: { ...pod.spec!, serviceAccountName: 'powerful' } })
    .put(PERSISTENT_VOLUMES, { metadata: { name: 'pv' }, spec: { claimRef: { namespace: 'default', name: 'claim' }, csi: { driver: 'd', volumeHandle: 'h', nodeStageSecretRef: { namespace: 'storage', name: 'stage' } } } });
  const authorizer = new NodeAuthorizer(view, defaultRules('system:node'));
  const allowed = (overrides: Partial<AuthorizationAttributes>, user = node): boolean => authorizer.authorize(ask({ user, ...overrides })).decision === 'allow';

  test('read what their pods need and nothing else', () => {
    expect(allowed({ resource: 'secrets', name: 'mounted' })).toBe(true);
    expect(allowed({ resource: 'secrets', name: 'mounted' }, simpleUser('system:node:n2', ['system:nodes']))).toBe(false);
    expect(allowed({ resource: 'secrets', name: 'mounted' }, simpleUser('system:node:n1', []))).toBe(false);
    expect(allowed({ resource: 'secrets', name: 'other' })).toBe(false);
    expect(allowed({ resource: 'secrets', name: 'mounted', verb: 'update' })).toBe(false);
    expect(allowed({ resource: 'configmaps', name: 'env', verb: 'watch' })).toBe(true);
    expect(allowed({ resource: 'persistentvolumeclaims', name: 'claim' })).toBe(true);
    expect(allowed({ resource: 'persistentvolumes', name: 'pv', namespace: '' })).toBe(true);
    expect(allowed({ resource: 'secrets', namespace: 'storage', name: 'stage' })).toBe(true);
    expect(allowed({ resource: 'serviceaccounts', subresource: 'token', verb: 'create', name: 'robot' })).toBe(true);
    expect(allowed({ resource: 'serviceaccounts', subresource: 'token', verb: 'create', name: 'powerful' })).toBe(false);
    expect(authorizer.authorize(ask({ user: node, resource: 'secrets', name: 'other' })).reason).toBe("no relationship found between node 'n1' and this object");
  });

  test('see their own node, lease and pods', () => {
    expect(allowed({ resource: 'nodes', namespace: '', name: 'n1' })).toBe(true);
    expect(allowed({ resource: 'nodes', namespace: '', name: 'n2' })).toBe(false);
    expect(allowed({ resource: 'nodes', namespace: '', name: 'n2', subresource: 'status', verb: 'patch' })).toBe(true);
    expect(allowed({ group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease', name: 'n1', verb: 'update' })).toBe(true);
    expect(allowed({ group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-node-lease', name: 'n2', verb: 'update' })).toBe(false);
    expect(allowed({ verb: 'list', name: '', namespace: '', fieldSelector: 'spec.nodeName=n1' })).toBe(true);
    expect(allowed({ verb: 'list', name: '', namespace: '' })).toBe(false);
    expect(allowed({ verb: 'get', name: 'p' })).toBe(true);
    expect(allowed({ resource: 'services', verb: 'list', name: '', namespace: '' })).toBe(true);
    expect(allowed({ resource: 'services', verb: 'create', name: '' })).toBe(false);
  });
});
