import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { SystemClock } from '../../../src/base/clock.js';
import { SystemRandom } from '../../../src/base/random.js';
import { createCertificateAuthority, issueCertificate } from '../../../src/base/tls/authority.js';
import { startTestServer, type TestServer } from './harness.js';

type Body = Record<string, unknown>;
interface Review { readonly apiVersion: string; readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: Body[] } }

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const path = (version: string, name = ''): string => `/apis/example.com/${version}/namespaces/default/gates${name === '' ? '' : `/${name}`}`;

const clock = new SystemClock();
const authority = createCertificateAuthority({ commonName: 'hooks' }, { clock, random: new SystemRandom() });
const CA = Buffer.from(authority.certificate).toString('base64');

/** Version 1 has `at: host:port`, version 2 `host` and `port`. */
class Webhook {
  reviews: Review[] = [];
  /** What becomes of an answer before it is sent. */
  spoil: (response: Body) => void = () => undefined;
  /** Calls wait for this. */
  gate: Promise<void> = Promise.resolve();
  private readonly server: Server;

  constructor() {
    const { certificate, key } = issueCertificate(authority, { commonName: 'hook', usages: ['server'], dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
    this.server = createServer({ cert: certificate, key }, (request, response) => void this.handle(request).then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body)));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `https://localhost:${(this.server.address() as AddressInfo).port}/convert`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async handle(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
    this.reviews.push(review);
    await this.gate;
    const { uid, desiredAPIVersion, objects } = review.request;
    const response: Body = { uid, result: { status: 'Success' }, convertedObjects: objects.map((object) => convert(object, desiredAPIVersion)) };
    this.spoil(response);
    return JSON.stringify({ kind: 'ConversionReview', apiVersion: review.apiVersion, response });
  }
}

function convert(object: Body, apiVersion: string): Body {
  const { at, host, port, ...rest } = object;
  if (apiVersion.endsWith('/v1')) return { ...rest, apiVersion, at: `${host as string}:${port as string}` };
  const [name, number] = ((at as string | undefined) ?? ':').split(':');
  return { ...rest, apiVersion, host: name, port: number, unknown: 1 };
}

let t: TestServer;
const hook = new Webhook();
let url = '';

function definition(storage: string, conversion: Body = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url, caBundle: CA } } }): Body {
  const version = (name: string, properties: Body, field: string): Body => ({
    name, served: true, storage: name === storage, subresources: { status: {} }, selectableFields: [{ jsonPath: field }],
    additionalPrinterColumns: [{ name: 'Where', type: 'string', jsonPath: field }],
    schema: { openAPIV3Schema: { type: 'object', properties: { ...properties, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } } },
  });
  const text = { type: 'string' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'gates.example.com' },
    spec: {
      group: 'example.com', scope: 'Namespaced', names: { plural: 'gates', kind: 'Gate' }, conversion,
      versions: [version('v1', { at: text }, '.at'), version('v2', { host: text, port: { ...text, default: '80' } }, '.host')],
    },
  };
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (await done()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it did not happen');
}

/** Events of a watch, one after the other. */
class Events {
  private text = '';
  private readonly chunks: AsyncIterator<Buffer>;

