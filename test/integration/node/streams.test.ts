import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { V1Pod } from '../../../src/api/generated/types.js';
import { PODS } from '../../../src/api/resource-refs.js';
import { SpdyConnection, type SpdyStream } from '../../../src/base/spdy/index.js';
import { messageBytes } from '../../../src/base/websocket/message-duplex.js';
import { connectionFromKubeconfig, parseKubeconfig } from '../../../src/client/index.js';
import { startCluster, type RunningCluster } from '../../../src/run/start-cluster.js';

let cluster: RunningCluster;
let tls: https.RequestOptions;

beforeAll(async () => {
  cluster = await startCluster();
  const connection = await connectionFromKubeconfig(parseKubeconfig(cluster.kubeconfig, 'kubeconfig'), '/');
  tls = { ca: connection.ca, cert: connection.certificate, key: connection.key, agent: false } as https.RequestOptions;
  const pods = cluster.client.resource(PODS);
  const pod = (name: string, containers: V1Pod['spec'] & object): V1Pod => ({ metadata: { name, namespace: 'default' }, spec: containers });
  await pods.create(pod('one', { containers: [{ name: 'app', image: 'busybox', command: ['sh', '-c', 'echo first; echo second; sleep 3600'] }] }));
  await pods.create(pod('two', { containers: [{ name: 'a', image: 'nginx' }, { name: 'b', image: 'nginx' }] }));
  await pods.create(pod('stuck', { containers: [{ name: 'app', image: 'nginx', env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'nope', key: 'a' } } }] }] }));
  await until(async () => {
    const { items } = await pods.list('default');
    const reason = items.find((item) => item.metadata?.name === 'stuck')?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
    return items.filter((item) => item.status?.phase === 'Running').length === 2 && reason === 'CreateContainerConfigError';
  });
}, 60_000);

afterAll(() => cluster?.stop());

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

function get(path: string, headers: Record<string, string> = {}): Promise<{ readonly code: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    https.get(cluster.server + path, { ...tls, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => resolve({ code: response.statusCode ?? 0, text }));
    }).once('error', reject);
  });
}

const pod = (name: string): string => `/api/v1/namespaces/default/pods/${name}`;
const EXEC = (name: string, ...command: readonly string[]): string => `${pod(name)}/exec?stdout=true&stderr=true&${command.map((word) => `command=${encodeURIComponent(word)}`).join('&')}`;

test.each([
  ['one', '', 200, 'first\nsecond\n'],
  ['one', '?tailLines=1', 200, 'second\n'],
  ['one', '?limitBytes=3', 200, 'fir'],
])('log of %s%s', async (name, query, code, text) => {
  expect(await get(`${pod(name)}/log${query}`)).toEqual({ code, text });
});

test.each([
  ['two', '', 400, 'BadRequest', 'a container name must be specified for pod two, choose one of: [a b]'],
  ['two', '?container=c', 400, 'BadRequest', 'container c is not valid for pod two'],
  ['stuck', '', 400, 'BadRequest', 'container "app" in pod "stuck" is waiting to start: CreateContainerConfigError'],
  ['one', '?previous=true', 400, 'BadRequest', 'previous terminated container "app" in pod "one" not found'],
  ['gone', '', 404, 'NotFound', 'pods "gone" not found'],
  ['one', '?tailLines=-1', 422, 'Invalid', 'PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0'],
  ['one', '?limitBytes=0', 422, 'Invalid', 'PodLogOptions "one" is invalid: limitBytes: Invalid value: 0: must be greater than 0'],
])('refused log of %s%s', async (name, query, code, reason, message) => {
  const answer = await get(`${pod(name)}/log${query}`);
  expect({ ...JSON.parse(answer.text) as object }).toMatchObject({ code, reason, message });
  expect(answer.code).toBe(code);
});

interface Exchange {
  readonly protocol: string;
  /** Everything that came, by channel. */
  readonly channels: Readonly<Record<number, string>>;
}

