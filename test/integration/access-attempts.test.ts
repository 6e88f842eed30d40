import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { CORE_SCHEMA, load } from 'js-yaml';
import { attemptRequest, completed, TOKENS, type Attempt } from '../differential/access/attempt-request.mjs';
import type { SetUpObject } from '../differential/access/matrix.mjs';
import { collectionOf } from '../differential/access/set-up.mjs';
import { silentLogger } from '../../src/base/log.js';
import { readTokenFile } from '../../src/run/access/credential-files.js';
import { assembleParts } from '../../src/server/parts.js';
import { startTestServer, type TestServer } from './server/harness.js';

const folder = 'test/differential/access';
const read = (name: string): unknown => load(readFileSync(`${folder}/${name}`, 'utf8'), { schema: CORE_SCHEMA });
const attempts = read('attempts.yaml') as Attempt[];
/** Code and message of a reference cluster, by the name of the attempt. */
const recorded = JSON.parse(readFileSync(`${folder}/attempt-answers.json`, 'utf8')) as Record<string, [number, string]>;

/** Where the message is another: the path is split before it is decoded here, and control characters are written in JSON's way. */
const OTHER_MESSAGE = ['an encoded slash', 'an encoded zero'];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(assembleParts, { staticTokens: readTokenFile('tokens', TOKENS.join('\n'), silentLogger) });
  await server.server.ready;
  for (const object of (read('attempts-set-up.yaml') as SetUpObject[]).map(completed)) {
    const { code, text } = await server.send('POST', collectionOf(object), { body: object });
    if (code !== 201) throw new Error(`${object.kind} ${object.metadata.name}: ${text}`);
  }
});
afterAll(() => server.stop());

/** Sends lines as they are, without a library that would mend them. */
function send({ method, path, headers, text = '' }: ReturnType<typeof attemptRequest>): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port: server.server.address.port, rejectUnauthorized: false }, () => {
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`);
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
  });
}

test('every attempt to gain rights fails, as it does upstream', async () => {
  const differences: string[] = [];
  for (const attempt of attempts) {
    const answer = await send(attemptRequest(attempt));
    const code = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
    const message = JSON.parse(`"${/"message":\s*"((?:[^"\\]|\\.)*)"/.exec(answer)?.[1] ?? ''}"`) as string;
    const [wantedCode, wantedMessage] = recorded[attempt.name]!;
    if (code < 400) differences.push(`${attempt.name}: ${code} — it works!`);
    if (code !== wantedCode || (message !== wantedMessage && !OTHER_MESSAGE.includes(attempt.name))) {
      differences.push(`${attempt.name}:\n  upstream ${wantedCode} ${wantedMessage}\n  here     ${code} ${message}`);
    }
  }
  expect(differences.join('\n')).toBe('');
  expect(attempts.length).toBeGreaterThan(100);
}, 60_000);

test('nothing came of them', async () => {
  const get = async (path: string) => (await server.send('GET', path)).body;
  const small = await get('/apis/rbac.authorization.k8s.io/v1/clusterroles/esc-small');
  expect(small['rules']).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]);
  expect((await get('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin'))['subjects']).toHaveLength(1);
  for (const kind of ['clusterroles', 'clusterrolebindings']) expect((await get(`/apis/rbac.authorization.k8s.io/v1/${kind}/esc-x`))['code']).toBe(404);
  const pending = await get('/apis/certificates.k8s.io/v1/certificatesigningrequests/esc-pending');
  expect(pending['status']).toEqual({});
  // Who asks for a certificate cannot say that it is somebody else.
  const asked = await server.send('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
    headers: { 'impersonate-user': 'csrmaker' },
    body: completed({ metadata: { name: 'esc-named' }, spec: { request: 'CSR', signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'], username: 'root', groups: ['system:masters'] }, status: { conditions: [{ type: 'Approved', status: 'True' }] } }),
  });
  expect(asked.body).toMatchObject({ spec: { username: 'csrmaker', groups: ['system:authenticated'] }, status: {} });
  expect(asked.body['status']).toEqual({});
});
