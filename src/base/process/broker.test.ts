import { spawn } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { brokerSource } from '../../../scripts/carried-programs.mjs';
import { startBroker } from './broker.js';
import { identifyProcess, isAlive, signalProcess } from './alive.js';
import { commandsContract, readAll, until } from './testsuite/contract.js';

const source = await brokerSource();

commandsContract('broker', () => startBroker({ source }));

/** The broker of a program that it has started. */
async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

test('a broker that dies takes what it runs with it, says so, and is replaced', async () => {
  const commands = await startBroker({ source });
  const running = await commands.start('sleep', ['100'], { stdin: true });
  const identity = await identifyProcess(running.pid);
  const short = commands.run('sleep', ['100']);
  signalProcess(await parentOf(running.pid), 'SIGKILL');
  expect(await running.exit).toBe(137);
  expect((await readAll(running.stderr)).toString()).toBe('the broker of commands ended unexpectedly\n');
  // It ran to its end or was never started; either way its caller learns it.
  const outcome = await short.then((result) => `${result.code} ${result.stderr.toString()}`, (error: Error) => error.message);
  expect(outcome).toContain('the broker of commands ended unexpectedly');
  expect((await commands.run('echo', ['again'])).stdout.toString()).toBe('again\n');
  await commands.close();
  signalProcess(identity!.pid, 'SIGKILL');
});

test('a broker ends with the process that started it, and with it what it runs; what went into the background goes on', async () => {
  const script = `
    const { spawn } = require('node:child_process');
    const broker = spawn(process.execPath, ['-', ${JSON.stringify(import.meta.url)}], { detached: true, stdio: ['pipe', 'inherit', 'inherit', 'pipe'] });
    broker.stdin.end(process.env.SOURCE);
    const send = (id, script) => {
      const body = Buffer.from(JSON.stringify({ program: 'sh', args: ['-c', script], env: { PATH: process.env.PATH }, stdin: false, pipes: false }));
      const head = Buffer.alloc(9); head.writeUInt32LE(body.length + 5); head.writeUInt8(1, 4); head.writeUInt32LE(id, 5);
      broker.stdio[3].write(Buffer.concat([head, body]));
    };
    send(1, 'echo $$; exec sleep 100');
    send(2, 'setsid sleep 100 >/dev/null 2>&1 </dev/null & echo $!');
    let seen = ''; broker.stdio[3].on('data', (chunk) => { seen += chunk.toString('latin1'); const pids = seen.match(/[0-9]+\\n/g); if (pids?.length === 2) console.log(broker.pid, ...pids.map(Number)); });
  `;
  const child = spawn(process.execPath, ['-e', script], { env: { PATH: process.env.PATH, SOURCE: source }, stdio: ['ignore', 'pipe', 'inherit'] });
  // What it says is said again when something else comes from the broker.
  const pids = (await new Promise<string>((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())))).split('\n')[0]!.split(' ').map(Number);
  child.stdout.resume();
  // A process has its number before it is the program that it is to become.
  const titles = (): Promise<readonly string[]> => Promise.all(pids.slice(1).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')));
  await until(async () => (await titles()).every((title) => title === 'sleep\u0000100\u0000'));
  const identities = await Promise.all(pids.map(async (pid) => (await identifyProcess(pid))!));
  const [broker, first, second] = identities as [typeof identities[0], typeof identities[0], typeof identities[0]];
  const [attached, daemon] = (await parentOf(first.pid)) === broker.pid ? [first, second] : [second, first];
  signalProcess(broker.pid, 'SIGTERM');
  signalProcess(broker.pid, 'SIGINT');
  child.kill('SIGKILL');
  await until(async () => !(await isAlive(broker)));
  await until(async () => !(await isAlive(attached)));
  expect(await isAlive(daemon)).toBe(true);
  signalProcess(daemon.pid, 'SIGKILL');
});

test('it stays small and keeps no files open', async () => {
  const commands = await startBroker({ source });
  const running = await commands.start('sleep', ['100'], { stdin: true });
  const broker = await parentOf(running.pid);
  const before = (await readdir(`/proc/${broker}/fd`)).length;
  for (let i = 0; i < 30; i++) await Promise.all([1, 2, 3, 4].map((n) => commands.run('true', [], { input: String(n) })));
  expect((await readdir(`/proc/${broker}/fd`)).length).toBe(before);
  const pss = Number(/^Private_Dirty: +(\d+) kB/m.exec(await readFile(`/proc/${broker}/smaps_rollup`, 'utf8'))![1]);
  expect(pss).toBeLessThan(24_000);
  await commands.close();
});

test('without a broker in the bundle this process runs commands itself', async () => {
  const commands = await startBroker();
  const running = await commands.start('sleep', ['100'], { stdin: false });
  expect(await parentOf(running.pid)).toBe(process.pid);
  await commands.close();
  expect(await running.exit).toBe(137);
});
