import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { POD_DISRUPTION_BUDGETS, PODS } from '../../api/resource-refs.js';
import { createClient } from '../rest-client.js';
import { HttpTransport } from './http-transport.js';
import { parseLines } from './watch-lines.js';
import { parseWarnings } from './warnings.js';

async function serve(listener: http.RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

test('requests carry method, path, media types and token; answers are decoded', async () => {
  const seen: unknown[] = [];
  const server = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      seen.push([request.method, request.url, request.headers['content-type'], request.headers.authorization, body]);
      response.setHeader('content-type', 'application/json');
      response.setHeader('warning', '299 - "be \\"careful\\""');
      response.end('{"metadata":{"name":"x"}}');
    });
  });
  const transport = new HttpTransport({ server: server.url, token: () => 'secret' });
  const client = createClient(transport, { fieldManager: 'me' });
  await client.resource(POD_DISRUPTION_BUDGETS).patch('ns', 'a/b', 'merge', { a: 1 }, 'status');
  await client.resource(PODS).create({ metadata: { namespace: 'ns', name: 'x' }, spec: { containers: [] } });
  expect(seen).toEqual([
    ['PATCH', '/apis/policy/v1/namespaces/ns/poddisruptionbudgets/a%2Fb/status?fieldManager=me', 'application/merge-patch+json', 'Bearer secret', '{"a":1}'],
    ['POST', '/api/v1/namespaces/ns/pods?fieldManager=me', 'application/json', 'Bearer secret', '{"metadata":{"namespace":"ns","name":"x"},"spec":{"containers":[]},"apiVersion":"v1","kind":"Pod"}'],
  ]);
  expect((await transport.request({ method: 'GET', path: '/x' })).warnings).toEqual(['be "careful"']);
  await transport.close();
  await server.close();
});

test('failures are StatusErrors, made up where the answer is no Status', async () => {
  const server = await serve((request, response) => {
    response.statusCode = request.url === '/status' ? 409 : 503;
    response.setHeader('retry-after', '3');
    if (request.url === '/status') {
      response.setHeader('content-type', 'application/json');
      response.end('{"kind":"Status","reason":"AlreadyExists","message":"it is there","code":409}');
    } else response.end('proxy says no');
  });
  const transport = new HttpTransport({ server: server.url });
  await expect(transport.request({ method: 'GET', path: '/status' })).rejects.toMatchObject({ name: 'StatusError', reason: 'AlreadyExists', message: 'it is there' });
  await expect(transport.watch({ method: 'GET', path: '/other' })).rejects.toMatchObject({ reason: 'ServiceUnavailable', code: 503, status: { details: { retryAfterSeconds: 3 } } });
  await transport.close();
  await server.close();
  const gone = new HttpTransport({ server: server.url });
  await expect(gone.request({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'KUBE_TRANSPORT_UNREACHABLE' });
});

test('a watch yields events, ends with the stream and throws when the connection breaks', async () => {
  let call = 0;
  const server = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.write('{"type":"ADDED","object":{"kind":"A"}}\n{"type":"MODIFIED","object":{"kind":"B"}}\n');
    if (call++ === 0) response.end();
    else setImmediate(() => response.destroy());
  });
  const transport = new HttpTransport({ server: server.url });
  const read = async (): Promise<string[]> => {
    const kinds: string[] = [];
    for await (const batch of await transport.watch({ method: 'GET', path: '/w' })) for (const event of batch) kinds.push(`${event.type} ${event.object.kind}`);
    return kinds;
  };
  expect(await read()).toEqual(['ADDED A', 'MODIFIED B']);
  await expect(read()).rejects.toMatchObject({ code: 'KUBE_TRANSPORT_UNREACHABLE' });
  await transport.close();
  await server.close();
});

test('an aborted watch ends quietly', async () => {
  const server = await serve((_request, response) => void response.write('{"type":"ADDED","object":{}}\n'));
  const transport = new HttpTransport({ server: server.url });
  const abort = new AbortController();
  let batches = 0;
  for await (const batch of await transport.watch({ method: 'GET', path: '/w', signal: abort.signal })) {
    batches += batch.length;
    abort.abort();
  }
  expect(batches).toBe(1);
  await transport.close();
  await server.close();
});

test('lines are put together from any cut, with characters of several bytes', async () => {
  const text = '{"a":"ä€😀"}\n\n{"b":2}\nunfinished';
  const bytes = Buffer.from(text);
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = async function* (): AsyncGenerator<Buffer> {
      for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
    };
    const lines: string[] = [];
    for await (const batch of parseLines(chunks())) lines.push(...batch);
    expect(lines).toEqual(['{"a":"ä€😀"}', '{"b":2}']);
  }
});

test('only code 299 is a warning', () => {
  expect(parseWarnings(['299 - "one", 299 - "two"', '199 - "no"'])).toEqual(['one', 'two']);
});
