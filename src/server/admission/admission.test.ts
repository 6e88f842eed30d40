import type { V1Pod, V1PodSpec } from '../../api/generated/types.js';
import {
  CLUSTER_ROLES, INGRESS_CLASSES, INGRESSES, LIMIT_RANGES, NAMESPACES, NODES, PERSISTENT_VOLUME_CLAIMS, PODS, PRIORITY_CLASSES, ROLE_BINDINGS, ROLES, RUNTIME_CLASSES,
  SERVICE_ACCOUNTS, STORAGE_CLASSES, CERTIFICATE_SIGNING_REQUESTS, CLUSTER_ROLE_BINDINGS,
} from '../../api/resource-refs.js';
import type { StatusError } from '../../api/status-error.js';
import { createCsr } from '../../base/tls/csr.js';
import { generateEcKeyPair } from '../../base/tls/keys.js';
import { simpleUser } from '../authn/users.js';
import { RbacAuthorizer } from '../authz/rbac.js';
import { attributesFor } from '../testing/attributes.js';
import { testContext } from '../testing/context.js';
import { runPlugin as run } from '../testing/run-plugin.js';
import { CertificateApproval, CertificateSubjectRestriction } from './certificates.js';
import { DefaultIngressClass } from './default-ingress-class.js';
import { DefaultTolerationSeconds } from './default-toleration-seconds.js';
import { LimitRanger } from './limit-ranger.js';
import { NamespaceLifecycle } from './namespace-lifecycle.js';
import { NodeRestriction } from './node-restriction.js';
import type { AdmissionAttributes } from './plugin.js';
import { PriorityAdmission } from './priority.js';
import { RbacEscalationCheck } from './rbac-escalation.js';
import { RuntimeClassAdmission } from './runtime-class.js';
import { ServiceAccountAdmission } from './service-account.js';
import { DefaultStorageClass, PersistentVolumeClaimResize, StorageObjectInUseProtection } from './storage.js';

