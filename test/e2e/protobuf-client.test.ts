import { jest } from '@jest/globals';
import { eventually, startExecutable, type ExecutableCluster } from '../harness/executable.js';
import { ProtobufClient, PROTOBUF } from '../harness/protobuf-client.js';

jest.setTimeout(90_000);

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

let cluster: ExecutableCluster;
let client: ProtobufClient;
beforeAll(async () => {
  cluster = await startExecutable(['--simulated-nodes', '1']);
  client = await ProtobufClient.connect(cluster.ready.kubeconfig);
  await eventually(async () => (await client.send('GET', '/api/v1/namespaces/default/serviceaccounts/default')).code === 200, 'the service account of the namespace');
});
afterAll(async () => {
  client.close();
  await cluster.remove();
});

const map = (message: object): { apiVersion: string; kind: string; message: object } => ({ apiVersion: 'v1', kind: 'ConfigMap', message });

test('create, get, update, conflicts, delete with preconditions', async () => {
  const binary = Buffer.from([0, 1, 254, 255]);
  const made = await client.send('POST', MAPS, map({ metadata: { name: 'pb', labels: { a: 'b' } }, data: { k: 'v', empty: '' }, binaryData: { bytes: binary } }));
  expect([made.code, made.contentType, made.apiVersion, made.kind]).toEqual([201, PROTOBUF, 'v1', 'ConfigMap']);
  expect(made.message).toMatchObject({
    metadata: { name: 'pb', namespace: 'default', labels: { a: 'b' }, uid: expect.any(String), creationTimestamp: { seconds: expect.any(String) }, managedFields: [{ manager: 'protobuf-client', operation: 'Update' }] },
    data: { k: 'v', empty: '' },
    binaryData: { bytes: binary },
  });
  expect((await client.send('GET', `${MAPS}/pb`)).message).toEqual(made.message);
  // kubectl, which reads JSON, sees the same.
  expect(await cluster.kubectl('get cm pb -o jsonpath={.binaryData.bytes}')).toBe(binary.toString('base64'));

  const updated = await client.send('PUT', `${MAPS}/pb`, map({ ...made.message, data: { k: 'w' } }));
  expect(updated.code).toBe(200);
  expect(updated.message['data']).toEqual({ k: 'w' });
  const stale = await client.send('PUT', `${MAPS}/pb`, map({ ...made.message, data: { k: 'x' } }));
  expect([stale.code, stale.contentType, stale.kind]).toEqual([409, PROTOBUF, 'Status']);
  expect(stale.message).toMatchObject({ status: 'Failure', reason: 'Conflict', code: 409, details: { name: 'pb', kind: 'configmaps' } });

  const options = (message: object): { apiVersion: string; kind: string; message: object } => ({ apiVersion: 'v1', kind: 'DeleteOptions', message });
  const refused = await client.send('DELETE', `${MAPS}/pb`, options({ preconditions: { uid: 'other' } }));
  expect(refused.message).toMatchObject({ code: 409, message: expect.stringContaining('the UID in the precondition (other) does not match the UID in record') });
  expect((await client.send('DELETE', `${MAPS}/pb`, options({ dryRun: ['All'] }))).code).toBe(200);
  const deleted = await client.send('DELETE', `${MAPS}/pb`, options({ preconditions: { uid: made.message.metadata!.uid }, propagationPolicy: 'Background' }));
  expect([deleted.code, deleted.kind, deleted.message['status']]).toEqual([200, 'Status', 'Success']);
  expect((await client.send('GET', `${MAPS}/pb`)).message).toMatchObject({ status: 'Failure', reason: 'NotFound', message: 'configmaps "pb" not found', code: 404, details: { name: 'pb', kind: 'configmaps' } });
});

test('errors name the fields', async () => {
  const invalid = await client.send('POST', MAPS, map({ metadata: { name: 'Bad_Name' } }));
  expect(invalid.message).toMatchObject({ code: 422, reason: 'Invalid', details: { name: 'Bad_Name', kind: 'ConfigMap', causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }] } });
  const wrong = await client.send('POST', MAPS, { apiVersion: 'v1', kind: 'Pod', message: { metadata: { name: 'x' } } });
  expect([wrong.code, wrong.message['reason']]).toEqual([400, 'BadRequest']);
});

