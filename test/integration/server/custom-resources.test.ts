import { startTestServer, type TestServer } from './harness.js';

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

type Body = Record<string, unknown>;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MERGE = { 'content-type': 'application/merge-patch+json' };

function definition(plural: string, kind: string, more: Body = {}, version: Body = {}): Body {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind, shortNames: [`${plural.slice(0, 2)}x`], categories: ['all'] },
      versions: [{
        name: 'v1', served: true, storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 9 }, color: { type: 'string', enum: ['red', 'blue'], default: 'red' }, replicas: { type: 'integer' },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, port: { 'x-kubernetes-int-or-string': true },
                  parts: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items: { type: 'object', required: ['name'], properties: { name: { type: 'string', pattern: '^[a-z]+$' } } } },
                },
              },
              status: { type: 'object', properties: { replicas: { type: 'integer' }, phase: { type: 'string' } } },
            },
          },
        },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        selectableFields: [{ jsonPath: '.spec.color' }],
        ...version,
      }],
      ...more,
    },
  };
}

/** Makes a definition and waits until it is established. */
async function establish(body: Body): Promise<void> {
  const made = await t.send('POST', DEFINITIONS, { body });
  expect(made.code).toBe(201);
  await until(async () => conditions(await get(body)).get('Established') === 'True');
}

async function get(body: Body): Promise<Body> {
  return (await t.send('GET', `${DEFINITIONS}/${(body['metadata'] as Body)['name'] as string}`)).body as Body;
}

function conditions(body: Body): Map<string, string> {
  const list = ((body['status'] as Body | undefined)?.['conditions'] ?? []) as { type: string; status: string }[];
  return new Map(list.map(({ type, status }) => [type, status]));
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await done()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it did not happen');
}

const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const widget = (name: string, spec: Body = { size: 3 }): Body => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec });

