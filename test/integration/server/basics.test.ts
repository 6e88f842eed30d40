import { startTestServer, type TestServer } from './harness.js';

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

const maps = '/api/v1/namespaces/default/configmaps';

test('create, get, list, update, patch, delete', async () => {
  const created = await t.send('POST', maps, { body: { metadata: { name: 'a', labels: { x: '1' } }, data: { k: 'v' } } });
  expect(created.code).toBe(201);
  expect(created.body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'default', labels: { x: '1' } }, data: { k: 'v' } });
  const { uid, resourceVersion, creationTimestamp } = created.body['metadata'] as unknown as Record<string, string>;
  expect(uid).toMatch(/^[0-9a-f-]{36}$/);
  expect(creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

  const got = await t.send('GET', `${maps}/a`);
  expect(got.body).toEqual(created.body);
  expect(got.headers['content-type']).toBe('application/json');

  const updated = await t.send('PUT', `${maps}/a`, { body: { ...created.body, data: { k: 'w' } } });
  expect(updated.code).toBe(200);
  expect(updated.body).toMatchObject({ metadata: { uid, creationTimestamp }, data: { k: 'w' } });
  expect(Number(updated.body['metadata']!['resourceVersion'])).toBeGreaterThan(Number(resourceVersion));

  const stale = await t.send('PUT', `${maps}/a`, { body: created.body });
  expect(stale.code).toBe(409);
  expect(stale.body).toEqual({
    kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Conflict', code: 409,
    message: 'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    details: { name: 'a', kind: 'configmaps' },
  });

  const patched = await t.send('PATCH', `${maps}/a`, { body: { data: { l: 'z', k: null } }, headers: { 'content-type': 'application/merge-patch+json' } });
  expect(patched.body).toMatchObject({ data: { l: 'z' } });
  expect(patched.body['data']).not.toHaveProperty('k');

  const same = await t.send('PATCH', `${maps}/a`, { body: { data: { l: 'z' } }, headers: { 'content-type': 'application/merge-patch+json' } });
  expect(same.body).toEqual(patched.body);

  const list = await t.send('GET', `${maps}?labelSelector=x%3D1`);
  expect(list.body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: patched.body['metadata']!['resourceVersion'] } });
  expect(list.body['items']).toHaveLength(1);
  expect(list.body['items']![0]).not.toHaveProperty('kind');
  expect((await t.send('GET', `${maps}?labelSelector=x%3D2`)).body['items']).toEqual([]);

  const deleted = await t.send('DELETE', `${maps}/a`);
  expect(deleted.code).toBe(200);
  expect(deleted.body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name: 'a', kind: 'configmaps', uid } });
  const gone = await t.send('GET', `${maps}/a`);
  expect(gone.code).toBe(404);
  expect(gone.body).toMatchObject({ message: 'configmaps "a" not found', reason: 'NotFound', details: { name: 'a', kind: 'configmaps' } });
});