function overWebSocket(path: string, protocols: readonly string[]): Promise<Exchange> {
  const socket = new WebSocket(cluster.server.replace('https', 'wss') + path, [...protocols], tls as object);
  const channels: Record<number, string> = {};
  socket.on('message', (data) => {
    const bytes = messageBytes(data);
    const coded = socket.protocol.includes('base64');
    const channel = coded ? bytes[0]! - 0x30 : bytes[0]!;
    const text = coded ? Buffer.from(bytes.subarray(1).toString(), 'base64').toString() : bytes.subarray(1).toString();
    channels[channel] = (channels[channel] ?? '') + text;
  });
  return new Promise((resolve, reject) => {
    socket.once('close', () => resolve({ protocol: socket.protocol, channels }));
    socket.once('error', reject);
  });
}

test.each(['v5.channel.k8s.io', 'v4.channel.k8s.io', 'base64.channel.k8s.io'])('exec over a WebSocket with %s', async (protocol) => {
  const { channels, protocol: agreed } = await overWebSocket(EXEC('one', 'sh', '-c', 'echo out; echo err >&2; exit 7'), [protocol]);
  expect(agreed).toBe(protocol);
  expect(Object.keys(channels).sort()).toEqual(['1', '2', '3']);
  expect([channels[1], channels[2]]).toEqual(['out\n', 'err\n']);
  if (!protocol.startsWith('v')) expect(channels[3]).toBe('command terminated with non-zero exit code: exit status 7');
  else expect(JSON.parse(channels[3]!)).toMatchObject({ status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message: '7' }] } });
});

test.each([['channel.k8s.io', ['1']], ['v4.base64.channel.k8s.io', ['1', '3']]])('success is told by %s on channels %j', async (protocol, expected) => {
  const { channels } = await overWebSocket(EXEC('one', 'echo', 'out'), [protocol]);
  expect(Object.keys(channels).sort()).toEqual(expected);
});

test('exec of something that the simulation does not know is a clear error', async () => {
  const { channels } = await overWebSocket(EXEC('one', 'ls'), ['v5.channel.k8s.io']);
  expect(JSON.parse(channels[3]!)).toMatchObject({ status: 'Failure', reason: 'InternalError', message: expect.stringContaining('the container is simulated and cannot run "ls"') });
});

function upgradeToSpdy(path: string, protocol: string): Promise<{ readonly connection: SpdyConnection; readonly response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const call = https.request(cluster.server + path, { ...tls, method: 'POST', headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol } });
    call.once('upgrade', (response: IncomingMessage, socket: Duplex, head: Buffer) => resolve({ response, connection: new SpdyConnection(socket, 'client', head) }));
    call.once('response', (response: IncomingMessage) => reject(new Error(`answered ${response.statusCode}`)));
    call.once('error', reject);
    call.end();
  });
}

const open = (connection: SpdyConnection, headers: Record<string, string>): SpdyStream => connection.open(new Map(Object.entries(headers).map(([name, value]) => [name, [value]])));

async function textOf(stream: SpdyStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += (chunk as Buffer).toString();
  return text;
}

test('exec over SPDY', async () => {
  const { connection, response } = await upgradeToSpdy(EXEC('one', 'sh', '-c', 'echo out; exit 5'), 'v4.channel.k8s.io');
  expect(response.headers['x-stream-protocol-version']).toBe('v4.channel.k8s.io');
  const [error, stdout, stderr] = ['error', 'stdout', 'stderr'].map((streamtype) => open(connection, { streamtype })) as [SpdyStream, SpdyStream, SpdyStream];
  expect(await Promise.all([textOf(stdout), textOf(stderr)])).toEqual(['out\n', '']);
  expect(JSON.parse(await textOf(error))).toMatchObject({ reason: 'NonZeroExitCode' });
  connection.close();
});

test('a SPDY client that speaks none of our protocols gets a 403', async () => {
  await expect(upgradeToSpdy(EXEC('one', 'true'), 'v9.channel.k8s.io')).rejects.toThrow('answered 403');
});

async function forward(connection: SpdyConnection): Promise<void> {
  for (const requestid of ['0', '1']) {
    const error = open(connection, { streamtype: 'error', port: '80', requestid });
    error.end();
    const data = open(connection, { streamtype: 'data', port: '80', requestid });
    data.write('GET / HTTP/1.1\r\nHost: pod\r\n\r\n');
    expect(await textOf(data)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*simulated pod default\/one, port 80\n$/);
    expect(await textOf(error)).toBe('');
  }
  connection.close();
}

