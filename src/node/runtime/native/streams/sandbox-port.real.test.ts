import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { startBroker } from '../../../../base/process/broker.js';
import type { Commands, RunningCommand } from '../../../../base/process/commands.js';
import { runChecked } from '../../../../base/process/run-checked.js';
import { readAll } from '../../../../base/process/testsuite/contract.js';
import { brokerSource } from '../../../../../scripts/carried-programs.mjs';
import { connectToSandboxPort } from './sandbox-port.js';

/** A server in the namespace: which port and what it does comes as its arguments. */
const SERVER = `
const [port, host, kind] = process.argv.slice(1);
require('net').createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined);
  if (kind === 'echo') return socket.pipe(socket);
  // Says goodbye at once, and tells what it got afterwards on its stdout.
  socket.end('goodbye');
  let bytes = 0; socket.on('data', (chunk) => (bytes += chunk.length)); socket.on('close', () => console.log('got ' + bytes));
}).listen(Number(port), host, () => console.log('ready'));
`;

const name = `kube-test-${randomBytes(4).toString('hex')}`;
const namespace = `/run/netns/${name}`;
let commands: Commands;
const servers: RunningCommand[] = [];

beforeAll(async () => {
  commands = await startBroker({ source: await brokerSource() });
  await runChecked(commands, 'sh', ['-ec', 'ip netns add "$1"; ip -n "$1" link set lo up', 'make', name]);
});
afterAll(async () => {
  for (const server of servers) server.kill('SIGKILL');
  await runChecked(commands, 'ip', ['netns', 'del', name]);
  await commands.close();
});

async function serve(port: number, host: string, kind: string): Promise<RunningCommand> {
  const server = await commands.start('nsenter', [`--net=${namespace}`, process.execPath, '-e', SERVER, String(port), host, kind], { stdin: false });
  servers.push(server);
  await new Promise((resolve) => server.stdout.once('data', resolve));
  return server;
}

const connect = (port: number, path = namespace): Promise<Duplex> => connectToSandboxPort(commands, { sandboxId: 'abc', namespace: path, port });

test('30 MB there and back, by IPv4', async () => {
  await serve(8001, '127.0.0.1', 'echo');
  const connection = await connect(8001);
  const sent = randomBytes(30_000_000);
  const received = readAll(connection);
  connection.end(sent);
  expect((await received).equals(sent)).toBe(true);
});

test('a server that has IPv6 alone', async () => {
  await serve(8002, '::1', 'echo');
  const connection = await connect(8002);
  connection.end('hello');
  expect((await readAll(connection)).toString()).toBe('hello');
});

test('the server may close its side first and go on reading', async () => {
  const server = await serve(8003, '127.0.0.1', 'goodbye');
  const told = new Promise<string>((resolve) => server.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())));
  const connection = await connect(8003);
  expect((await readAll(connection)).toString()).toBe('goodbye');
  await wait(700);
  connection.end(Buffer.alloc(3_000_000));
  expect(await told).toBe('got 3000000\n');
});

test('a reader who goes away ends the connection', async () => {
  const server = await serve(8004, '127.0.0.1', 'goodbye');
  const told = new Promise<string>((resolve) => server.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())));
  const connection = await connect(8004);
  connection.destroy();
  expect(await told).toBe('got 0\n');
});

test('nobody listens; no namespace', async () => {
  await expect(connect(9)).rejects.toMatchObject({
    code: 'KUBE_PORT_FORWARD',
    message: `failed to execute portforward in network namespace "${namespace}": failed to connect to localhost:9 inside namespace "abc", IPv4: dial tcp4 127.0.0.1:9: connect: connection refused IPv6 dial tcp6 [::1]:9: connect: connection refused`,
  });
  await expect(connect(9, `${namespace}-not`)).rejects.toThrow(`failed to execute portforward in network namespace "${namespace}-not": cannot open ${namespace}-not: No such file or directory`);
});
