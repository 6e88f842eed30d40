import { Registry } from 'prom-client';
import { SystemClock } from '../base/clock.js';
import { noFailpoints } from '../base/failpoint.js';
import { silentLogger } from '../base/log.js';
import { SystemRandom } from '../base/random.js';
import { createCertificateAuthority, issueCertificate } from '../base/tls/authority.js';
import { createCsr } from '../base/tls/csr.js';
import { generateEcKeyPair } from '../base/tls/keys.js';
import { createClient, type Client } from '../client/index.js';
import type {
  AuthenticationV1TokenRequest, V1Pod, V1SelfSubjectAccessReview, V1SelfSubjectReview, V1SelfSubjectRulesReview, V1TokenReview,
} from '../api/generated/types.js';
import {
  BINDINGS, CERTIFICATE_SIGNING_REQUESTS, IP_ADDRESSES, NAMESPACES, NODES, POD_DISRUPTION_BUDGETS, PODS, ROLE_BINDINGS, SELF_SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_REVIEWS, SELF_SUBJECT_RULES_REVIEWS, SERVICE_ACCOUNTS, SERVICES, TOKEN_REVIEWS,
} from '../api/resource-refs.js';
import { MemoryStore } from '../storage/index.js';
import { createApiServer, type ApiServer, type UserInfo } from './index.js';
import { testOptions } from './testing/context.js';

const environment = { clock: new SystemClock(), random: new SystemRandom() };
const authority = createCertificateAuthority({ commonName: 'ca' }, environment);

let server: ApiServer;
let store: MemoryStore;
let root: Client;

const user = (name: string, groups: readonly string[] = []): UserInfo => ({ name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} });
const as = (who: UserInfo): Client => createClient(server.transport(who, 'test'));
const pod = (name: string, spec: Partial<V1Pod['spec']> = {}): V1Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'work', name, labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

beforeAll(async () => {
  store = new MemoryStore(environment.clock);
  server = createApiServer(
    testOptions({ securePort: 0, serving: issueCertificate(authority, { commonName: 'x', usages: ['server'], ipAddresses: ['127.0.0.1'] }), clientCa: authority.certificate }),
    { ...environment, store, log: silentLogger, metrics: new Registry(), failpoints: noFailpoints },
  );
  await server.start(new AbortController().signal);
  await server.ready;
  root = as(user('root', ['system:masters']));
  await root.resource(NAMESPACES).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'work' } });
  await root.resource(SERVICE_ACCOUNTS).create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'work', name: 'default' } });
  await root.resource(NODES).create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z1' } } });
});

afterAll(async () => {
  await server.stop(1000);
  await store.close();
});

test('the bootstrap is there, and the kubernetes service has its address', async () => {
  expect((await root.resource(SERVICES).get('default', 'kubernetes')).spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ targetPort: server.address.port }] });
  expect((await root.resource(IP_ADDRESSES).get('', '10.96.0.1')).spec?.parentRef).toMatchObject({ resource: 'services', namespace: 'default', name: 'kubernetes' });
});

test('access reviews and who am I', async () => {
  const jane = as(user('jane'));
  const can = async (client: Client, verb: string): Promise<boolean> => {
    const review: V1SelfSubjectAccessReview = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: { namespace: 'work', verb, resource: 'pods' } } };
    return (await client.resource(SELF_SUBJECT_ACCESS_REVIEWS).create(review)).status?.allowed === true;
  };
  expect([await can(root, 'delete'), await can(jane, 'get')]).toEqual([true, false]);
  expect(await failure(jane.resource(PODS).list('work'))).toBe('pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "work"');
  await root.resource(ROLE_BINDINGS).create({
    apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { namespace: 'work', name: 'jane' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }, subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
  });
  expect([await can(jane, 'get'), await can(jane, 'delete')]).toEqual([true, false]);
  const rules: V1SelfSubjectRulesReview = await jane.resource(SELF_SUBJECT_RULES_REVIEWS).create({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace: 'work' } });
  expect(rules.status?.resourceRules.some((rule) => rule.resources?.includes('pods/log'))).toBe(true);
  const self: V1SelfSubjectReview = await jane.resource(SELF_SUBJECT_REVIEWS).create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  expect(self.status?.userInfo).toEqual({ username: 'jane', groups: ['system:authenticated'] });
});

