import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { startTestServer, type Json, type TestServer } from './harness.js';

let t: TestServer;
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const METADATA = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };
const GADGETS = '/apis/shop.example.com/v1/namespaces/default/gadgets';

beforeAll(async () => {
  t = await startTestServer();
  const definition = load(await readFile(join(import.meta.dirname, '../../e2e/manifests/chart/crds/gadgets.yaml'), 'utf8'));
  expect((await t.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition })).code).toBe(201);
  for (let i = 0; i < 200 && (await t.send('GET', GADGETS)).code !== 200; i++) await new Promise((resolve) => setTimeout(resolve, 10));
});
afterAll(() => t.stop());

test('what is empty in the metadata of a custom object is not kept', async () => {
  const empty = { annotations: {}, labels: {}, finalizers: [], ownerReferences: [], generateName: '' };
  const made = await t.send('POST', GADGETS, { body: { apiVersion: 'shop.example.com/v1', kind: 'Gadget', metadata: { name: 'one', ...empty }, spec: { color: 'red' } } });
  expect(made.code).toBe(201);
  const names = (body: Json): readonly string[] => Object.keys(body['metadata'] ?? {}).sort();
  const expected = ['creationTimestamp', 'generation', 'managedFields', 'name', 'namespace', 'resourceVersion', 'uid'];
  expect(names(made.body)).toEqual(expected);
  expect(JSON.stringify(made.body['metadata']?.['managedFields'])).not.toContain('f:labels');
  const patched = await t.send('PATCH', `${GADGETS}/one`, { body: { metadata: { annotations: {}, labels: {} } }, headers: { 'content-type': 'application/merge-patch+json' } });
  expect(names(patched.body)).toEqual(expected);
  expect(patched.body['metadata']?.['resourceVersion']).toBe(made.body['metadata']?.['resourceVersion']);
});

test('a scale is a row of a table, or its metadata', async () => {
  const table = (await t.send('GET', `${GADGETS}/one/scale`, { headers: TABLE })).body;
  expect((table['columnDefinitions'] as unknown as Json[]).map((column) => column['name'])).toEqual(['Name', 'Desired', 'Available', 'Age']);
  expect(table['rows']?.[0]).toMatchObject({ cells: ['one', 1, 0, expect.any(String)], object: { kind: 'PartialObjectMetadata', metadata: { name: 'one' } } });
  expect((await t.send('GET', `${GADGETS}/one/scale?includeObject=Object`, { headers: TABLE })).body['rows']?.[0]).toMatchObject({ object: { kind: 'Scale', spec: { replicas: 1 } } });
  expect((await t.send('GET', `${GADGETS}/one/scale`, { headers: METADATA })).body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'one' } });
});

test('/version is indented, and JSON alone', async () => {
  expect((await t.send('GET', '/version')).text).toMatch(/^\{\n {2}"major": "1",\n {2}"minor": "36",/);
  expect((await t.send('GET', '/version', { headers: { accept: 'application/yaml' } })).code).toBe(406);
});