const pod = (spec: Partial<V1PodSpec> = {}, metadata: V1Pod['metadata'] = {}): V1Pod => ({
  metadata: { namespace: 'ns', name: 'p', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

const specOf = (a: AdmissionAttributes): V1PodSpec => (a.object as V1Pod).spec!;

test('namespaces: missing, terminating, immortal', async () => {
  const context = testContext();
  const plugin = new NamespaceLifecycle(context);
  expect(await run(plugin, attributesFor(PODS, pod()))).toBe('404 namespaces "ns" not found');
  context.view.put(NAMESPACES, { metadata: { name: 'ns' }, status: { phase: 'Terminating' } });
  expect(await run(plugin, attributesFor(PODS, pod()))).toBe('403 pods "p" is forbidden: unable to create new content in namespace ns because it is being terminated');
  const error = await Promise.resolve().then(() => plugin.admit(attributesFor(PODS, pod()))).catch((thrown: unknown) => thrown as StatusError);
  expect((error as StatusError).status.details?.causes).toEqual([{ reason: 'NamespaceTerminating', message: 'namespace ns is being terminated', field: 'metadata.namespace' }]);
  expect(await run(plugin, attributesFor(PODS, pod(), { operation: 'UPDATE', oldObject: pod() }))).toBeUndefined();
  expect(await run(plugin, attributesFor(NAMESPACES, undefined, { operation: 'DELETE', name: 'kube-system' }))).toBe('403 namespaces "kube-system" is forbidden: this namespace may not be deleted');
});

describe('service accounts', () => {
  const account = { metadata: { namespace: 'ns', name: 'default' }, imagePullSecrets: [{ name: 'pull' }] };

  test('the default account, its token and pull secrets', async () => {
    const context = testContext();
    context.view.put(SERVICE_ACCOUNTS, account);
    const a = attributesFor(PODS, pod({ initContainers: [{ name: 'i', volumeMounts: [{ name: 'own', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] }] }));
    expect(await run(new ServiceAccountAdmission(context), a)).toBeUndefined();
    const spec = specOf(a);
    const volume = spec.volumes![0]!;
    expect(volume.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(volume.projected!.sources!.map((source) => Object.keys(source)[0])).toEqual(['serviceAccountToken', 'configMap', 'downwardAPI']);
    expect(spec).toMatchObject({
      serviceAccountName: 'default', serviceAccount: 'default', imagePullSecrets: [{ name: 'pull' }],
      containers: [{ volumeMounts: [{ name: volume.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] }],
    });
    expect(spec.initContainers![0]!.volumeMounts).toHaveLength(1);
  });

  test('no token where pod or account do not want one; no unknown account', async () => {
    const context = testContext();
    context.view.put(SERVICE_ACCOUNTS, { ...account, automountServiceAccountToken: false });
    const plugin = new ServiceAccountAdmission(context);
    const without = attributesFor(PODS, pod());
    await run(plugin, without);
    expect(specOf(without).volumes).toBeUndefined();
    const wanted = attributesFor(PODS, pod({ automountServiceAccountToken: true }));
    await run(plugin, wanted);
    expect(specOf(wanted).volumes).toHaveLength(1);
    expect(await run(plugin, attributesFor(PODS, pod({ serviceAccountName: 'x' })))).toBe('403 pods "p" is forbidden: error looking up service account ns/x: serviceaccount "x" not found');
    expect(await run(plugin, attributesFor(PODS, pod({ serviceAccountName: 'a/b%' })))).toBe(`403 pods "p" is forbidden: error looking up service account ns/a/b%: invalid resource name "a/b%": [may not contain '/' may not contain '%']`);
  });

  test('the first pod of a namespace waits for the default account, not for ever', async () => {
    const context = testContext();
    const plugin = new ServiceAccountAdmission(context);
    const a = attributesFor(PODS, pod());
    const waiting = run(plugin, a);
    await context.clock.advance(500);
    context.view.put(SERVICE_ACCOUNTS, account);
    expect(await waiting).toBeUndefined();
    expect(specOf(a).volumes).toHaveLength(1);
    context.view.remove(SERVICE_ACCOUNTS, 'ns', 'default');
    const vain = run(plugin, attributesFor(PODS, pod()));
    await context.clock.advance(2000);
    expect(await vain).toContain('serviceaccount "default" not found');
    expect(context.clock.pending).toBe(0);
  });

  test('mirror pods refer to nothing', async () => {
    const plugin = new ServiceAccountAdmission(testContext());
    const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
    expect(await run(plugin, attributesFor(PODS, pod({}, mirror)))).toBeUndefined();
    expect(await run(plugin, attributesFor(PODS, pod({ serviceAccountName: 'x' }, mirror)))).toContain('a mirror pod may not reference service accounts');
    expect(await run(plugin, attributesFor(PODS, pod({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, mirror)))).toContain('a mirror pod may not reference secrets');
  });
});

test('limit ranges: defaults, bounds, ratio', async () => {
  const context = testContext();
  context.view.put(LIMIT_RANGES, { metadata: { namespace: 'ns', name: 'l' }, spec: { limits: [
    { type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '100m', memory: '64Mi' }, max: { cpu: '1' }, min: { cpu: '50m' }, maxLimitRequestRatio: { cpu: '6' } },
    { type: 'Pod', max: { memory: '128Mi' } },
    { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
  ] } });
  const plugin = new LimitRanger(context);
  const a = attributesFor(PODS, pod({ containers: [{ name: 'c', resources: { limits: { memory: '64Mi' } } }] }));
  expect(await run(plugin, a)).toBeUndefined();
  expect(specOf(a).containers[0]!.resources).toEqual({ requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '500m', memory: '64Mi' } });
  expect(a.object!.metadata!.annotations).toEqual({ 'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu, memory request for container c; cpu limit for container c' });
  const big = { requests: { cpu: '10m', memory: '1Mi' }, limits: { cpu: '2', memory: '1Gi' } };
  expect(await run(plugin, attributesFor(PODS, pod({ containers: [{ name: 'c', resources: big }] })))).toBe(
    '403 pods "p" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, maximum cpu usage per Container is 1, but limit is 2, ' +
    'cpu max limit to request ratio per Container is 6, but provided ratio is 200.000000, maximum memory usage per Pod is 128Mi, but limit is 1Gi]');
  const claim = { metadata: { namespace: 'ns', name: 'c' }, spec: { resources: { requests: { storage: '2Gi' } } } };
  expect(await run(plugin, attributesFor(PERSISTENT_VOLUME_CLAIMS, claim))).toBe(
    '403 persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi');
});

test('priority comes from the class, the default class, or is zero', async () => {
  const context = testContext();
  const plugin = new PriorityAdmission(context);
  const none = attributesFor(PODS, pod());
  expect(await run(plugin, none)).toBeUndefined();
  expect(specOf(none)).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  context.view.put(PRIORITY_CLASSES, { metadata: { name: 'high' }, value: 10, preemptionPolicy: 'Never' }, { metadata: { name: 'base' }, value: 3, globalDefault: true });
  const named = attributesFor(PODS, pod({ priorityClassName: 'high' }));
  await run(plugin, named);
  expect(specOf(named)).toMatchObject({ priority: 10, preemptionPolicy: 'Never' });
  const byDefault = attributesFor(PODS, pod());
  await run(plugin, byDefault);
  expect(specOf(byDefault)).toMatchObject({ priorityClassName: 'base', priority: 3 });
  expect(await run(plugin, attributesFor(PODS, pod({ priorityClassName: 'x' })))).toContain('no PriorityClass with name x was found');
  expect(await run(plugin, attributesFor(PODS, pod({ priority: 7 })))).toContain('the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 3');
  expect(await run(plugin, attributesFor(PRIORITY_CLASSES, { metadata: { name: 'n' }, value: 1, globalDefault: true }))).toContain('PriorityClass base is already marked as default. Only one default can exist');
});

test('tolerations for nodes that fail, once', async () => {
  const a = attributesFor(PODS, pod({ tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }] }));
  await run(new DefaultTolerationSeconds(), a);
  await run(new DefaultTolerationSeconds(), a);
  expect(specOf(a).tolerations).toEqual([
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
  ]);
});

test('storage: default class, protection, growth', async () => {
  const context = testContext();
  context.view.put(STORAGE_CLASSES, { metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }, provisioner: 'p', allowVolumeExpansion: true });
  const claim = { metadata: { namespace: 'ns', name: 'c' }, spec: {} };
  const a = attributesFor(PERSISTENT_VOLUME_CLAIMS, claim);
  await run(new DefaultStorageClass(context), a);
  await run(new StorageObjectInUseProtection(), a);
  expect(a.object).toMatchObject({ metadata: { finalizers: ['kubernetes.io/pvc-protection'] }, spec: { storageClassName: 'fast' } });
  const sized = (storage: string, phase: string, storageClassName = 'fast') => ({ ...claim, spec: { storageClassName, resources: { requests: { storage } } }, status: { phase } });
  const grow = (storageClassName: string, phase: string) =>
    run(new PersistentVolumeClaimResize(context), attributesFor(PERSISTENT_VOLUME_CLAIMS, sized('2Gi', phase, storageClassName), { operation: 'UPDATE', oldObject: sized('1Gi', phase, storageClassName) }));
  expect(await grow('fast', 'Bound')).toBeUndefined();
  expect(await grow('fast', 'Pending')).toContain('Only bound persistent volume claims can be expanded');
  expect(await grow('slow', 'Bound')).toContain('only dynamically provisioned pvc can be resized');
});

test('the newest default ingress class', async () => {
  const context = testContext();
  const marked = (name: string, creationTimestamp: string) => ({ metadata: { name, creationTimestamp, annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } } });
  context.view.put(INGRESS_CLASSES, marked('old', '2026-01-01T00:00:00Z'), marked('new', '2026-01-02T00:00:00Z'));
  const a = attributesFor(INGRESSES, { metadata: { namespace: 'ns', name: 'i' }, spec: {} });
  await run(new DefaultIngressClass(context), a);
  expect(a.object).toMatchObject({ spec: { ingressClassName: 'new' } });
});

test('runtime classes bring overhead and scheduling', async () => {
  const context = testContext();
  context.view.put(RUNTIME_CLASSES, { metadata: { name: 'vm' }, handler: 'h', overhead: { podFixed: { cpu: '100m' } }, scheduling: { nodeSelector: { vm: 'yes' }, tolerations: [{ key: 'vm', operator: 'Exists' }] } });
  const plugin = new RuntimeClassAdmission(context);
  const a = attributesFor(PODS, pod({ runtimeClassName: 'vm', overhead: { cpu: '0.1' } }));
  expect(await run(plugin, a)).toBeUndefined();
  expect(specOf(a)).toMatchObject({ overhead: { cpu: '100m' }, nodeSelector: { vm: 'yes' }, tolerations: [{ key: 'vm', operator: 'Exists' }] });
  expect(await run(plugin, attributesFor(PODS, pod({ runtimeClassName: 'x' })))).toContain('pod rejected: RuntimeClass "x" not found');
  expect(await run(plugin, attributesFor(PODS, pod({ overhead: { cpu: '1' } })))).toContain('Pod Overhead set without corresponding RuntimeClass defined Overhead');
});

test('nodes touch themselves only', async () => {
  const context = testContext({}, { authorize: () => ({ decision: 'no-opinion', reason: '' }) });
  context.view.put(NODES, { metadata: { name: 'n1', uid: 'u' } }).put(PODS, pod({ nodeName: 'n1' }, { uid: 'pu' }));
  const plugin = new NodeRestriction(context);
  const user = simpleUser('system:node:n1', ['system:nodes']);
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u', controller: true };
  const mirror = (spec: Partial<V1PodSpec>) => pod({ nodeName: 'n1', ...spec }, { annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner] });
  expect(await run(plugin, attributesFor(PODS, mirror({}), { user }))).toBeUndefined();
  expect(await run(plugin, attributesFor(PODS, mirror({ serviceAccountName: 's' }), { user }))).toContain('node "n1" can not create pods that reference serviceaccounts');
  expect(await run(plugin, attributesFor(PODS, pod({ nodeName: 'n1' }), { user }))).toContain('node "n1" can only create mirror pods');
  expect(await run(plugin, attributesFor(NODES, { metadata: { name: 'n2' } }, { user }))).toContain('node "n1" is not allowed to modify node "n2"');
  const labels = { 'kubernetes.io/hostname': 'n1', 'node-restriction.kubernetes.io/x': '1', 'node-role.kubernetes.io/control-plane': '', team: 'a' };
  expect(await run(plugin, attributesFor(NODES, { metadata: { name: 'n1', labels } }, { user }))).toContain(
    'is not allowed to set the following labels: node-restriction.kubernetes.io/x, node-role.kubernetes.io/control-plane');
  const token = (uid: string, audiences: string[] = []) => attributesFor(SERVICE_ACCOUNTS, undefined, {
    user, namespace: 'ns', name: 's', subresource: 'token',
    object: { spec: { audiences, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid } } } as AdmissionAttributes['object'],
  });
  expect(await run(plugin, token('wrong'))).toContain('does not match the UID in record');
  expect(await run(plugin, token('pu', ['vault']))).toContain('audience "vault" not found in pod spec volume, system:node:n1 is not authorized');
  context.view.put(PODS, pod({ nodeName: 'n1', volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } }] }, { uid: 'pu' }));
  expect(await run(plugin, token('pu', ['vault']))).toBeUndefined();
});