test('tokens: requested, reviewed, dead with their pod', async () => {
  const created = await root.resource(PODS).create(pod('bound'));
  const bind = { apiVersion: 'v1', kind: 'Pod', name: 'bound', uid: created.metadata!.uid! };
  const request = (spec: AuthenticationV1TokenRequest['spec']) =>
    root.resource(SERVICE_ACCOUNTS).createSubresource<AuthenticationV1TokenRequest>('work', 'default', 'token', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });
  const { status } = await request({ audiences: [], boundObjectRef: bind, expirationSeconds: 3607 });
  const review = async (token: string): Promise<V1TokenReview['status']> =>
    (await root.resource(TOKEN_REVIEWS).create({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } })).status;
  expect(await review(status!.token!)).toMatchObject({
    authenticated: true,
    user: { username: 'system:serviceaccount:work:default', groups: ['system:serviceaccounts', 'system:serviceaccounts:work', 'system:authenticated'], extra: { 'authentication.kubernetes.io/pod-name': ['bound'] } },
  });
  expect((await root.resource(TOKEN_REVIEWS).create({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'x', audiences: [] } })).spec).toEqual({ token: 'x' });
  expect(await failure(request({ audiences: [], expirationSeconds: 60 }))).toContain('spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes');
  expect(await failure(request({ audiences: [], boundObjectRef: { ...bind, apiVersion: '/a/../b' } }))).toBe('none');
  expect(await failure(request({ audiences: [], boundObjectRef: { ...bind, name: 'a/b%' } }))).toBe(`Name parameter invalid: "a/b%": may not contain '/';may not contain '%'`);
  expect(await failure(request({ audiences: [], boundObjectRef: { ...bind, uid: 'other' } }))).toContain('the UID in the bound object reference (other) does not match');
  await root.resource(PODS).delete('work', 'bound', { gracePeriodSeconds: 0 });
  expect(await review(status!.token!)).toMatchObject({ error: '[invalid bearer token, service account token has been invalidated]' });
  expect((await review('nonsense'))?.error).toBe('invalid bearer token');
});

test('pods are bound once', async () => {
  await root.resource(PODS).create(pod('p1'));
  const bind = (name: string, node: string) => root.resource(PODS).createSubresource('work', name, 'binding', { apiVersion: 'v1', kind: 'Binding', metadata: { name, annotations: { a: 'b' } }, target: { apiVersion: 'v1', kind: 'Node', name: node } });
  expect(await bind('p1', 'n1')).toMatchObject({ kind: 'Status', status: 'Success', code: 201 });
  const bound = await root.resource(PODS).get('work', 'p1');
  expect(bound).toMatchObject({ metadata: { generation: 1, annotations: { a: 'b' }, labels: { 'topology.kubernetes.io/zone': 'z1' } }, spec: { nodeName: 'n1' } });
  expect(bound.status!.conditions!.find((condition) => condition.type === 'PodScheduled')).toMatchObject({ status: 'True' });
  expect(await failure(bind('p1', 'n2'))).toBe('Operation cannot be fulfilled on pods/binding "p1": pod p1 is already assigned to node "n1"');
  expect(await failure(bind('none', 'n1'))).toBe('pods "none" not found');
  await root.resource(PODS).create(pod('p2'));
  await root.resource(BINDINGS).create({ apiVersion: 'v1', kind: 'Binding', metadata: { namespace: 'work', name: 'p2' }, target: { kind: 'Node', name: 'n1' } });
  expect((await root.resource(PODS).get('work', 'p2')).spec!.nodeName).toBe('n1');
});

test('evictions respect disruption budgets', async () => {
  const evict = (name: string, more: object = {}) => root.resource(PODS).createSubresource('work', name, 'eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'work' }, ...more });
  const running = async (name: string): Promise<void> => {
    const created = await root.resource(PODS).create(pod(name, { nodeName: 'n1' }));
    await root.resource(PODS).updateStatus({ ...created, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } });
  };
  await running('e1');
  await running('e2');
  const budget = await root.resource(POD_DISRUPTION_BUDGETS).create({
    apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { namespace: 'work', name: 'b' }, spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
  expect(await failure(evict('e1'))).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
  await root.resource(POD_DISRUPTION_BUDGETS).updateStatus({ ...budget, status: { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 } });
  expect(await evict('e1', { deleteOptions: { dryRun: ['All'] } })).toMatchObject({ status: 'Success' });
  expect(await evict('e1')).toMatchObject({ status: 'Success' });
  const evicted = await root.resource(PODS).get('work', 'e1');
  expect(evicted.metadata!.deletionTimestamp).toBeDefined();
  expect(evicted.status!.conditions).toContainEqual(expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }));
  expect((await root.resource(POD_DISRUPTION_BUDGETS).get('work', 'b')).status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { e1: expect.any(String) } });
  const error = await evict('e2').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: { code: 429, details: { causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget b does not allow evicting pods currently' }] } } });
});

test('a service takes its address with it when it goes', async () => {
  const service = await root.resource(SERVICES).create({ apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'work', name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } });
  const ip = service.spec!.clusterIP!;
  const port = service.spec!.ports![0]!.nodePort!;
  await root.resource(IP_ADDRESSES).get('', ip);
  expect((await store.get(`/nodeports/${port}`)).kv).toBeDefined();
  await root.resource(SERVICES).delete('work', 's');
  expect(await failure(root.resource(IP_ADDRESSES).get('', ip))).toContain('not found');
  expect((await store.get(`/nodeports/${port}`)).kv).toBeUndefined();
});

test('certificate requests say who made them', async () => {
  const request = Buffer.from(createCsr(generateEcKeyPair().privateKey, { commonName: 'x', organizations: [] })).toString('base64');
  const created = await root.resource(CERTIFICATE_SIGNING_REQUESTS).create({
    apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name: 'c' },
    spec: { signerName: 'example.com/signer', request, usages: ['client auth'], username: 'forged' },
  });
  expect(created.spec).toMatchObject({ username: 'root', groups: ['system:masters', 'system:authenticated'] });
});

test('component statuses', async () => {
  expect(await root.raw('GET', '/api/v1/componentstatuses')).toMatchObject({ items: [{ metadata: { name: 'etcd-0' }, conditions: [{ type: 'Healthy', status: 'True' }] }] });
});