test('port forwarding over SPDY', async () => {
  const { connection } = await upgradeToSpdy(`${pod('one')}/portforward`, 'portforward.k8s.io');
  await forward(connection);
});

/** The bytes of binary messages over a raw WebSocket: client libraries refuse the protocol's name. */
function rawMessages(socket: Duplex): Duplex {
  let pending = Buffer.alloc(0);
  const stream: Duplex = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, callback) {
      const head = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      head.writeUInt32BE(chunk.length, 6);
      // A mask of zeros changes nothing.
      socket.write(Buffer.concat([head, chunk]), callback);
    },
    final(callback) {
      socket.end(callback);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2) {
      const short = pending[1]! & 0x7f;
      const head = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (pending.length < head) return;
      const length = short === 126 ? pending.readUInt16BE(2) : short === 127 ? pending.readUInt32BE(6) : short;
      if (pending.length < head + length) return;
      if ((pending[0]! & 0x0f) === 2) stream.push(pending.subarray(head, head + length));
      pending = pending.subarray(head + length);
    }
  });
  socket.once('close', () => stream.push(null));
  return stream;
}

test('port forwarding over SPDY inside a WebSocket', async () => {
  const socket = await new Promise<Duplex>((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'), 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' };
    const call = https.get(`${cluster.server}${pod('one')}/portforward`, { ...tls, headers });
    call.once('upgrade', (response, raw) => {
      expect(response.headers['sec-websocket-protocol']).toBe('SPDY/3.1+portforward.k8s.io');
      resolve(rawMessages(raw));
    });
    call.once('response', (response) => reject(new Error(`answered ${response.statusCode}`)));
    call.once('error', reject);
  });
  await forward(new SpdyConnection(socket, 'client'));
});

test('the node\'s agent behind the proxy, and closed to strangers', async () => {
  const summary = await get('/api/v1/nodes/node-1/proxy/stats/summary');
  expect(JSON.parse(summary.text)).toMatchObject({ node: { nodeName: 'node-1' } });
  const list = JSON.parse((await get('/api/v1/nodes/node-1/proxy/pods')).text) as { items: readonly V1Pod[] };
  expect(list.items.map((item) => item.metadata?.name).sort()).toEqual(['one', 'stuck', 'two']);
  expect((await get('/api/v1/nodes/node-1/proxy/nonsense')).code).toBe(404);
  const node = await get('/api/v1/nodes/node-1');
  const { status } = JSON.parse(node.text) as { status: { daemonEndpoints: { kubeletEndpoint: { Port: number } } } };
  const stranger = await new Promise<number>((resolve, reject) => {
    https.get(`https://127.0.0.1:${status.daemonEndpoints.kubeletEndpoint.Port}/pods`, { rejectUnauthorized: false, agent: false }, (response) => resolve(response.resume().statusCode ?? 0)).once('error', reject);
  });
  expect(stranger).toBe(401);
});

test('a plain request for a stream is refused', async () => {
  expect((await get(EXEC('one', 'true'))).code).toBe(400);
});

test.each([['binary.k8s.io', false], ['base64.binary.k8s.io', true], [undefined, false]] as const)('log over a WebSocket with %s: an empty message, then the text', async (protocol, base64) => {
  const messages = await received(`${pod('one')}/log?tailLines=2`, protocol);
  expect(messages[0]).toBe('');
  const text = messages.slice(1).map((message) => (base64 ? Buffer.from(message, 'base64').toString() : message)).join('');
  expect(text).toBe('first\nsecond\n');
});

test('a watch over a WebSocket: each event is a message', async () => {
  const messages = await received('/api/v1/namespaces/default/pods?watch=true&timeoutSeconds=1', undefined);
  expect(messages.map((message) => (JSON.parse(message) as { type: string }).type).sort()).toEqual(['ADDED', 'ADDED', 'ADDED']);
});

/** All messages until the server ends it. */
function received(path: string, protocol: string | undefined): Promise<readonly string[]> {
  const messages: string[] = [];
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(cluster.server.replace('https', 'wss') + path, protocol ? [protocol] : [], tls as object);
    socket.on('message', (data: Buffer) => messages.push(data.toString()));
    socket.once('close', () => resolve(messages));
    socket.once('error', reject);
  });
}
