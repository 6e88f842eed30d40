import { readdir } from 'node:fs/promises';
import { SystemClock } from '../../../../base/clock.js';
import { startBroker } from '../../../../base/process/broker.js';
import type { Commands } from '../../../../base/process/commands.js';
import { readAll, until } from '../../../../base/process/testsuite/contract.js';
import { SystemRandom } from '../../../../base/random.js';
import { brokerSource } from '../../../../../scripts/carried-programs.mjs';
import type { StreamOptions, StreamSession } from '../../types.js';
import type { OciProcess } from '../spec/oci.js';
import { startExec } from './exec.js';
import { startTestContainer, type TestContainer } from './testsuite/test-container.js';

const OUTPUT: StreamOptions = { stdin: false, stdout: true, stderr: true, tty: false };
let commands: Commands;
let container: TestContainer;

beforeAll(async () => {
  commands = await startBroker({ source: await brokerSource() });
  container = await startTestContainer({ command: ['sh', '-c', 'while :; do sleep 1; done'] });
});
afterAll(async () => {
  await container.remove();
  await commands.close();
});
afterEach(async () => {
  await until(async () => (await readdir(container.exec([]).folder)).length === 0);
});

const exec = (command: readonly string[], options: Partial<StreamOptions> = {}, more: Partial<OciProcess> = {}): Promise<StreamSession> =>
  startExec({ commands, clock: new SystemClock(), random: new SystemRandom() }, container.exec(command, { terminal: options.tty ?? false, ...more }), { ...OUTPUT, ...options });
const shell = (script: string, options: Partial<StreamOptions> = {}): Promise<StreamSession> => exec(['sh', '-c', script], options);

async function outcome(session: StreamSession): Promise<readonly [string, string, number]> {
  const [stdout, stderr] = await Promise.all([session.stdout, session.stderr].map((stream) => (stream ? readAll(stream) : Buffer.alloc(0))));
  return [stdout!.toString(), stderr!.toString(), await session.exit];
}

test('output, errors and exit codes', async () => {
  expect(await outcome(await shell('echo out; echo err >&2; exit 3'))).toEqual(['out\n', 'err\n', 3]);
  expect(await outcome(await shell('kill -9 $$'))).toEqual(['', '', 137]);
  expect(await outcome(await exec(['true']))).toEqual(['', '', 0]);
  expect(await outcome(await exec(['sh', '-c', 'echo only >&2; exit 255']))).toEqual(['', 'only\n', 255]);
});

test('user, folder and environment are those of the process', async () => {
  const session = await exec(['sh', '-c', 'id -u; pwd; echo $A'], {}, { user: { uid: 7, gid: 8, additionalGids: [] }, cwd: '/tmp', env: ['PATH=/bin', 'A=b'] });
  expect(await outcome(session)).toEqual(['7\n/tmp\nb\n', '', 0]);
});

test('stdin is handed over and can be closed alone; /dev/stdout can be opened', async () => {
  const session = await shell('cat > /tmp/got; wc -c < /tmp/got > /dev/stdout; echo late > /dev/stderr', { stdin: true });
  session.stdin!.end(Buffer.alloc(2_000_000, 'x'));
  expect(await outcome(session)).toEqual(['2000000\n', 'late\n', 0]);
});

test('streams that nobody asked for do not hold up the command', async () => {
  expect(await outcome(await shell('head -c 1000000 /dev/zero >&2; echo done', { stderr: false }))).toEqual(['done\n', '', 0]);
});

test('a program that does not exist is an error in containerd\'s words', async () => {
  const session = await exec(['nope'], { stdin: true });
  const failure = session.exit.catch((error: Error) => error.message);
  expect((await readAll(session.stderr!)).toString()).toBe('');
  expect(await failure).toMatch(/^failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: unable to start container process: exec: "nope": executable file not found in \$PATH: unknown$/);
  const onTerminal = await exec(['/nope'], { tty: true });
  const said = onTerminal.exit.catch((error: Error) => error.message);
  expect((await readAll(onTerminal.stdout!)).toString()).toBe('');
  expect(await said).toMatch(/exec: "\/nope": stat \/nope: no such file or directory: unknown$/);
});

test('a terminal: one stream, its size, resizing, exit code', async () => {
  const session = await shell('tty; while read x; do echo "<$x>"; stty size; test "$x" = end && exit 6; done', { tty: true, stdin: true });
  expect(session.stderr).toBeUndefined();
  let text = '';
  session.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text.includes('/dev/pts/'));
  session.stdin!.write('hi\n');
  await until(() => text.includes('<hi>\r\n24 80\r\n'));
  session.resize(101, 43);
  // runc takes the new size over when the signal reaches it.
  while (!text.includes('43 101')) {
    const before = text.length;
    session.stdin!.write('again\n');
    await until(() => /<again>\r\n\d+ \d+\r\n/.test(text.slice(before)));
  }
  session.stdin!.write('end\n');
  expect(await session.exit).toBe(6);
  expect(text).toMatch(/<end>\r\n43 101\r\n$/);
});

test('closing kills the command and what it began, and nothing else', async () => {
  const before = (await container.processes()).length;
  const other = await shell('echo ready; while :; do sleep 1; done');
  await new Promise((resolve) => other.stdout!.once('data', resolve));
  const both = (await container.processes()).length;
  const session = await shell('trap "" TERM HUP; (sleep 1000 &); sleep 1000 & setsid sleep 1000 & echo ready; while :; do sleep 0.1; done', { stdin: true });
  await new Promise((resolve) => session.stdout!.once('data', resolve));
  expect((await container.processes()).length).toBeGreaterThan(both + 2);
  session.close();
  expect(await session.exit).toBe(137);
  await until(async () => (await container.processes()).length <= both + 1);
  other.close();
  expect(await other.exit).toBe(137);
  await until(async () => (await container.processes()).length <= before + 1);
});

test('closing before the command was started kills it as well', async () => {
  const session = await shell('sleep 1000', { tty: true });
  session.close();
  expect(await session.exit).toBe(137);
});