describe('a definition with a schema', () => {
  beforeAll(() => establish(definition('widgets', 'Widget')));

  test('all verbs', async () => {
    const made = await t.send('POST', widgets, { body: widget('a') });
    expect(made.body).toMatchObject({ kind: 'Widget', apiVersion: 'example.com/v1', metadata: { name: 'a', generation: 1 }, spec: { size: 3, color: 'red' } });
    expect((await t.send('GET', `${widgets}/a`)).body).toEqual(made.body);
    const list = await t.send('GET', '/apis/example.com/v1/widgets');
    expect(list.body).toMatchObject({ kind: 'WidgetList', apiVersion: 'example.com/v1', items: [{ metadata: { name: 'a' } }] });
    const patched = await t.send('PATCH', `${widgets}/a`, { body: { spec: { size: 4 } }, headers: MERGE });
    expect(patched.body).toMatchObject({ metadata: { generation: 2 }, spec: { size: 4 } });
    const put = await t.send('PUT', `${widgets}/a`, { body: { ...patched.body, spec: { size: 5 } } });
    expect(put.body).toMatchObject({ metadata: { generation: 3 }, spec: { size: 5, color: 'red' } });
    expect((await t.send('PUT', `${widgets}/a`, { body: widget('a') })).body).toMatchObject({ code: 422, message: 'widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update' });
    expect((await t.send('DELETE', `${widgets}/a`)).body).toMatchObject({ status: 'Success', details: { name: 'a', group: 'example.com', kind: 'widgets' } });
    await t.send('POST', widgets, { body: widget('b') });
    expect((await t.send('DELETE', widgets)).code).toBe(200);
    expect((await t.send('GET', widgets)).body['items']).toEqual([]);
    expect((await t.send('PATCH', `${widgets}/a`, { body: {}, headers: { 'content-type': 'application/strategic-merge-patch+json' } })).code).toBe(415);
    expect((await t.send('PATCH', widgets, { body: {}, headers: MERGE })).body).toMatchObject({ code: 400, reason: 'BadRequest', message: 'name must be provided' });
  });

  test('methods that custom resources do not have are refused in words of their own', async () => {
    const refused = { code: 405, reason: 'MethodNotAllowed', details: { group: 'example.com', kind: 'widgets' } };
    expect((await t.send('OPTIONS', widgets)).body).toMatchObject({ ...refused, message: ' is not supported on resources of kind "widgets.example.com"' });
    expect((await t.send('DELETE', `${widgets}/a/status`)).body).toMatchObject({ ...refused, message: 'delete is not supported on resources of kind "widgets.example.com"' });
  });

  test('what is wrong is said as upstream does', async () => {
    const wrong = await t.send('POST', widgets, { body: widget('w', { size: 12, color: 'green', parts: [{ name: 'A' }, { name: 'x' }, { name: 'x' }] }) });
    expect(wrong.code).toBe(422);
    const { causes } = wrong.body['details'] as unknown as { causes?: { field: string; message: string }[] };
    expect(causes).toEqual([
      { reason: 'FieldValueNotSupported', field: 'spec.color', message: 'Unsupported value: "green": supported values: "red", "blue"' },
      { reason: 'FieldValueInvalid', field: 'spec.parts[0].name', message: 'Invalid value: "A": spec.parts[0].name in body should match \'^[a-z]+$\'' },
      { reason: 'FieldValueInvalid', field: 'spec.size', message: 'Invalid value: 12: spec.size in body should be less than or equal to 9' },
      { reason: 'FieldValueDuplicate', field: 'spec.parts[2]', message: 'Duplicate value: {"name":"x"}' },
    ]);
    expect((await t.send('POST', widgets, { body: widget('w', {}) })).body['message']).toBe('Widget.example.com "w" is invalid: spec.size: Required value');
  });

  test('unknown fields are dropped, told or refused', async () => {
    const body = widget('u', { size: 1, other: 1, free: { any: 1 }, port: 'http' });
    const strict = await t.send('POST', `${widgets}?fieldValidation=Strict`, { body });
    expect(strict.code).toBe(400);
    expect(strict.body['message']).toContain('strict decoding error: unknown field "spec.other"');
    const made = await t.send('POST', widgets, { body });
    expect(made.body['spec']).toEqual({ size: 1, color: 'red', free: { any: 1 }, port: 'http' });
    expect(made.headers['warning']).toContain('unknown field \\"spec.other\\"');
  });

  test('status and scale are written apart', async () => {
    const made = await t.send('POST', widgets, { body: { ...widget('s', { size: 1, replicas: 2 }), status: { phase: 'no' } } });
    expect(made.body).not.toHaveProperty('status');
    const status = await t.send('PUT', `${widgets}/s/status`, { body: { ...made.body, spec: { size: 9 }, status: { phase: 'yes', replicas: 1 } } });
    expect(status.body).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1 }, status: { phase: 'yes' } });
    const scale = await t.send('GET', `${widgets}/s/scale`);
    expect(scale.body).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 2 }, status: { replicas: 1 } });
    await t.send('PATCH', `${widgets}/s/scale`, { body: { spec: { replicas: 7 } }, headers: MERGE });
    expect((await t.send('GET', `${widgets}/s`)).body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 7 } });
  });

  test('a scale is written without a version, and has fewer forms than those of built-in kinds', async () => {
    await t.send('POST', widgets, { body: widget('sc', { size: 1, replicas: 2 }) });
    const scale = (replicas: number): Body => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'sc' }, spec: { replicas } });
    expect((await t.send('PUT', `${widgets}/sc/scale`, { body: scale(4) })).body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
    const negative = await t.send('PUT', `${widgets}/sc/scale`, { body: scale(-4) });
    expect(negative.body['message']).toBe('Widget.example.com "sc" is invalid: .spec.replicas: Invalid value: -4: should be a non-negative integer');
    const other = await t.send('PUT', `${widgets}/sc/scale`, { body: { ...scale(5), metadata: { name: 'sc', uid: 'another' } } });
    expect(other).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    expect((await t.send('GET', `${widgets}/sc/scale`, { headers: { accept: 'application/vnd.kubernetes.protobuf' } })).code).toBe(406);
    for (const type of ['application/strategic-merge-patch+json', 'application/other']) {
      const patched = await t.send('PATCH', `${widgets}/sc/scale`, { body: { spec: { replicas: 1 } }, headers: { 'content-type': type } });
      expect(patched.code).toBe(415);
      expect(patched.body['message']).toContain('accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml');
    }
  });

  test('the metadata of a list is not that of an object', async () => {
    await t.send('POST', widgets, { body: widget('m', { size: 1 }) });
    const one = await t.send('GET', `${widgets}/m`, { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } });
    expect(one).toMatchObject({ code: 400, body: { message: 'content is not a list' } });
    const all = await t.send('GET', widgets, { headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' } });
    expect(all).toMatchObject({ code: 406, body: { message: 'you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)' } });
  });

  test('tables and selectable fields', async () => {
    await t.send('POST', widgets, { body: widget('t', { size: 6, color: 'blue' }) });
    const table = await t.send('GET', `${widgets}?fieldSelector=spec.color%3Dblue`, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
    expect(table.body).toMatchObject({ kind: 'Table', columnDefinitions: [{ name: 'Name' }, { name: 'Size', type: 'integer' }], rows: [{ cells: ['t', 6] }] });
    expect((await t.send('GET', `${widgets}?fieldSelector=spec.size%3D6`)).body['message']).toBe('field label not supported: spec.size');
  });

  test('server-side apply knows the lists of the schema', async () => {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const send = (manager: string, parts: Body[]): ReturnType<TestServer['send']> =>
      t.send('PATCH', `${widgets}/applied?fieldManager=${manager}`, { body: widget('applied', { size: 1, parts }), headers });
    expect((await send('one', [{ name: 'a' }])).code).toBe(201);
    expect((await send('two', [{ name: 'b' }])).body['spec']).toMatchObject({ parts: [{ name: 'a' }, { name: 'b' }] });
  });

  test('nulls that the schema does not allow are refused in applies, and dropped where they are decoded', async () => {
    const apply = (spec: Body) => t.send('PATCH', `${widgets}/nulls?fieldManager=one&dryRun=All`, { body: widget('nulls', spec), headers: { 'content-type': 'application/apply-patch+yaml' } });
    const refused = await apply({ size: 1, port: null, parts: [{ name: null }] });
    expect(refused.code).toBe(422);
    expect(refused.body['message']).toContain('spec.port: Invalid value: "null": spec.port in body must be of type integer,string: "null"');
    expect(refused.body['message']).toContain('spec.parts[0].name: Invalid value: "null": spec.parts[0].name in body must be of type string: "null"');
    // A default comes in the place of a null, and what the schema leaves open may have some.
    expect((await apply({ size: 1, color: null, free: { a: null } })).body['spec']).toEqual({ size: 1, color: 'red', free: { a: null } });
    expect((await t.send('POST', `${widgets}?dryRun=All`, { body: widget('nulls', { size: 1, replicas: null }) })).body['spec']).toEqual({ size: 1, color: 'red' });
  });

  test('discovery shows it', async () => {
    const list = await t.send('GET', '/apis/example.com/v1');
    expect(list.body['resources']).toContainEqual({
      name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      shortNames: ['wix'], categories: ['all'], storageVersionHash: expect.any(String) as string,
    });
    expect((await t.send('GET', '/apis')).body['groups']).toContainEqual(expect.objectContaining({ name: 'example.com', preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' } }));
  });
});

test('names that others have are refused until they are free', async () => {
  await establish(definition('first', 'First', { names: { plural: 'first', kind: 'First', shortNames: ['shared'] } }));
  const second = definition('second', 'Second', { names: { plural: 'second', kind: 'First', listKind: 'SecondList', singular: 'second' } });
  await t.send('POST', DEFINITIONS, { body: second });
  await until(async () => conditions(await get(second)).get('NamesAccepted') === 'False');
  expect((await get(second))['status']).toMatchObject({ conditions: [{ type: 'NamesAccepted', reason: 'KindConflict', message: '"First" is already in use' }, { type: 'Established', status: 'False', reason: 'NotAccepted' }] });
  await t.send('DELETE', `${DEFINITIONS}/first.example.com`);
  await until(async () => conditions(await get(second)).get('Established') === 'True');
});

test('versions: what is stored in one is read in the other, and a new storage version takes over', async () => {
  const schema = (names: readonly string[]): Body => ({ openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string', ...(name === 'late' ? { default: 'x' } : {}) }])) } } } });
  const versions = (storage: string): Body[] => ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === storage, schema: schema(name === 'v1' ? ['a', 'b', 'only'] : ['a', 'b', 'late']) }));
  const body = definition('many', 'Many', { versions: versions('v1') });
  await establish(body);
  const path = (version: string): string => `/apis/example.com/${version}/namespaces/default/many`;
  const made = await t.send('POST', path('v2'), { body: { apiVersion: 'example.com/v2', kind: 'Many', metadata: { name: 'm' }, spec: { a: '1', b: '2' } } });
  await t.send('PATCH', `${path('v1')}/m`, { body: { spec: { only: '3' } }, headers: MERGE });
  expect(made.body).toMatchObject({ apiVersion: 'example.com/v2', spec: { a: '1', b: '2' } });
  expect((await t.send('GET', `${path('v1')}/m`)).body).toMatchObject({ apiVersion: 'example.com/v1', spec: { a: '1', b: '2', only: '3' } });
  await t.send('PATCH', `${DEFINITIONS}/many.example.com`, { body: { spec: { versions: versions('v2') } }, headers: MERGE });
  const later = await t.send('GET', `${path('v2')}/m`);
  // Read in the version it is stored in, or what the two have in common.
  expect(later.body['spec']).toEqual({ a: '1', b: '2' });
  expect((await t.send('GET', `${path('v1')}/m`)).body).toMatchObject({ apiVersion: 'example.com/v1', spec: { a: '1', b: '2', only: '3' } });
  expect((await get(body))['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
  // A write that changes nothing brings it into the new version.
  const again = await t.send('PUT', `${path('v2')}/m`, { body: later.body });
  expect(again.body['spec']).toEqual({ a: '1', b: '2', late: 'x' });
  expect(Number(again.body['metadata']!['resourceVersion'])).toBeGreaterThan(Number(later.body['metadata']!['resourceVersion']));
});

test('what defaults make too large is not stored', async () => {
  const parts = { type: 'array', items: { type: 'object', properties: { text: { type: 'string', default: 'x'.repeat(100_000) } } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { parts } } };
  await establish(definition('growers', 'Grower', {}, { schema, subresources: {}, additionalPrinterColumns: [], selectableFields: [] }));
  const create = (name: string, count: number): ReturnType<TestServer['send']> =>
    t.send('POST', '/apis/example.com/v1/namespaces/default/growers', { body: { apiVersion: 'example.com/v1', kind: 'Grower', metadata: { name }, parts: Array.from({ length: count }, () => ({})) } });
  expect((await create('some', 10)).code).toBe(201);
  const many = await create('many', 100);
  expect(many.code).toBe(500);
  expect((many.body as Body)['message']).toBe('the object is too large: defaults add more than 3145728 bytes to it');
});

test('a deleted definition takes its objects with it', async () => {
  const body = definition('gone', 'Gone');
  await establish(body);
  const path = '/apis/example.com/v1/namespaces/default/gone';
  await t.send('POST', path, { body: { ...widget('g'), kind: 'Gone', metadata: { name: 'g', finalizers: ['example.com/hold'] } } });
  const deleted = await t.send('DELETE', `${DEFINITIONS}/gone.example.com`);
  expect(deleted.body).toMatchObject({ kind: 'CustomResourceDefinition', metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] } });
  await until(async () => 'deletionTimestamp' in ((await t.send('GET', `${path}/g`)).body['metadata']!));
  expect((await t.send('POST', path, { body: { ...widget('h'), kind: 'Gone' } })).body['message']).toContain('create not allowed while custom resource definition is terminating');
  await t.send('PATCH', `${path}/g`, { body: { metadata: { finalizers: null } }, headers: MERGE });
  await until(async () => (await t.send('GET', `${DEFINITIONS}/gone.example.com`)).code === 404);
  expect((await t.send('GET', path)).code).toBe(404);
});

test('group versions have API services as long as they are served', async () => {
  const services = '/apis/apiregistration.k8s.io/v1/apiservices';
  const body = definition('listeds', 'Listed', {}, {});
  const spec = { ...(body['spec'] as Body), group: 'listed.example.com' };
  const listed = { ...body, metadata: { name: 'listeds.listed.example.com' }, spec };
  await establish(listed);
  await until(async () => (await t.send('GET', `${services}/v1.listed.example.com`)).code === 200);
  const service = (await t.send('GET', `${services}/v1.listed.example.com`)).body;
  expect(service).toMatchObject({ metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } }, spec: { group: 'listed.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 } });
  await t.send('DELETE', `${services}/v1.listed.example.com`);
  await until(async () => ![undefined, service['metadata']!['uid']].includes((await t.send('GET', `${services}/v1.listed.example.com`)).body['metadata']?.['uid']));
  await t.send('DELETE', `${DEFINITIONS}/listeds.listed.example.com`);
  await until(async () => (await t.send('GET', `${services}/v1.listed.example.com`)).code === 404);
});