test('nobody grants more than they have', async () => {
  const context = testContext();
  const rbac = new RbacAuthorizer(context.view);
  const plugin = new RbacEscalationCheck({ ...context, authorize: (attributes) => rbac.authorize(attributes) }, rbac);
  context.view.put(CLUSTER_ROLES, { metadata: { name: 'editor' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] })
    .put(CLUSTER_ROLE_BINDINGS, { metadata: { name: 'b' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'editor' }, subjects: [{ kind: 'User', name: 'jane' }] });
  const role = (verbs: string[]) => ({ metadata: { namespace: 'ns', name: 'r' }, rules: [{ verbs, apiGroups: [''], resources: ['pods'] }] });
  expect(await run(plugin, attributesFor(ROLES, role(['get'])))).toBeUndefined();
  expect(await run(plugin, attributesFor(ROLES, role(['get', 'list'])))).toBe(
    '403 roles.rbac.authorization.k8s.io "r" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
    '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}');
  const binding = (name: string) => ({ metadata: { namespace: 'ns', name: 'rb' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name } });
  expect(await run(plugin, attributesFor(ROLE_BINDINGS, binding('editor')))).toBeUndefined();
  expect(await run(plugin, attributesFor(ROLE_BINDINGS, binding('none')))).toBe('404 rolebindings.rbac.authorization.k8s.io "none" not found');
  context.view.put(CLUSTER_ROLES, { metadata: { name: 'secret-reader' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }] });
  expect(await run(plugin, attributesFor(ROLE_BINDINGS, binding('secret-reader')))).toContain('Resources:["secrets"]');
  context.view.put(CLUSTER_ROLES, { metadata: { name: 'editor' }, rules: [{ verbs: ['bind'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames: ['secret-reader'] }] });
  expect(await run(plugin, attributesFor(ROLE_BINDINGS, binding('secret-reader')))).toBeUndefined();
  expect(await run(plugin, attributesFor(ROLES, role(['*']), { user: simpleUser('root', ['system:masters']) }))).toBeUndefined();
});