  constructor(private readonly response: IncomingMessage) {
    this.chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async next(): Promise<{ type: string; object: Body & { metadata: Body } }> {
    while (!this.text.includes('\n')) {
      const { done, value } = await this.chunks.next();
      if (done) throw new Error('the watch has ended');
      this.text += value.toString();
    }
    const line = this.text.slice(0, this.text.indexOf('\n'));
    this.text = this.text.slice(line.length + 1);
    return JSON.parse(line) as { type: string; object: Body & { metadata: Body } };
  }

  close(): void {
    this.response.destroy();
  }
}

const gate = (version: string, name: string, more: Body = version === 'v1' ? { at: 'h:1' } : { host: 'h' }): Body => ({ apiVersion: `example.com/${version}`, kind: 'Gate', metadata: { name }, ...more });

beforeAll(async () => {
  t = await startTestServer();
  url = await hook.start();
  expect((await t.send('POST', DEFINITIONS, { body: definition('v2') })).code).toBe(201);
  await until(async () => (await t.send('GET', path('v1'))).code === 200);
});
afterAll(async () => {
  await t.stop();
  hook.stop();
});
beforeEach(() => {
  hook.reviews = [];
  hook.spoil = () => undefined;
});

test('requests work on objects of the version that they ask with', async () => {
  const made = await t.send('POST', path('v1'), { body: gate('v1', 'a') });
  expect(made.body).toMatchObject({ apiVersion: 'example.com/v1', at: 'h:1', metadata: { generation: 1 } });
  expect(hook.reviews.map(({ request }) => [request.desiredAPIVersion, request.objects.length])).toEqual([['example.com/v2', 1], ['example.com/v1', 1]]);
  expect(JSON.stringify(hook.reviews)).not.toContain('resourceVersion');
  const stored = await t.send('GET', path('v2', 'a'));
  expect(stored.body).toMatchObject({ apiVersion: 'example.com/v2', host: 'h', port: '1' });
  expect(stored.body).not.toHaveProperty('unknown');
  const patched = await t.send('PATCH', path('v1', 'a'), { body: { at: 'k:2' }, headers: MERGE });
  expect(patched.body).toMatchObject({ at: 'k:2', metadata: { generation: 2 } });
  expect((await t.send('PUT', path('v2', 'a'), { body: { ...(await t.send('GET', path('v2', 'a'))).body, port: '3' } })).body).toMatchObject({ host: 'k', port: '3' });
  expect((await t.send('PATCH', `${path('v1', 'a')}/status`, { body: { status: { up: true }, at: 'not:1' }, headers: MERGE })).body).toMatchObject({ at: 'k:3', status: { up: true } });
  expect((await t.send('POST', path('v1'), { body: gate('v1', 'x', { at: 1 }) })).body['message']).toContain('at in body must be of type string');
  expect((await t.send('POST', `${path('v1')}?dryRun=All`, { body: gate('v1', 'x') })).body).toMatchObject({ at: 'h:1' });
});

test('lists convert what is new, at once, and select by the fields of their version', async () => {
  for (const name of ['b', 'c', 'd']) await t.send('POST', path('v2'), { body: gate('v2', name, { host: name }) });
  hook.reviews = [];
  const names = (body: Body): unknown => (body['items'] as { metadata: Body }[]).map(({ metadata }) => metadata['name']);
  const list = await t.send('GET', path('v1'));
  expect((list.body as unknown as { items: Body[] }).items.map(({ at }) => at)).toEqual(['k:3', 'b:80', 'c:80', 'd:80']);
  expect(hook.reviews.map(({ request }) => request.objects.length)).toEqual([3]);
  expect(names((await t.send('GET', `${path('v1')}?fieldSelector=at%3Dc%3A80`)).body)).toEqual(['c']);
  expect(names((await t.send('GET', `${path('v2')}?fieldSelector=host%3Dd`)).body)).toEqual(['d']);
  expect((await t.send('GET', `${path('v1')}?fieldSelector=host%3Dd`)).code).toBe(400);
  const page = await t.send('GET', `${path('v1')}?limit=2`);
  expect(names(page.body)).toEqual(['a', 'b']);
  expect(page.body['metadata']).toMatchObject({ remainingItemCount: 2 });
  expect(names((await t.send('GET', `${path('v1')}?limit=2&continue=${page.body['metadata']!['continue'] as unknown as string}`)).body)).toEqual(['c', 'd']);
  const table = await t.send('GET', path('v1'), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
  expect((table.body as unknown as { rows: { cells: unknown[] }[] }).rows.map(({ cells }) => cells[1])).toEqual(['k:3', 'b:80', 'c:80', 'd:80']);
  expect(hook.reviews).toHaveLength(1);
});

test('watches get every event once, in order, and do not convert for each other', async () => {
  const first = new Events(await t.open(`${path('v1')}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`));
  const initial = [await first.next(), await first.next(), await first.next(), await first.next(), await first.next()];
  expect(initial.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ADDED', 'ADDED', 'BOOKMARK']);
  expect(initial[1]!.object).toMatchObject({ apiVersion: 'example.com/v1', at: 'b:80' });
  const from = initial[4]!.object.metadata['resourceVersion'] as string;
  hook.reviews = [];
  let open: () => void = () => undefined;
  hook.gate = new Promise((resolve) => (open = resolve));
  for (let i = 0; i < 5; i++) await t.send('PATCH', path('v2', 'b'), { body: { port: String(i) }, headers: MERGE });
  await t.send('DELETE', path('v2', 'c'));
  // It begins in the past, while conversions wait.
  const second = new Events(await t.open(`${path('v1')}?watch=true&resourceVersion=${from}`));
  const selected = new Events(await t.open(`${path('v1')}?watch=true&resourceVersion=${from}&fieldSelector=at%3Db%3A3`));
  open();
  for (const watch of [first, second]) {
    const events = [];
    for (let i = 0; i < 6; i++) events.push(await watch.next());
    expect(events.map(({ type, object }) => [type, object['at']])).toEqual([...[0, 1, 2, 3, 4].map((i) => ['MODIFIED', `b:${i}`]), ['DELETED', 'c:80']]);
  }
  expect([await selected.next(), await selected.next()].map(({ type, object }) => [type, object['at']])).toEqual([['ADDED', 'b:3'], ['DELETED', 'b:3']]);
  // Five states that nobody had seen; those before them and that of the deleted object were known.
  expect(hook.reviews.flatMap(({ request }) => request.objects)).toHaveLength(5);
  hook.spoil = (response) => (response['result'] = { status: 'Failure', message: 'out of order' });
  await t.send('PATCH', path('v2', 'b'), { body: { port: '9' }, headers: MERGE });
  expect(await first.next()).toMatchObject({ type: 'ERROR', object: { code: 500, message: 'conversion webhook for example.com/v2, Kind=Gate failed: out of order' } });
  for (const watch of [first, second, selected]) watch.close();
});

test('managers of other versions keep what they own', async () => {
  const apply = (version: string, manager: string, more: Body, force = ''): ReturnType<TestServer['send']> =>
    t.send('PATCH', `${path(version, 's')}?fieldManager=${manager}${force}`, { body: gate(version, 's', more), headers: APPLY });
  await apply('v1', 'one', { at: 'h:1' });
  const conflict = await apply('v2', 'two', { host: 'other' });
  expect(conflict.code).toBe(409);
  const forced = await apply('v2', 'two', { host: 'other' }, '&force=true');
  expect(forced.body).toMatchObject({ host: 'other', port: '1' });
  const managers = (forced.body['metadata'] as unknown as { managedFields: Body[] }).managedFields;
  expect(managers.map(({ manager, apiVersion }) => [manager, apiVersion])).toEqual([['two', 'example.com/v2']]);
});

test('what a webhook may not do, and that it harms nobody else', async () => {
  const spoiled = async (spoil: (objects: (Body & { metadata: Body })[], response: Body) => void): Promise<string> => {
    hook.spoil = (response) => spoil(response['convertedObjects'] as (Body & { metadata: Body })[], response);
    const answer = await t.send('POST', path('v1'), { body: gate('v1', 'bad') });
    expect(answer).toMatchObject({ code: 500, body: { kind: 'Status', status: 'Failure', code: 500 } });
    return answer.body['message'] as unknown as string;
  };
  const about = 'conversion webhook for example.com/v1, Kind=Gate';
  expect(await spoiled((objects) => objects.pop())).toBe(`${about} returned 0 objects, expected 1`);
  expect(await spoiled((objects) => (objects[0]!['apiVersion'] = 'example.com/v9'))).toBe(`${about} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v9)`);
  expect(await spoiled((objects) => (objects[0]!.metadata['name'] = 'other'))).toBe(`${about} returned invalid object: must have the same name: bad != other`);
  expect(await spoiled((objects) => (objects[0]!.metadata['labels'] = { a: 1 }))).toBe(`${about} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`);
  expect(await spoiled((_objects, response) => (response['uid'] = 'x'))).toMatch(/^conversion webhook for example.com\/v1, Kind=Gate failed: expected response.uid="[0-9a-f-]+", got "x"$/);
  expect(await spoiled((_objects, response) => (response['result'] = { status: 'Failure' }))).toBe(`${about} failed: response.result.status was 'Failure', not 'Success'`);
  expect((await t.send('GET', path('v2', 'bad'))).code).toBe(404);
  expect((await t.send('POST', path('v2'), { body: gate('v2', 'good') })).code).toBe(201);
  hook.spoil = (response) => {
    const [object] = response['convertedObjects'] as { metadata: Body }[];
    object!.metadata = { ...object!.metadata, labels: { from: 'hook' }, finalizers: ['a/b'], generation: 9 };
  };
  const labelled = (await t.send('GET', path('v1', 'good'))).body['metadata'] as unknown as Body;
  expect(labelled).toMatchObject({ labels: { from: 'hook' }, generation: 1 });
  expect(labelled).not.toHaveProperty('finalizers');
  const metrics = (await t.send('GET', '/metrics')).text;
  expect(metrics).toContain('apiserver_conversion_webhook_request_total{result="failure",failure_type="conversion_webhook_partial_response_failure"} 1');
  expect(metrics).toMatch(/apiserver_crd_conversion_webhook_duration_seconds_count\{crd_name="gates.example.com",from_version="v1",to_version="v2",succeeded="true"\} [1-9]/);
});

test('changes of the definition take effect at once; what was stored before is converted, and moves with its next write', async () => {
  await t.send('PATCH', `${DEFINITIONS}/gates.example.com`, { body: { spec: { versions: (definition('v1')['spec'] as Body)['versions'] } }, headers: MERGE });
  await until(async () => ((await t.send('GET', `${DEFINITIONS}/gates.example.com`)).body['status'] as unknown as { storedVersions: string[] }).storedVersions.length === 2);
  hook.reviews = [];
  expect((await t.send('GET', path('v2', 'd'))).body).toMatchObject({ host: 'd', port: '80' });
  expect(hook.reviews).toHaveLength(0);
  const old = await t.send('GET', path('v1', 'd'));
  expect(old.body).toMatchObject({ at: 'd:80' });
  const moved = await t.send('PUT', path('v1', 'd'), { body: old.body });
  expect(Number(moved.body['metadata']!['resourceVersion'])).toBeGreaterThan(Number(old.body['metadata']!['resourceVersion']));
  await t.send('PATCH', `${DEFINITIONS}/gates.example.com`, { body: { spec: { conversion: { webhook: { clientConfig: { url: 'https://127.0.0.1:1/convert' } } } } }, headers: MERGE });
  const unreachable = await t.send('GET', path('v2', 'd'));
  expect(unreachable).toMatchObject({ code: 500, body: { message: 'conversion webhook for example.com/v1, Kind=Gate failed: Post "https://127.0.0.1:1/convert?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused' } });
  expect((await t.send('GET', path('v1', 'd'))).code).toBe(200);
  await t.send('PATCH', `${DEFINITIONS}/gates.example.com`, { body: { spec: { conversion: { strategy: 'None', webhook: null } } }, headers: MERGE });
  expect((await t.send('GET', path('v2', 'd'))).body).toMatchObject({ apiVersion: 'example.com/v2', metadata: { name: 'd' } });
  // Nothing is served any more, and the objects are in two versions; the definition goes all the same.
  const unserved = ((definition('v1')['spec'] as Body)['versions'] as Body[]).map((version) => ({ ...version, served: false }));
  await t.send('PATCH', `${DEFINITIONS}/gates.example.com`, { body: { spec: { versions: unserved } }, headers: MERGE });
  await t.send('DELETE', `${DEFINITIONS}/gates.example.com`);
  await until(async () => (await t.send('GET', `${DEFINITIONS}/gates.example.com`)).code === 404);
});
