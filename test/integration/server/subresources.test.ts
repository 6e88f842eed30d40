import { startTestServer, type Json, type TestServer } from './harness.js';

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

const MERGE = { 'content-type': 'application/merge-patch+json' };
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const pods = '/api/v1/namespaces/default/pods';
const pod = (name: string): unknown => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });

function deployment(name: string): unknown {
  return {
    metadata: { name },
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } } },
  };
}

test('the object writes its spec, the status subresource its status; only the spec counts as a generation', async () => {
  const made = (await t.send('POST', deployments, { body: { ...(deployment('d1') as object), status: { replicas: 9 } } })).body;
  expect(made['metadata']!['generation']).toBe(1);
  expect(made['status']).not.toHaveProperty('replicas');
  const status = (await t.send('PUT', `${deployments}/d1/status`, { body: { ...made, spec: { ...(made['spec'] as unknown as object), replicas: 7 }, status: { replicas: 2, observedGeneration: 1 } } })).body;
  expect(status).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 2 }, status: { replicas: 2 } });
  const spec = (await t.send('PATCH', `${deployments}/d1`, { body: { spec: { replicas: 3 }, status: { replicas: 8 } }, headers: MERGE })).body;
  expect(spec).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 }, status: { replicas: 2 } });
});

test('scale is read and written as autoscaling/v1', async () => {
  await t.send('POST', deployments, { body: deployment('d2') });
  const scale = (await t.send('GET', `${deployments}/d2/scale`)).body;
  expect(scale).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'd2', namespace: 'default' }, spec: { replicas: 2 }, status: { replicas: 0, selector: 'app=d2' } });
  const put = (await t.send('PUT', `${deployments}/d2/scale`, { body: { ...scale, spec: { replicas: 4 } } })).body;
  expect(put).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
  expect((await t.send('PUT', `${deployments}/d2/scale`, { body: { ...scale, spec: { replicas: 5 } } })).code).toBe(409);
  const patched = (await t.send('PATCH', `${deployments}/d2/scale`, { body: { spec: { replicas: 6 } }, headers: MERGE })).body;
  expect(patched).toMatchObject({ spec: { replicas: 6 } });
  expect((await t.send('GET', `${deployments}/d2`)).body).toMatchObject({ spec: { replicas: 6 }, metadata: { generation: 3 } });
  expect((await t.send('PATCH', `${deployments}/d2/scale`, { body: { spec: { replicas: -1 } }, headers: MERGE })).code).toBe(422);
  expect((await t.send('GET', `${deployments}/absent/scale`)).body).toMatchObject({ code: 404, message: 'deployments.apps "absent" not found' });
});

test('a scheduled pod is deleted with grace, which can only be shortened', async () => {
  await t.send('POST', pods, { body: { ...(pod('g') as object), spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] } } });
  const first = await t.send('DELETE', `${pods}/g`);
  expect(first.code).toBe(200);
  expect(first.body).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: 30, deletionTimestamp: expect.any(String) as string } });
  expect((await t.send('DELETE', `${pods}/g`)).body['metadata']!['deletionGracePeriodSeconds']).toBe(30);
  expect((await t.send('DELETE', `${pods}/g?gracePeriodSeconds=10`)).body['metadata']!['deletionGracePeriodSeconds']).toBe(10);
  expect((await t.send('DELETE', `${pods}/g?gracePeriodSeconds=40`)).body['metadata']!['deletionGracePeriodSeconds']).toBe(10);
  expect((await t.send('DELETE', `${pods}/g?gracePeriodSeconds=0`)).code).toBe(200);
  expect((await t.send('GET', `${pods}/g`)).code).toBe(404);
});

test('an unscheduled pod goes at once, and is the answer', async () => {
  await t.send('POST', pods, { body: pod('u') });
  const deleted = await t.send('DELETE', `${pods}/u`);
  expect(deleted.body).toMatchObject({ kind: 'Pod', metadata: { name: 'u' } });
  expect((await t.send('GET', `${pods}/u`)).code).toBe(404);
});

