import { rename } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Commands } from '../../../../base/process/commands.js';
import { directCommands } from '../../../../base/process/direct.js';
import { readAll, until } from '../../../../base/process/testsuite/contract.js';
import type { StreamOptions, StreamSession } from '../../types.js';
import { attachContainer } from './attach.js';
import { startTestContainer, type TestContainer } from './testsuite/test-container.js';

const ALL: StreamOptions = { stdin: true, stdout: true, stderr: true, tty: false };
let commands: Commands;
let container: TestContainer | undefined;

beforeEach(() => {
  commands = directCommands();
});
afterEach(async () => {
  await container?.remove();
  await commands.close();
});

const attach = (options: Partial<StreamOptions> = {}): Promise<StreamSession> => attachContainer(commands, container!.attach, { ...ALL, ...options });

test('shows what is printed from then on, both streams, without adding or losing a byte, and ends with the container', async () => {
  container = await startTestContainer({ command: ['sh', '-c', 'echo before; read x; printf "<%s>" "$x"; echo err >&2; head -c 300000 /dev/zero; printf end'], stdin: true, stdinOnce: true });
  await wait(50);
  const session = await attach();
  const outputs = Promise.all([readAll(session.stdout!), readAll(session.stderr!)]);
  session.stdin!.write('hello\n');
  const [stdout, stderr] = await outputs;
  expect([stdout.length, stdout.subarray(0, 7).toString(), stdout.subarray(-3).toString(), stderr.toString()]).toEqual([300_010, '<hello>', 'end', 'err\n']);
  expect(await session.exit).toBe(0);
  await expect(attach()).rejects.toMatchObject({ code: 'KUBE_ATTACH', message: 'container is in CONTAINER_EXITED state' });
});

test('stdin once: its end is the container\'s', async () => {
  container = await startTestContainer({ command: ['sh', '-c', 'wc -c; echo over'], stdin: true, stdinOnce: true });
  const session = await attach();
  const output = readAll(session.stdout!);
  session.stdin!.end('12345');
  expect((await output).toString()).toBe('5\nover\n');
  expect(await session.exit).toBe(0);
});

test('stdin that stays open outlives the client', async () => {
  container = await startTestContainer({ command: ['sh', '-c', 'while read x; do echo "got $x"; done'], stdin: true });
  const first = await attach();
  first.stdin!.end('one\n');
  await new Promise((resolve) => first.stdout!.once('data', (chunk: Buffer) => resolve(expect(chunk.toString()).toBe('got one\n'))));
  // Nothing more can be typed: the session is over, the container is not.
  expect(await first.exit).toBe(0);
  const second = await attach();
  second.stdin!.write('two\n');
  await new Promise((resolve) => second.stdout!.once('data', (chunk: Buffer) => resolve(expect(chunk.toString()).toBe('got two\n'))));
  second.close();
  expect(await second.exit).toBe(0);
});

test('a terminal: input, size', async () => {
  container = await startTestContainer({ command: ['sh', '-c', 'trap "stty size" WINCH; while read x; do echo "<$x>"; done'], stdin: true, tty: true });
  const session = await attach({ tty: true });
  let text = '';
  session.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
  session.stdin!.write('hi\n');
  await until(() => text.includes('<hi>\r\n'));
  session.resize(99, 33);
  // busybox runs the trap once its read has returned.
  await wait(50);
  session.stdin!.write('again\n');
  await until(() => text.includes('33 99\r\n'));
  session.close();
  expect(await session.exit).toBe(0);
});

test('output goes on across a rotation of the log, also for a reader who was slow', async () => {
  container = await startTestContainer({ command: ['sh', '-c', 'read x; for i in $(seq 1 20000); do echo $i; done; read x; echo last'], stdin: true });
  const session = await attach({ stderr: false });
  session.stdin!.write('go\n');
  await wait(300);
  await rename(container.logPath, `${container.logPath}.1`);
  await container.reopenLog();
  const output = readAll(session.stdout!);
  await wait(100);
  session.stdin!.write('go\n');
  expect((await output).toString()).toBe(`${Array.from({ length: 20_000 }, (_, index) => index + 1).join('\n')}\nlast\n`);
});