test('lists in pieces', async () => {
  for (const name of ['a', 'b', 'c']) expect((await client.send('POST', MAPS, map({ metadata: { name, labels: { list: 'yes' } } }))).code).toBe(201);
  const first = await client.send('GET', `${MAPS}?labelSelector=list%3Dyes&limit=2`);
  expect(first.kind).toBe('ConfigMapList');
  const { continue: token } = first.message.metadata as { readonly continue?: string };
  expect((first.message['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  const second = await client.send('GET', `${MAPS}?labelSelector=list%3Dyes&limit=2&continue=${encodeURIComponent(token ?? '')}`);
  expect((second.message['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual(['c']);
  expect((await client.send('DELETE', `${MAPS}?labelSelector=list%3Dyes`)).code).toBe(200);
});

test('a watch: what is there, changes, deletions, bookmarks', async () => {
  const { message } = await client.send('GET', MAPS);
  const watching = client.watch(`${MAPS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=30&fieldSelector=metadata.name%3Dwatched&resourceVersion=${message.metadata!.resourceVersion}`, (events) => events.some(({ type }) => type === 'DELETED'));
  const made = await client.send('POST', MAPS, map({ metadata: { name: 'watched' }, data: { n: '1' } }));
  await client.send('PUT', `${MAPS}/watched`, map({ ...made.message, data: { n: '2' } }));
  await client.send('DELETE', `${MAPS}/watched`);
  const { contentType, events } = await watching;
  expect(contentType).toBe(`${PROTOBUF};stream=watch`);
  expect(events.filter(({ type }) => type !== 'BOOKMARK').map((event) => [event.type, event.kind, event.message['data']])).toEqual([['ADDED', 'ConfigMap', { n: '1' }], ['MODIFIED', 'ConfigMap', { n: '2' }], ['DELETED', 'ConfigMap', { n: '2' }]]);
  const initial = await client.watch(`${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=30`, (seen) => seen.some(({ type }) => type === 'BOOKMARK'));
  expect(initial.events.at(-1)).toMatchObject({ type: 'BOOKMARK', kind: 'ConfigMap', message: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } });
  expect(initial.events.map((event) => event.message.metadata?.name)).toContain('kube-root-ca.crt');
});

test('a deployment, its pods, discovery and who I am', async () => {
  const template = { metadata: { labels: { app: 'pb' } }, spec: { containers: [{ name: 'c', image: 'c:1', ports: [{ name: 'http', containerPort: 80 }] }] } };
  const made = await client.send('POST', DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', message: { metadata: { name: 'pb' }, spec: { replicas: 2, selector: { matchLabels: { app: 'pb' } }, template } } });
  expect(made.code).toBe(201);
  expect(made.message['spec']).toMatchObject({ replicas: 2, template: { spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', containers: [{ ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }] }] } } });
  await eventually(async () => ((await client.send('GET', `${DEPLOYMENTS}/pb`)).message['status'] as { availableReplicas?: number }).availableReplicas === 2, 'two replicas are available');
  const pods = await client.send('GET', '/api/v1/namespaces/default/pods?labelSelector=app%3Dpb');
  expect((pods.message['items'] as { status: { phase: string; podIP: string } }[]).map(({ status }) => [status.phase, /^\d+\./.test(status.podIP)])).toEqual([['Running', true], ['Running', true]]);
  expect((await client.send('DELETE', `${DEPLOYMENTS}/pb`, { apiVersion: 'v1', kind: 'DeleteOptions', message: { propagationPolicy: 'Foreground' } })).code).toBe(200);
  await eventually(async () => (await client.send('GET', `${DEPLOYMENTS}/pb`)).code === 404, 'the deployment goes after its pods');

  const resources = await client.send('GET', '/apis/apps/v1');
  expect(resources.kind).toBe('APIResourceList');
  expect(resources.message['resources']).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'deployments', kind: 'Deployment', namespaced: true, shortNames: ['deploy'], verbs: { items: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] } })]));
  const review = await client.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', message: {} });
  expect(review.message['status']).toMatchObject({ userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'], extra: { 'authentication.kubernetes.io/credential-id': { items: [expect.stringContaining('X509SHA256=')] } } } });
});
