import { startTestServer, type TestServer } from './harness.js';

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

const apply = (body: object): ReturnType<TestServer['send']> =>
  t.send('PATCH', '/api/v1/namespaces/default/configmaps/one?fieldManager=a', { body, headers: { 'content-type': 'application/apply-patch+yaml' } });

test.each([
  ['an object with a method\'s name', { toString: 'x' }],
  ['a list', ['one']],
  ['a number', 1],
])('a configuration whose name is %s is refused as one that does not fit its schema', async (_what, name) => {
  const { code, body } = await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  expect([code, body['message']]).toEqual([500, expect.stringMatching(/^failed to create typed patch object \(\/; \/v1, Kind=ConfigMap\): \.metadata\.name: /)]);
});

test.each([[{ toString: 'x' }], [1], [undefined]])('a configuration whose version is %j is of no kind', async (apiVersion) => {
  const { code, body } = await apply({ apiVersion, kind: 'ConfigMap', metadata: { name: 'one' } });
  expect([code, body['message']]).toEqual([400, 'invalid object type: /, Kind=ConfigMap']);
});
