import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAdmission } from '../../../src/run/admission.js';
import { DEFAULT_SETTINGS } from '../../../src/run/options.js';
import { assembleParts } from '../../../src/server/parts.js';
import { startTestServer, type Answer, type TestServer } from './harness.js';

const CONFIGURATION = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodNodeSelector
  path: selectors.yaml
- name: EventRateLimit
  configuration:
    apiVersion: eventratelimit.admission.k8s.io/v1alpha1
    kind: Configuration
    limits: [{ type: Namespace, qps: 1, burst: 1 }]
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: { enforce: baseline }
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources: [{ resource: services, matchContains: [services.nodeports] }]
`;
const enableAdmissionPlugins = ['PodNodeSelector', 'EventRateLimit', 'NamespaceAutoProvision', 'AlwaysPullImages', 'OwnerReferencesPermissionEnforcement'];

let folder: string;
let file: string;
let t: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-admission-'));
  file = join(folder, 'admission.yaml');
  await writeFile(file, CONFIGURATION);
  await writeFile(join(folder, 'selectors.yaml'), 'podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "zone=a" }');
  const settings = { ...DEFAULT_SETTINGS.server, enableAdmissionPlugins, admissionControlConfigFile: file };
  const admissionConfiguration = (await readAdmission(settings))!;
  t = await startTestServer(assembleParts, { enableAdmissionPlugins, admissionConfiguration });
});
afterAll(async () => {
  await t.stop();
  await rm(folder, { recursive: true });
});

const post = (path: string, body: unknown): Promise<Answer> => t.send('POST', path, { body });
const pod = (spec: object = {}): unknown => ({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });

test('plugins act as the file says', async () => {
  // The namespace comes with the first object in it.
  expect((await post('/api/v1/namespaces/team/serviceaccounts', { metadata: { name: 'default' } })).code).toBe(201);
  const pods = '/api/v1/namespaces/team/pods?dryRun=All';
  expect((await post(pods, pod())).body).toMatchObject({ spec: { nodeSelector: { zone: 'a' }, containers: [{ imagePullPolicy: 'Always' }] } });
  expect((await post(pods, pod({ nodeSelector: { zone: 'b' } }))).body).toMatchObject({ code: 403, message: 'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector' });
  expect((await post(pods, pod({ hostPID: true }))).body).toMatchObject({ code: 403, message: 'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)' });
  expect((await post('/api/v1/namespaces/team/services?dryRun=All', { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } })).body).toMatchObject({
    code: 403, message: 'services "s" is forbidden: insufficient quota to consume: services.nodeports',
  });
  const event = (name: string): unknown => ({ metadata: { name, namespace: 'team' }, involvedObject: { kind: 'Pod', namespace: 'team', name: 'p' }, reason: 'r', type: 'Normal' });
  expect((await post('/api/v1/namespaces/team/events', event('a'))).code).toBe(201);
  expect((await post('/api/v1/namespaces/team/events', event('b'))).body).toEqual({
    kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'TooManyRequests', code: 429, message: 'Too many requests: limit reached on type Namespace for key team',
  });
});

test('owners of an unknown kind', async () => {
  const owner = { apiVersion: 'x.example/v1', kind: 'Thing', name: 'o', uid: 'u', blockOwnerDeletion: true };
  // Superusers may set the finalizers of anything, known or not.
  expect((await post('/api/v1/namespaces/team/configmaps?dryRun=All', { metadata: { name: 'c', ownerReferences: [owner] } })).code).toBe(201);
});

test('mistakes are told before anything starts', async () => {
  const settings = { ...DEFAULT_SETTINGS.server, admissionControlConfigFile: join(folder, 'none.yaml') };
  await expect(readAdmission(settings)).rejects.toMatchObject({ code: 'KUBE_ADMISSION_CONFIGURATION', message: `cannot read ${join(folder, 'none.yaml')}: there is no such file` });
  await expect(readAdmission({ ...settings, enableAdmissionPlugins: ['Nope'] })).rejects.toMatchObject({ code: 'KUBE_ADMISSION_PLUGIN' });
  await writeFile(join(folder, 'selectors.yaml'), 'podNodeSelectorPluginConfig: { ns: "a=b=c" }\nother: 1');
  await expect(readAdmission({ ...settings, admissionControlConfigFile: file })).rejects.toThrow(
    `${file}: plugins[0].path: selectors.yaml: podNodeSelectorPluginConfig[ns]: Invalid value: "a=b=c": invalid selector: [a b c]; other: Invalid value: 1: unknown field`);
});
