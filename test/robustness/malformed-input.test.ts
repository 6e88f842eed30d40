import { jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifests, setUp } from '../differential/corpus.mjs';
import { RawConnection, type RawAnswer, type RawTarget } from '../harness/raw-connection.js';
import { startServerProcess, type ServerProcess } from '../harness/server-process.js';
import { endpoints } from './malformed/endpoints.js';
import { endpointRequests, hugeRequests, objectRequests, pathRequests, type BadRequest } from './malformed/requests.js';

const SEED = Number(process.env['KUBE_SEED'] ?? 20_260);
const NAMESPACE = 'diff';
const CONNECTIONS = 8;
/** The server may say these by design: not implemented, unavailable, outcome unknown. */
const ALLOWED = [501, 503, 504];
/** Longest wait for the answer to a probe while the nonsense goes on. */
const RESPONSIVE_MILLISECONDS = 5_000;

jest.setTimeout(240_000);

let dataDir: string;
let server: ServerProcess;
let target: RawTarget;

const manifests = readManifests(join(import.meta.dirname, '../differential/manifests.yaml'));
const all = endpoints(manifests, NAMESPACE);
const objects = all.filter((endpoint) => endpoint.object && endpoint.path.endsWith(`/${(endpoint.object['metadata'] as { name: string }).name}`));

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kube-malformed-'));
  server = startServerProcess({ dataDir, nodeFlags: ['--enable-source-maps'] });
  target = await server.ready;
  const connection = await RawConnection.open(target);
  for (const { method, path, body } of setUp(manifests)) {
    const { status, body: answer } = await connection.request(method, path, body);
    if (status >= 300 && status !== 409) throw new Error(`${method} ${path}: ${status} ${answer.toString()}`);
  }
  connection.close();
});

afterAll(async () => {
  await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

/** Sends everything over a few connections and returns what was answered badly. */
async function sendAll(requests: readonly BadRequest[], codes: Map<number, number>): Promise<string[]> {
  const bad: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    let connection: RawConnection | undefined;
    while (next < requests.length && bad.length < 30) {
      const request = requests[next++]!;
      connection ??= await RawConnection.open(target);
      const answer: RawAnswer | Error = await ask(connection, request);
      const told = `${request.method} ${request.path.slice(0, 300)} ${JSON.stringify(request.headers ?? {}).slice(0, 200)} ${String(request.body ?? '').slice(0, 400)}`;
      if (answer instanceof Error) {
        bad.push(`${told}\n   was not answered: ${answer.message}`);
        connection = undefined;
      } else {
        codes.set(answer.status, (codes.get(answer.status) ?? 0) + 1);
        if (answer.status >= 500 && !ALLOWED.includes(answer.status)) bad.push(`${told}\n   was answered with ${answer.status} ${answer.body.toString().slice(0, 300)}`);
        if (!answer.reusable) {
          connection.close();
          connection = undefined;
        }
      }
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return bad;
}

async function ask(connection: RawConnection, { method, path, body, headers }: BadRequest): Promise<RawAnswer | Error> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Error>((resolve) => (timer = setTimeout(() => resolve(new Error('no answer within a minute')), 60_000)));
  const answer = await Promise.race([connection.request(method, path, body, headers).catch((error: Error) => error), late]);
  clearTimeout(timer);
  return answer;
}

/** Runs the requests while a client with plain wishes goes on being served. */
async function survive(requests: readonly BadRequest[]): Promise<void> {
  let longest = 0;
  let going = true;
  const probing = (async () => {
    const connection = await RawConnection.open(target);
    while (going) {
      const began = performance.now();
      const { status } = await connection.request('GET', '/api/v1/namespaces/default');
      longest = Math.max(longest, performance.now() - began);
      expect(status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    connection.close();
  })();
  const codes = new Map<number, number>();
  const bad = await sendAll(requests, codes).finally(() => (going = false));
  process.stderr.write(`malformed-input: ${requests.length} requests, seed ${SEED}, longest wait of a probe ${Math.round(longest)} ms; answers ${JSON.stringify(Object.fromEntries(codes))}\n`);
  if (bad.length > 0) throw new Error(`${bad.length} bad answers, seed ${SEED}:\n${bad.join('\n')}\n${server.stderr().slice(-3000)}`);
  await probing;
  expect(server.child.exitCode).toBeNull();
  expect(server.stderr()).not.toContain('unexpectedly');
  expect(longest).toBeLessThan(RESPONSIVE_MILLISECONDS);
}

test('bodies, queries and headers that do not fit, at every endpoint with every method', () =>
  survive(all.flatMap((endpoint, i) => endpointRequests(endpoint, SEED + 100 * i, 4))));

test('valid objects with something wrong in them', () =>
  survive(objects.flatMap((endpoint, i) => objectRequests(endpoint, SEED + 100 * i, 25))));

test('bodies that are too deep or that grow', () => {
  const kinds = ['configmaps', 'deployments', 'pods', 'customresourcedefinitions'];
  return survive(kinds.flatMap((kind) => objects.filter((endpoint) => endpoint.path.includes(`/${kind}/`)).slice(0, 1)).flatMap(hugeRequests));
});

test('paths with parts that are no names', () => survive(pathRequests(SEED, 1500)));

test('bodies beyond the limit are refused with 413', async () => {
  const connection = await RawConnection.open(target);
  const size = 3 * 1024 * 1024;
  const answer = await connection.request('POST', `/api/v1/namespaces/${NAMESPACE}/configmaps`, `{"metadata":{"name":"big"},"data":{"a":"${'x'.repeat(size)}"}}`);
  expect(answer.status).toBe(413);
  expect(JSON.parse(answer.body.toString())).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge', code: 413 });
  connection.close();
  const again = await RawConnection.open(target);
  expect((await again.request('GET', '/readyz')).status).toBe(200);
  again.close();
});
