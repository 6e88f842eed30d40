// Who is asked about, and what: the axes of the access matrix.

const AUTHENTICATED = 'system:authenticated';
const RBAC = { apiGroup: 'rbac.authorization.k8s.io' };

/** Binds every default cluster role to a user of its own, so that each rule of each role is looked at. */
export function roleBindings(clusterRoles) {
  return clusterRoles.map((name) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: `matrix:${name}` },
    roleRef: { ...RBAC, kind: 'ClusterRole', name }, subjects: [{ ...RBAC, kind: 'User', name: `role:${name}` }],
  }));
}

const serviceAccount = (namespace, name, extra) => ({
  user: `system:serviceaccount:${namespace}:${name}`, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED], ...(extra ? { extra } : {}),
});
const user = (name, ...groups) => ({ user: name, groups: [...groups, AUTHENTICATED] });

/** Identities: those of the default bindings, one per default cluster role, and those of the set-up. */
export function identitiesOf({ clusterRoles, bindings }) {
  const subjects = bindings.flatMap((binding) => binding.subjects ?? []);
  const bound = subjects.map((subject) =>
    subject.kind === 'ServiceAccount' ? serviceAccount(subject.namespace, subject.name) : subject.kind === 'User' ? user(subject.name) : user(`in:${subject.name}`, subject.name));
  const all = [
    { user: 'system:anonymous', groups: ['system:unauthenticated'] },
    user('plain'),
    { user: 'groupless', groups: [] },
    user('root', 'system:masters'),
    user('system:apiserver'),
    user('system:node:n1', 'system:nodes'),
    user('system:node:n2', 'system:nodes'),
    user('system:node:absent', 'system:nodes'),
    user('system:node:', 'system:nodes'),
    user('system:node:n1'),
    user('n1', 'system:nodes'),
    user('system:bootstrap:abcdef', 'system:bootstrappers'),
    user('joiner', 'system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token'),
    user('kubernetes-admin', 'kubeadm:cluster-admins'),
    serviceAccount('team', 'runner', { 'authentication.kubernetes.io/node-name': ['n1'] }),
    serviceAccount('team', 'viewer'),
    serviceAccount('other', 'reader'),
    serviceAccount('default', 'default'),
    serviceAccount('kube-system', 'default'),
    user('system:serviceaccount:kube-system:replicaset-controller:x'),
    user('System:Masters', 'System:Masters', 'system:masters '),
    user('team-admin'), user('editor', 'team-editors'), user('team-root'), user('dangling'), user('corners'),
    ...clusterRoles.map((name) => user(`role:${name}`)),
    ...bound,
  ];
  return [...new Map(all.map((identity) => [JSON.stringify(identity), identity])).values()];
}

/** Verbs of a resource, three of them in turn, so that all are asked of all sorts of resources. */
const PAIRS = [['list', 'update'], ['watch', 'patch'], ['update', 'deletecollection'], ['patch', 'list'], ['deletecollection', 'watch']];

/** Requests: every discovered resource with some of its verbs, and what is special. */
export function requestsOf(discovered) {
  const general = discovered.flatMap(({ group, name, namespaced }, index) => {
    const [resource, subresource] = name.split('/');
    const verbs = subresource === undefined ? ['get', 'create', 'delete', ...PAIRS[index % PAIRS.length]] : ['get', 'create', index % 2 === 0 ? 'update' : 'patch'];
    return verbs.map((verb) => ({ verb, group, resource, ...(subresource ? { subresource } : {}), ...(namespaced ? { namespace: ['team', 'kube-system', 'team', ''][index % 4] } : {}), ...(subresource ? { name: 'x' } : {}) }));
  });
  return [...general, ...SPECIAL];
}

const on = (verb, resource, more = {}) => ({ verb, group: '', resource, ...more });
const team = { namespace: 'team' };
const named = (name, namespace = 'team') => ({ name, namespace });
const nodeSelector = (value) => ({ fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: [value] }] } });
const certificates = (verb, name) => ({ verb, group: 'certificates.k8s.io', resource: 'signers', name });
const rbac = (verb, resource, name, namespace) => ({ verb, group: 'rbac.authorization.k8s.io', resource, name, ...(namespace ? { namespace } : {}) });
const identity = (verb, resource, name, more = {}) => ({ verb, group: 'authentication.k8s.io', resource, name, ...more });

