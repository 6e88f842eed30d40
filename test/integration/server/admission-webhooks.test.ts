import { assembleParts } from '../../../src/server/parts.js';
import { startTestServer, type Answer, type SendOptions, type TestServer } from './harness.js';
import { allowed, patched, startWebhookServer, type Called, type WebhookServer } from './webhook-server.js';

let server: TestServer;
let hooks: WebhookServer;
const NAMESPACE = '/api/v1/namespaces/hooked';
const MAPS = `${NAMESPACE}/configmaps`;
const PLAIN = '/api/v1/namespaces/plain/configmaps';
const GROUP = '/apis/admissionregistration.k8s.io/v1';

beforeAll(async () => {
  [server, hooks] = await Promise.all([startTestServer(assembleParts), startWebhookServer()]);
  await server.server.ready;
  for (const [name, labels] of [['hooked', { hooks: 'on' }], ['plain', {}]] as const) await send('POST', '/api/v1/namespaces', { metadata: { name, labels } });
});
afterAll(async () => {
  hooks.stop();
  await server.stop();
});
afterEach(async () => {
  for (const kind of ['mutating', 'validating']) await send('DELETE', `${GROUP}/${kind}webhookconfigurations`);
  hooks.respond.clear();
  hooks.taken();
});

const send = (method: string, path: string, body?: unknown, headers?: SendOptions['headers']): Promise<Answer> => server.send(method, path, { body, ...(headers ? { headers } : {}) });
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const map = (name: string, more: object = {}): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });

function webhook(name: string, rule: object, more: object = {}): object {
  return {
    name: `${name}.example.com`, clientConfig: { url: `https://127.0.0.1:${hooks.port}/${name}`, caBundle: hooks.caBundle }, sideEffects: 'None', admissionReviewVersions: ['v1'],
    rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps'], ...rule }], namespaceSelector: { matchLabels: { hooks: 'on' } }, ...more,
  };
}

async function configure(kind: 'Mutating' | 'Validating', webhooks: readonly object[], name = 'test'): Promise<void> {
  const { code, text } = await send('POST', `${GROUP}/${kind.toLowerCase()}webhookconfigurations`, { apiVersion: 'admissionregistration.k8s.io/v1', kind: `${kind}WebhookConfiguration`, metadata: { name }, webhooks });
  if (code !== 201) throw new Error(text);
}

const names = (calls: readonly Called[]): string[] => calls.map(({ name }) => name);

test('webhooks hear of creates, updates, patches and deletes, and only where they want to', async () => {
  await configure('Validating', [webhook('v', {}), webhook('labelled', {}, { objectSelector: { matchLabels: { a: 'b' } } })]);
  await configure('Mutating', [webhook('m', {})]);
  await send('POST', PLAIN, map('elsewhere'));
  expect(hooks.taken()).toEqual([]);

  expect((await send('POST', `${MAPS}?fieldManager=me&dryRun=All`, map('a'))).code).toBe(201);
  const [first, second, ...others] = hooks.taken();
  expect(others).toEqual([]);
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  expect(first).toMatchObject({
    name: 'm', query: 'timeout=10s',
    request: {
      kind, resource, requestKind: kind, requestResource: resource, name: 'a', namespace: 'hooked', operation: 'CREATE', dryRun: true, oldObject: null,
      userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'hooked' } },
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', dryRun: ['All'] },
    },
  });
  expect(second).toMatchObject({ name: 'v', request: { object: { metadata: { uid: expect.any(String) as string } } } });

  await send('POST', MAPS, map('', { metadata: { generateName: 'made-' } }));
  expect(hooks.taken().map(({ request }) => request['name'] ?? '')).toEqual(['', expect.stringMatching(/^made-\w{5}$/)]);
  await send('PATCH', `${MAPS}/b?fieldManager=x&force=true`, JSON.stringify(map('b', { data: { k: 'v' } })), { 'content-type': 'application/apply-patch+yaml' });
  await send('PATCH', `${MAPS}/b`, { metadata: { labels: { a: 'b' } } }, mergePatch);
  await send('DELETE', `${MAPS}/b`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' });
  const rest = hooks.taken().filter(({ name }) => name !== 'm');
  expect(rest.map(({ name, request }) => `${name} ${String(request['operation'])} ${String(request['options']!['kind'])} ${request['object'] === null} ${request['oldObject'] === null}`).sort()).toEqual([
    'labelled DELETE DeleteOptions true false', 'labelled UPDATE UpdateOptions false false', 'v CREATE CreateOptions false true', 'v DELETE DeleteOptions true false', 'v UPDATE UpdateOptions false false',
  ]);
  expect((await send('DELETE', MAPS)).code).toBe(200);
  expect(hooks.taken().map(({ request }) => [request['operation'], request['name']])).toContainEqual(['DELETE', undefined]);
});