test('pods by node come from an index, also for watches', async () => {
  await t.send('POST', pods, { body: { ...(pod('on1') as object), spec: { nodeName: 'one', containers: [{ name: 'c', image: 'i' }] } } });
  await t.send('POST', pods, { body: { ...(pod('on2') as object), spec: { nodeName: 'two', containers: [{ name: 'c', image: 'i' }] } } });
  const found = (await t.send('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Done')).body['items'] as unknown as readonly Json[];
  expect(found.map((item) => item['metadata']!['name'])).toEqual(['on1']);
  const watch = await t.open('/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dtwo&timeoutSeconds=1');
  let text = '';
  for await (const chunk of watch) text += String(chunk);
  expect(text).toContain('"name":"on2"');
  expect(text).not.toContain('"name":"on1"');
});

test('one object in both versions of autoscalers', async () => {
  const v2 = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const v1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
  await t.send('POST', v1, { body: { metadata: { name: 'h' }, spec: { maxReplicas: 5, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, targetCPUUtilizationPercentage: 70 } } });
  expect((await t.send('GET', `${v2}/h`)).body).toMatchObject({
    apiVersion: 'autoscaling/v2', spec: { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }] },
  });
  expect((await t.send('GET', `${v1}/h`)).body).toMatchObject({ apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 70 } });
  const list = (await t.send('GET', v1)).body;
  expect(list).toMatchObject({ kind: 'HorizontalPodAutoscalerList', apiVersion: 'autoscaling/v1', items: [{ spec: { targetCPUUtilizationPercentage: 70 } }] });
  const wrong = await t.send('POST', v1, { body: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'w' }, spec: { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'd' } } } });
  expect(wrong.body).toMatchObject({ code: 400, message: 'the API version in the data (autoscaling/v2) does not match the expected API version (autoscaling/v1)' });
});

test('events of both groups are the same objects', async () => {
  const made = await t.send('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
    body: { metadata: { name: 'e' }, eventTime: '2026-01-01T00:00:00.000000Z', reportingController: 'example.com/c', reportingInstance: 'i', action: 'Act', reason: 'Why', note: 'text', type: 'Normal', regarding: { kind: 'Pod', name: 'p', namespace: 'default' } },
  });
  expect(made.code).toBe(201);
  expect((await t.send('GET', '/api/v1/namespaces/default/events/e')).body).toMatchObject({ apiVersion: 'v1', message: 'text', involvedObject: { name: 'p' } });
  expect((await t.send('GET', '/apis/events.k8s.io/v1/namespaces/default/events/absent')).body['message']).toBe('events.events.k8s.io "absent" not found');
});

test('namespaces end when their finalizers are gone', async () => {
  await t.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'gone' } } });
  const deleted = (await t.send('DELETE', '/api/v1/namespaces/gone')).body;
  expect(deleted).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) as string }, status: { phase: 'Terminating' } });
  await t.send('PUT', '/api/v1/namespaces/gone/finalize', { body: { ...deleted, spec: { finalizers: [] } } });
  expect((await t.send('GET', '/api/v1/namespaces/gone')).code).toBe(404);
});

test('many writers of one object all get through with patches, and count every one', async () => {
  await t.send('POST', '/api/v1/namespaces/default/configmaps', { body: { metadata: { name: 'hot' }, data: {} } });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => t.send('PATCH', '/api/v1/namespaces/default/configmaps/hot', { body: { data: { [`k${i}`]: 'x' } }, headers: MERGE })));
  expect(answers.every((answer) => answer.code === 200)).toBe(true);
  expect(Object.keys((await t.send('GET', '/api/v1/namespaces/default/configmaps/hot')).body['data']!)).toHaveLength(30);
});

test('server-side apply: fields belong to who applied them, another one conflicts', async () => {
  const apply = (manager: string, value: string) => t.send('PATCH', `/api/v1/namespaces/default/configmaps/hot?fieldManager=${manager}`, {
    body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hot}\ndata: {a: ${value}}`, headers: { 'content-type': 'application/apply-patch+yaml' },
  });
  expect((await apply('x', 'one')).body).toMatchObject({ data: { a: 'one' }, metadata: { managedFields: expect.arrayContaining([expect.objectContaining({ manager: 'x', operation: 'Apply' })]) } });
  expect((await apply('y', 'two')).body).toMatchObject({ code: 409, reason: 'Conflict', message: expect.stringContaining('conflict with "x": .data.a') });
});