const SPECIAL = [
  // What nodes may read.
  ...['vol-secret', 'projected-secret', 'env-key', 'env-all', 'pull', 'inline-csi', 'init-env', 'unbound', 'unrelated'].map((name) => on('get', 'secrets', named(name))),
  ...['publish', 'stage', 'controller'].map((name) => on('get', 'secrets', named(name, 'vault'))),
  on('get', 'secrets', named('env-all', 'other')), on('list', 'secrets', named('vol-secret')), on('watch', 'secrets', named('vol-secret')), on('list', 'secrets', team), on('update', 'secrets', named('vol-secret')),
  on('get', 'secrets', { name: 'vol-secret' }),
  ...['vol-map', 'projected-map', 'env-map', 'env-map-all', 'unrelated'].map((name) => on('get', 'configmaps', named(name))),
  ...['data', 'web-e', 'unrelated'].flatMap((name) => [on('get', 'persistentvolumeclaims', named(name)), on('patch', 'persistentvolumeclaims', { ...named(name), subresource: 'status' })]),
  on('list', 'persistentvolumeclaims', named('data')), on('delete', 'persistentvolumeclaims', { ...named('data'), subresource: 'status' }),
  on('get', 'persistentvolumes', { name: 'pv1' }), on('get', 'persistentvolumes', { name: 'pv2' }), on('list', 'persistentvolumes', {}),
  { verb: 'get', group: 'storage.k8s.io', resource: 'volumeattachments', name: 'va1' }, { verb: 'list', group: 'storage.k8s.io', resource: 'volumeattachments' },
  on('create', 'serviceaccounts', { ...named('runner'), subresource: 'token' }), on('create', 'serviceaccounts', { ...named('idle'), subresource: 'token' }),
  on('create', 'serviceaccounts', { ...named('runner', 'other'), subresource: 'token' }), on('get', 'serviceaccounts', named('runner')), on('create', 'serviceaccounts', { ...team, subresource: 'token' }),
  on('get', 'serviceaccounts', named('idle')),
  on('get', 'pods', named('web')), on('get', 'pods', named('loose')), on('get', 'pods', named('web', 'other')), on('list', 'pods', {}), on('list', 'pods', nodeSelector('n1')), on('watch', 'pods', nodeSelector('n2')),
  on('list', 'pods', { ...team, ...nodeSelector('n1') }), on('watch', 'pods', named('web')), on('delete', 'pods', named('web', 'other')), on('deletecollection', 'pods', team),
  on('update', 'pods', { ...named('web', 'other'), subresource: 'status' }), on('create', 'pods', { ...named('web', 'other'), subresource: 'eviction' }), on('create', 'pods', { ...named('web'), subresource: 'binding' }),
  on('create', 'pods', { ...named('web'), subresource: 'exec' }), on('get', 'pods', { ...named('web'), subresource: 'log' }), on('patch', 'pods', { ...named('web'), subresource: 'ephemeralcontainers' }),
  on('list', 'pods', { fieldSelector: { rawSelector: 'spec.nodeName=n1' } }), on('list', 'pods', { fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'NotIn', values: ['n1'] }] } }),
  on('list', 'pods', { labelSelector: { requirements: [{ key: 'a', operator: 'Exists' }] } }),
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'].flatMap((verb) => [on(verb, 'nodes', { name: 'n1' }), on(verb, 'nodes', { name: 'n2' })]),
  on('list', 'nodes', { fieldSelector: { requirements: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] } }),
  on('patch', 'nodes', { name: 'n2', subresource: 'status' }), on('get', 'nodes', { name: 'n1', subresource: 'proxy' }), on('get', 'nodes', { name: 'n1', subresource: 'pods' }), on('get', 'nodes', { name: 'n1', subresource: 'metrics' }),
  on('get', 'nodes', { name: 'n1', subresource: 'configz' }), on('get', 'nodes', { name: 'n1', subresource: 'log' }), on('get', 'nodes', { name: 'n1', subresource: 'healthz' }), on('get', 'nodes', { name: 'n1', subresource: 'stats' }),
  ...['get', 'create', 'update', 'list', 'delete'].flatMap((verb) => ['n1', 'n2'].map((name) => ({ verb, group: 'coordination.k8s.io', resource: 'leases', name, namespace: 'kube-node-lease' }))),
  { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', name: 'n1', namespace: 'team' },
  ...['get', 'create', 'patch', 'list'].flatMap((verb) => ['n1', 'n2'].map((name) => ({ verb, group: 'storage.k8s.io', resource: 'csinodes', name }))),
  ...['get', 'delete', 'create'].map((verb) => ({ verb, group: 'resource.k8s.io', resource: 'resourceslices', name: 'slice1' })),
  { verb: 'list', group: 'resource.k8s.io', resource: 'resourceslices', ...nodeSelector('n1') }, { verb: 'deletecollection', group: 'resource.k8s.io', resource: 'resourceslices' },
  // Certificates, roles, impersonation.
  { verb: 'create', group: 'certificates.k8s.io', resource: 'certificatesigningrequests', subresource: 'nodeclient' }, { verb: 'create', group: 'certificates.k8s.io', resource: 'certificatesigningrequests', subresource: 'selfnodeclient' },
  { verb: 'update', group: 'certificates.k8s.io', resource: 'certificatesigningrequests', subresource: 'approval', name: 'x' },
  ...['kubernetes.io/kube-apiserver-client', 'kubernetes.io/kube-apiserver-client-kubelet', 'kubernetes.io/kubelet-serving', 'kubernetes.io/legacy-unknown', 'kubernetes.io/*', 'example.com/own'].flatMap((name) => [certificates('approve', name), certificates('sign', name)]),
  certificates('attest', 'example.com/own'),
  rbac('escalate', 'clusterroles', 'x'), rbac('bind', 'clusterroles', 'cluster-admin'), rbac('bind', 'clusterroles', 'view', 'team'), rbac('escalate', 'roles', 'x', 'team'), rbac('bind', 'roles', 'reader', 'team'),
  on('impersonate', 'users', { name: 'root' }), on('impersonate', 'groups', { name: 'system:masters' }), on('impersonate', 'serviceaccounts', named('runner')), on('impersonate', 'serviceaccounts', named('default', 'kube-system')),
  identity('impersonate', 'uids', '1'), identity('impersonate', 'userextras', 'v', { subresource: 'scopes' }), identity('impersonate:user-info', 'users', 'x'), identity('impersonate:serviceaccount', 'serviceaccounts', 'runner', team), identity('impersonate:arbitrary-node', 'nodes', 'n1'),
  on('impersonate-on:user-info:list', 'pods', team),
  { verb: 'use', group: 'policy', resource: 'podsecuritypolicies', name: 'x' }, on('use', 'x', {}), on('proxy', 'services', named('x')), on('*', 'pods', team), on('get', '*', team), { verb: 'get', group: '*', resource: 'pods', ...team }, { verb: '*', group: '*', resource: '*' },
  // Custom and absent resources, and the corners of rules.
  { verb: 'get', group: 'gadgets.example.com', resource: 'gadgets', ...team }, { verb: 'create', group: 'gadgets.example.com', resource: 'gadgets', ...team }, { verb: 'delete', group: 'gadgets.example.com', resource: 'gadgets', ...team },
  { verb: 'get', group: 'gadgets.example.com', resource: 'gadgets', namespace: 'other' }, { verb: 'list', group: 'any.example.com', resource: 'widgets' }, { verb: 'list', group: 'any.example.com', resource: 'widgets', subresource: 'status' },
  on('get', 'configmaps', named('one')), on('update', 'configmaps', named('two', 'other')), on('list', 'configmaps', named('one')), on('create', 'configmaps', named('one')), on('get', 'configmaps', { name: 'extension-apiserver-authentication', namespace: 'kube-system' }),
  on('list', 'configmaps', { fieldSelector: { rawSelector: 'metadata.name=one' } }),
  { verb: 'patch', group: 'apps', resource: 'deployments', subresource: 'scale', ...named('x', 'other') }, { verb: 'patch', group: 'apps', resource: 'anything', subresource: 'scale' }, { verb: 'get', group: 'batch', resource: 'jobs', subresource: 'status', ...named('x', 'other') },
  { verb: 'GET', group: '', resource: 'secrets', ...team }, { verb: 'get', group: '', resource: 'Secrets', ...team }, { verb: '', group: '', resource: 'secrets', ...team }, on('get', 'pods/log', named('web')), on('get', '', team),
  on('get', 'endpoints', named('kube-scheduler', 'kube-system')), { verb: 'update', group: 'coordination.k8s.io', resource: 'leases', ...named('kube-scheduler', 'kube-system') }, { verb: 'update', group: 'coordination.k8s.io', resource: 'leases', ...named('kube-controller-manager', 'kube-system') },
  ...['/', '/api', '/api/', '/api/v1', '/apis', '/apis/apps/v1', '/healthz', '/healthz/', '/healthz/ping', '/livez', '/livez/ping', '/readyz', '/readyz/etcd', '/version', '/version/', '/metrics', '/metrics/slis', '/logs', '/logs/x', '/openapi', '/openapi/v2', '/openapi/v3/api/v1',
    '/.well-known/openid-configuration', '/.well-known/openid-configuration/', '/openid/v1/jwks', '/openid/v1/jwks/', '/debug/pprof', '/debug/pprof/', '/exact', '/exactly', '/deep', '/deeper/x', '/a/c/b', '/b/x', '*/x', '/statusz', '/flagz', '/HEALTHZ', '/healthz/../metrics'].map((path) => ({ verb: 'get', path })),
  { verb: 'post', path: '/healthz' }, { verb: 'head', path: '/healthz' }, { verb: 'delete', path: '/a/*/b' }, { verb: '*', path: '*' }, { verb: 'post', path: '/api' },
];