test('changes are made one after the other, in the order of the names, and ours are asked again', async () => {
  const once = (key: string) => (review: Parameters<ReturnType<typeof patched>>[0]): object | undefined =>
    review['request']!['object']!['metadata']!['labels']?.[key] ? allowed(review) : patched({ op: 'add', path: `/metadata/labels/${key}`, value: 'set' })(review);
  hooks.respond.set('one', once('one'));
  hooks.respond.set('two', once('two'));
  await configure('Mutating', [webhook('two', {})], 'b');
  await configure('Mutating', [webhook('one', {}, { reinvocationPolicy: 'IfNeeded' }), webhook('quiet', {})], 'a');
  const { code, body } = await send('POST', MAPS, map('mutated', { metadata: { name: 'mutated', labels: { own: 'x' } } }));
  expect([code, body['metadata']!['labels']]).toEqual([201, { own: 'x', one: 'set', two: 'set' }]);
  expect(names(hooks.taken())).toEqual(['one', 'quiet', 'two', 'one']);
  // What a webhook has set belongs to nobody.
  expect(JSON.stringify(body['metadata']!['managedFields'])).not.toContain('f:two');

  // A container that came late gets its defaults and its volume mounts.
  await send('POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  hooks.respond.set('sidecar', patched({ op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 'i' } }));
  await configure('Mutating', [webhook('sidecar', { resources: ['pods'] })], 'c');
  const pod = await send('POST', `${NAMESPACE}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  expect(pod.body['spec']!['containers']![1]).toMatchObject({ name: 'side', terminationMessagePath: '/dev/termination-log', volumeMounts: [{ mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] });
});

test.each<[string, object, number, string]>([
  ['unknown fields are dropped', { op: 'add', path: '/frob', value: 1 }, 201, ''],
  ['broken managed fields are put back', { op: 'replace', path: '/metadata/managedFields', value: [{ operation: 'Nope' }] }, 201, 'operation must be `Apply` or `Update`'],
  ['wrong types', { op: 'add', path: '/data', value: 'x' }, 500, 'Internal error occurred: json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string'],
  ['another namespace', { op: 'replace', path: '/metadata/namespace', value: 'plain' }, 400, 'the namespace of the provided object does not match the namespace sent on the request'],
  ['another kind', { op: 'replace', path: '/kind', value: 'Secret' }, 500, 'converting (v1.Secret) to (core.ConfigMap): unknown conversion'],
  ['an invalid object', { op: 'add', path: '/data', value: { 'bad key!': 'x' } }, 422, 'is invalid'],
])('a patch is judged like a request: %s', async (name, operation, code, text) => {
  hooks.respond.set('m', patched(operation));
  await configure('Mutating', [webhook('m', {})]);
  const answer = await send('POST', `${MAPS}?dryRun=All`, map(`p${name.length}`));
  expect(answer.code).toBe(code);
  expect(`${answer.text}${String(answer.headers['warning'] ?? '')}`).toContain(text);
  if (code === 201) expect(answer.body['metadata']!['managedFields'] ?? []).not.toContainEqual(expect.objectContaining({ operation: 'Nope' }));
});

test('denials, warnings, failures and what the failure policy makes of them', async () => {
  hooks.respond.set('deny', (review) => allowed(review, { allowed: false, status: { message: 'not today', code: 409, reason: 'Conflict' }, warnings: ['careful'] }));
  hooks.respond.set('silent', () => undefined);
  hooks.respond.set('wrong', () => ({ response: { allowed: true } }));
  const on = (label: string): object => ({ objectSelector: { matchLabels: { case: label } } });
  await configure('Validating', [
    webhook('deny', {}, on('deny')), webhook('wrong', {}, on('wrong')), webhook('ignored', {}, { ...on('ignored'), failurePolicy: 'Ignore', clientConfig: { url: 'https://127.0.0.1:1/' } }),
    webhook('silent', {}, { ...on('silent'), timeoutSeconds: 1 }), webhook('down', {}, { ...on('down'), clientConfig: { url: 'https://127.0.0.1:1/x' } }),
    webhook('conditions', {}, { ...on('conditions'), matchConditions: [{ name: 'c', expression: 'true' }] }),
    webhook('lax', {}, { ...on('lax'), failurePolicy: 'Ignore', matchConditions: [{ name: 'c', expression: 'true' }] }),
  ]);
  const create = (label: string): Promise<Answer> => send('POST', MAPS, map(`c-${label}`, { metadata: { name: `c-${label}`, labels: { case: label } } }));
  const denied = await create('deny');
  expect(denied.body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'admission webhook "deny.example.com" denied the request: not today', reason: 'Conflict', code: 409 });
  expect(denied.headers['warning']).toBe('299 - "careful"');
  // What cannot be written as an answer is answered all the same.
  hooks.respond.set('deny', (review) => allowed(review, { allowed: false, status: { details: { retryAfterSeconds: 'a\r\nb' } } }));
  expect(await create('deny')).toMatchObject({ code: 500, body: { kind: 'Status', message: 'Internal error occurred: the answer could not be written' } });
  const failed = (name: string, why: string): object => ({ code: 500, body: expect.objectContaining({ reason: 'InternalError', message: `Internal error occurred: failed calling webhook "${name}.example.com": ${why}` }) as object });
  expect(await create('wrong')).toMatchObject(failed('wrong', `received invalid webhook response: expected response.uid="${String(hooks.taken().pop()!.request['uid'])}", got ""`));
  expect(await create('silent')).toMatchObject(failed('silent', `failed to call webhook: Post "https://127.0.0.1:${hooks.port}/silent?timeout=1s": context deadline exceeded`));
  expect(await create('down')).toMatchObject(failed('down', 'failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused'));
  expect((await create('ignored')).code).toBe(201);
  expect((await create('conditions')).code).toBe(403);
  expect((await create('lax')).code).toBe(201);

  const { text } = await send('GET', '/metrics');
  expect(text).toContain('apiserver_admission_webhook_rejection_count{name="deny.example.com",type="validating",operation="CREATE",error_type="no_error",rejection_code="409"} 1');
  expect(text).toContain('apiserver_admission_webhook_rejection_count{name="down.example.com",type="validating",operation="CREATE",error_type="calling_webhook_error",rejection_code="503"} 1');
  expect(text).toContain('apiserver_admission_webhook_fail_open_count{name="ignored.example.com",type="validating"} 1');
  expect(text).toMatch(/apiserver_admission_webhook_admission_duration_seconds_count\{name="deny.example.com",type="validating",operation="CREATE",rejected="true"\} 2/);
});

test('equivalent versions, subresources, connections and services', async () => {
  hooks.respond.set('v1', patched({ op: 'replace', path: '/spec/maxReplicas', value: 9 }));
  const autoscalers = { apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] };
  await configure('Mutating', [webhook('v1', autoscalers), webhook('exact', autoscalers, { matchPolicy: 'Exact' })]);
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }];
  const created = await send('POST', '/apis/autoscaling/v2/namespaces/hooked/horizontalpodautoscalers', { metadata: { name: 'h' }, spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, metrics } });
  expect(created.body).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { maxReplicas: 9, metrics } });
  expect(hooks.taken()).toMatchObject([{ name: 'v1', request: { kind: { version: 'v1' }, requestKind: { version: 'v2' }, object: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 50 } } } }]);

  // Configurations themselves are nobody's business: this one would lock everybody out.
  hooks.respond.set('no', (review) => allowed(review, { allowed: false }));
  await configure('Validating', [webhook('no', { resources: ['*/*'] }, { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['hooked'] }] } })]);
  const exec = await send('POST', `${NAMESPACE}/pods/any/exec?command=sh&stdin=true&container=c`);
  expect(exec).toMatchObject({ code: 400, body: { message: 'admission webhook "no.example.com" denied the request without explanation' } });
  expect(hooks.taken()).toMatchObject([{ request: { operation: 'CONNECT', kind: { kind: 'PodExecOptions' }, subResource: 'exec', name: 'any', options: null, oldObject: null, object: { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, container: 'c', command: ['sh'] } } }]);
  for (const path of ['pods/any/attach', 'pods/any/portforward?ports=80', 'pods/any:80/proxy/x', 'services/any/proxy/x']) expect((await send('GET', `${NAMESPACE}/${path}`)).code).toBe(400);
  expect(hooks.taken().map(({ request }) => request['object'])).toEqual([
    { kind: 'PodAttachOptions', apiVersion: 'v1' }, { kind: 'PodPortForwardOptions', apiVersion: 'v1', ports: [80] }, { kind: 'PodProxyOptions', apiVersion: 'v1', path: '/x' }, { kind: 'ServiceProxyOptions', apiVersion: 'v1', path: '/x' },
  ]);
  await send('DELETE', `${GROUP}/validatingwebhookconfigurations/test`);

  await send('POST', '/api/v1/namespaces', { metadata: { name: 'hooks' } });
  await send('POST', '/api/v1/namespaces/hooks/services', { metadata: { name: 'hook' }, spec: { ports: [{ port: 443, targetPort: hooks.port }] } });
  const service = { service: { namespace: 'hooks', name: 'hook', path: '/by-service' }, caBundle: hooks.caBundle };
  await configure('Validating', [webhook('svc', {}, { clientConfig: service })]);
  expect((await send('POST', MAPS, map('early'))).text).toContain('Post \\"https://hook.hooks.svc:443/by-service?timeout=10s\\": no endpoints available for service \\"hook\\"');
  await send('POST', '/apis/discovery.k8s.io/v1/namespaces/hooks/endpointslices', {
    metadata: { name: 'hook-1', labels: { 'kubernetes.io/service-name': 'hook' } }, addressType: 'IPv4', ports: [{ name: '', port: hooks.port }], endpoints: [{ addresses: ['10.9.9.9'], conditions: { ready: false } }],
  });
  expect((await send('POST', MAPS, map('unready'))).text).toContain('no endpoints available');
});

test('custom resources go through webhooks in the version that these ask for', async () => {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string', default: 'set' } } } } } };
  const version = (name: string, storage: boolean): object => ({ name, served: true, storage, schema, subresources: { status: {} } });
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'things.example.com' }, spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions: [version('v1', true), version('v2', false)] },
  });
  const things = '/apis/example.com/v1/namespaces/hooked/things';
  for (let tries = 0; tries < 100 && (await send('GET', things)).code !== 200; tries++) await new Promise((resolve) => setImmediate(resolve));
  hooks.respond.set('v2', patched({ op: 'replace', path: '/spec/a', value: 'changed' }, { op: 'remove', path: '/spec/b' }));
  await configure('Mutating', [webhook('v2', { apiGroups: ['example.com'], apiVersions: ['v2'], resources: ['things', 'things/status'] })]);
  const { code, body } = await send('POST', things, { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' }, spec: { a: 'x' } });
  expect([code, body['apiVersion'], body['spec']]).toEqual([201, 'example.com/v1', { a: 'changed', b: 'set' }]);
  expect(hooks.taken()).toMatchObject([{ request: { kind: { version: 'v2' }, requestKind: { version: 'v1' }, object: { apiVersion: 'example.com/v2', spec: { a: 'x', b: 'set' } } } }]);
});

test('objects that are converted by a webhook are converted for admission, too', async () => {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'string' }, amount: { type: 'string' } } } } } };
  const version = (name: string, storage: boolean): object => ({ name, served: true, storage, schema });
  // What is the size in v1 is the amount in v2.
  hooks.respond.set('convert', (review) => {
    const { uid, desiredAPIVersion, objects } = review['request'] as unknown as { uid: string; desiredAPIVersion: string; objects: { spec: { size?: string; amount?: string } }[] };
    const converted = objects.map((object) => {
      const value = object.spec.size ?? object.spec.amount;
      return { ...object, apiVersion: desiredAPIVersion, spec: desiredAPIVersion.endsWith('v1') ? { size: value } : { amount: value } };
    });
    return { apiVersion: review['apiVersion'], kind: 'ConversionReview', response: { uid, result: { status: 'Success' }, convertedObjects: converted } };
  });
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: `https://127.0.0.1:${hooks.port}/convert`, caBundle: hooks.caBundle } } };
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'boxes.example.com' }, spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'boxes', kind: 'Box' }, conversion, versions: [version('v1', true), version('v2', false), version('v3', false)] },
  });
  const boxes = (name: string): string => `/apis/example.com/${name}/namespaces/hooked/boxes`;
  for (let tries = 0; tries < 100 && (await send('GET', boxes('v2'))).code !== 200; tries++) await new Promise((resolve) => setImmediate(resolve));
  hooks.respond.set('v2', patched({ op: 'replace', path: '/spec/amount', value: 'changed' }));
  const rule = { apiGroups: ['example.com'], apiVersions: ['v2'], resources: ['boxes'] };
  await configure('Mutating', [webhook('v2', rule)]);
  await configure('Validating', [webhook('seen', rule)]);
  for (const asked of ['v1', 'v2', 'v3']) {
    hooks.taken();
    const spec = asked === 'v1' ? { size: 'x' } : { amount: 'x' };
    const { code, body } = await send('POST', boxes(asked), { apiVersion: `example.com/${asked}`, kind: 'Box', metadata: { name: `b-${asked}` }, spec });
    expect([code, body['spec']]).toEqual([201, asked === 'v1' ? { size: 'changed' } : { amount: 'changed' }]);
    const reviews = hooks.taken().filter(({ name }) => name !== 'convert');
    expect(reviews.map(({ name, request }) => [name, request['kind']!['version'], request['requestKind']!['version'], request['object']!['apiVersion'], request['object']!['spec']])).toEqual([
      ['v2', 'v2', asked, 'example.com/v2', { amount: 'x' }], ['seen', 'v2', asked, 'example.com/v2', { amount: 'changed' }],
    ]);
    expect((await send('GET', `${boxes('v1')}/b-${asked}`)).body['spec']).toEqual({ size: 'changed' });
  }
});