test('certificate requests', async () => {
  const request = (organizations: string[]) => Buffer.from(createCsr(generateEcKeyPair().privateKey, { commonName: 'x', organizations })).toString('base64');
  const csr = (organizations: string[]) => ({ metadata: { name: 'c' }, spec: { signerName: 'kubernetes.io/kube-apiserver-client', request: request(organizations), usages: ['client auth'] } });
  expect(await run(new CertificateSubjectRestriction(), attributesFor(CERTIFICATE_SIGNING_REQUESTS, csr(['dev'])))).toBeUndefined();
  expect(await run(new CertificateSubjectRestriction(), attributesFor(CERTIFICATE_SIGNING_REQUESTS, csr(['system:masters'])))).toContain('system:masters group is not allowed');
  const asked: string[] = [];
  const context = testContext({}, { authorize: (attributes) => {
    asked.push(`${attributes.verb} ${attributes.resource} ${attributes.name}`);
    return { decision: 'no-opinion', reason: '' };
  } });
  const approval = attributesFor(CERTIFICATE_SIGNING_REQUESTS, csr([]), { operation: 'UPDATE', subresource: 'approval', oldObject: csr([]) });
  expect(await run(new CertificateApproval(context), approval)).toContain('user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"');
  expect(asked).toEqual(['approve signers kubernetes.io/kube-apiserver-client', 'approve signers kubernetes.io/*']);
});
