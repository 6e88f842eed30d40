import { componentStatusHandler } from '../../../src/server/registry/core/component-status.js';
import { openParts, startTestServer, type TestServer } from './harness.js';

const statuses = '/api/v1/componentstatuses';
const accept = (kind: string): { headers: { accept: string } } => ({ headers: { accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` } });
let t: TestServer;
beforeAll(async () => {
  t = await startTestServer((context) => openParts({ handlers: [componentStatusHandler(context)] })(context));
});
afterAll(() => t.stop());

test('component statuses as tables', async () => {
  for (const path of [statuses, `${statuses}/etcd-0`]) {
    const table = (await t.send('GET', path, accept('Table'))).body as unknown as { kind: string; metadata: object; columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
    expect([table.kind, table.metadata]).toEqual(['Table', {}]);
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Status', 'Message', 'Error']);
    expect(table.rows.map(({ cells }) => cells)).toEqual([['etcd-0', 'Healthy', 'ok', '']]);
  }
});

test('what is listed, selected and got', async () => {
  const item = { metadata: { name: 'etcd-0' }, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] };
  expect((await t.send('GET', statuses)).body).toEqual({ kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: [item] });
  expect((await t.send('GET', `${statuses}?fieldSelector=metadata.name%3Dother`)).body['items']).toEqual([]);
  expect((await t.send('GET', `${statuses}?labelSelector=a`)).body['items']).toEqual([]);
  expect((await t.send('GET', `${statuses}/etcd-0`)).body).toEqual({ kind: 'ComponentStatus', apiVersion: 'v1', ...item });
  expect((await t.send('GET', `${statuses}/other`)).body).toMatchObject({ message: 'componentstatus "other" not found', details: { name: 'other', kind: 'componentstatus' } });
  expect((await t.send('GET', '/api/v1/watch/componentstatuses')).code).toBe(404);
  expect((await t.send('GET', `${statuses}?watch=1`)).body).toMatchObject({ code: 405, message: 'watch is not supported on resources of kind "componentstatuses"', details: { kind: 'componentstatuses' } });
  expect((await t.send('GET', statuses, accept('PartialObjectMetadataList'))).body).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ metadata: { name: 'etcd-0' } }] });
});