test('generateName gives a random suffix of five', async () => {
  const made = await t.send('POST', maps, { body: { metadata: { generateName: 'gen-' } } });
  expect(made.body['metadata']!['name']).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test('a dry run stores nothing', async () => {
  const made = await t.send('POST', `${maps}?dryRun=All`, { body: { metadata: { name: 'dry' } } });
  expect(made.code).toBe(201);
  expect(made.body['metadata']).not.toHaveProperty('resourceVersion');
  expect((await t.send('GET', `${maps}/dry`)).code).toBe(404);
});

test('a second object of the same name', async () => {
  await t.send('POST', maps, { body: { metadata: { name: 'twice' } } });
  const again = await t.send('POST', maps, { body: { metadata: { name: 'twice' } } });
  expect(again.code).toBe(409);
  expect(again.body).toMatchObject({ reason: 'AlreadyExists', message: 'configmaps "twice" already exists', details: { name: 'twice', kind: 'configmaps' } });
});

test('finalizers hold a deletion until they are gone', async () => {
  await t.send('POST', maps, { body: { metadata: { name: 'held', finalizers: ['example.com/x'] } } });
  const deleted = await t.send('DELETE', `${maps}/held`);
  expect(deleted.body).toMatchObject({ kind: 'ConfigMap', metadata: { deletionGracePeriodSeconds: 0, deletionTimestamp: expect.any(String) as string } });
  const released = await t.send('PATCH', `${maps}/held`, { body: { metadata: { finalizers: null } }, headers: { 'content-type': 'application/merge-patch+json' } });
  expect(released.code).toBe(200);
  expect((await t.send('GET', `${maps}/held`)).code).toBe(404);
});

test('propagation policies become finalizers', async () => {
  for (const [policy, finalizer] of [['Foreground', 'foregroundDeletion'], ['Orphan', 'orphan']] as const) {
    await t.send('POST', maps, { body: { metadata: { name: 'owner' } } });
    const deleted = await t.send('DELETE', `${maps}/owner`, { body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: policy } });
    expect(deleted.body).toMatchObject({ metadata: { finalizers: [finalizer], deletionTimestamp: expect.any(String) as string } });
    await t.send('PATCH', `${maps}/owner`, { body: { metadata: { finalizers: null } }, headers: { 'content-type': 'application/merge-patch+json' } });
  }
});

test('delete preconditions', async () => {
  await t.send('POST', maps, { body: { metadata: { name: 'pre' } } });
  const refused = await t.send('DELETE', `${maps}/pre`, { body: { preconditions: { uid: 'x' } } });
  expect(refused.code).toBe(409);
  expect(refused.body['message']).toMatch(/^Operation cannot be fulfilled on ConfigMap "pre": the UID in the precondition \(x\) does not match the UID in record \([0-9a-f-]+\)\. The object might have been deleted and then recreated$/);
});

test('deletecollection removes what is selected and answers with it', async () => {
  for (const name of ['c1', 'c2', 'c3']) await t.send('POST', maps, { body: { metadata: { name, labels: { set: name === 'c3' ? 'no' : 'yes' } } } });
  const deleted = await t.send('DELETE', `${maps}?labelSelector=set%3Dyes`);
  expect(deleted.body).toMatchObject({ kind: 'ConfigMapList' });
  expect(deleted.body['items']).toHaveLength(2);
  expect((await t.send('GET', `${maps}?labelSelector=set`)).body['items']).toHaveLength(1);
});

test('wrong paths and methods', async () => {
  expect((await t.send('GET', '/api/v1/foos')).body).toMatchObject({ code: 404, message: 'the server could not find the requested resource', details: {} });
  expect((await t.send('POST', '/apis/apps//')).code).toBe(405);
  for (const path of ['/apis/foo/v1/bars', '//api/v1/configmaps', '/apis//v1/configmaps', '/apis//v1', '//version']) expect((await t.send('GET', path)).text).toBe('404 page not found\n');
  expect((await t.send('POST', '/api/v1/configmaps', { body: {} })).body).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
  expect((await t.send('GET', '/api/v1/configmaps/x')).code).toBe(404);
  expect((await t.send('PATCH', `${maps}/c3`, { body: {} })).body).toMatchObject({ code: 415, message: '415: Unsupported Media Type' });
  for (const path of ['/api/v1/nodes/x?resourceVersion=abc', '/api/v1/nodes?watch=1&resourceVersion=abc']) {
    expect((await t.send('GET', path)).body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax', reason: 'BadRequest', code: 400 });
  }
  const broken = await t.send('GET', '/api/v1/namespaces/%zz/configmaps');
  expect([broken.code, broken.text, broken.headers['content-type'], broken.headers['connection']]).toEqual([400, '400 Bad Request', 'text/plain; charset=utf-8', 'close']);
});

test('objects are changed by their names; HEAD is no method of built-in resources', async () => {
  const headers = { 'content-type': 'application/merge-patch+json' };
  for (const path of [maps, '/api/v1/configmaps', '/api/v1/nodes', '/apis/apps/v1/deployments']) {
    expect((await t.send('PUT', path, { body: {} })).body).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
    expect((await t.send('PATCH', path, { body: {}, headers })).body).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
    expect((await t.send('HEAD', path)).code).toBe(405);
  }
  expect((await t.send('HEAD', `${maps}/c3`)).code).toBe(405);
});

test('a path that is none is not found, whatever the method; a path that is one knows its methods', async () => {
  const code = async (method: string, path: string): Promise<number> => (await t.send(method, path)).code;
  const pod = '/api/v1/namespaces/default/pods/x';
  for (const path of [`${pod}/nothing`, `${pod}/status/more`, '/api/v1/pods/x', '/apis/authorization.k8s.io/v1/localsubjectaccessreviews', '/apis/authorization.k8s.io/v1/subjectaccessreviews/x']) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) expect([method, path, await code(method, path)]).toEqual([method, path, 404]);
  }
  for (const path of ['status', 'log', 'exec', 'eviction', 'ephemeralcontainers'].map((name) => `${pod}/${name}`).concat('/api/v1/pods', '/api/v1/namespaces/default/pods', pod)) {
    for (const method of ['HEAD', 'OPTIONS']) expect([method, path, await code(method, path)]).toEqual([method, path, 405]);
  }
  // The proxy has HEAD; only the pod is missing.
  expect(await code('HEAD', `${pod}/proxy/more`)).toBe(404);
});
