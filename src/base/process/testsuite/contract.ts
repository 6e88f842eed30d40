import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { exists } from '../../files.js';
import { COMMAND_FAILED, type Commands, type RunningCommand } from '../commands.js';
import { signalProcess } from '../alive.js';

/** Reads a stream to its end. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Waits until something holds; the test's own time limit ends it otherwise. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(10);
}

/** Registers the tests that every implementation of {@link Commands} must pass. Needs jest's globals and a Unix host. */
export function commandsContract(name: string, make: () => Promise<Commands>): void {
  describe(`commands contract: ${name}`, () => {
    let commands: Commands;
    let folder: string;
    const shell = (script: string, more: Partial<Parameters<Commands['start']>[2]> = {}): Promise<RunningCommand> => commands.start('sh', ['-c', script], { stdin: false, ...more });

    beforeEach(async () => {
      commands = await make();
      folder = await mkdtemp(join(tmpdir(), 'kube-commands-'));
    });
    afterEach(async () => {
      await commands.close();
      await rm(folder, { recursive: true });
    });

    test('run: output, errors and exit code; a failure is no error', async () => {
      const result = await commands.run('sh', ['-c', 'echo out; echo err >&2; exit 3']);
      expect([result.code, result.stdout.toString(), result.stderr.toString(), result.timedOut]).toEqual([3, 'out\n', 'err\n', false]);
    });

    test('run: environment is the given one alone, folder is the given one', async () => {
      const { stdout } = await commands.run('/bin/sh', ['-c', 'echo $A-$HOME; pwd'], { env: { A: 'b' }, cwd: folder });
      expect(stdout.toString()).toBe(`b-\n${folder}\n`);
      expect((await commands.run('sh', ['-c', 'echo $PATH'])).stdout.toString()).toBe(`${process.env.PATH}\n`);
    });

    test('run: input is handed over, however long; a program need not read it', async () => {
      const input = randomBytes(3_000_000);
      const { stdout } = await commands.run('cat', [], { input });
      expect(stdout.equals(input)).toBe(true);
      expect((await commands.run('true', [], { input })).code).toBe(0);
      expect((await commands.run('cat', [], { input: '' })).stdout).toHaveLength(0);
      expect((await commands.run('cat', [])).stdout).toHaveLength(0);
    });

    test('run: output beyond the limit is dropped, and the program goes on', async () => {
      const { stdout, code } = await commands.run('sh', ['-c', 'head -c 2000000 /dev/zero; exit 5'], { maxOutputBytes: 1000 });
      expect([stdout.length, code]).toEqual([1000, 5]);
    });

    test('run: a signal that ends it is in the code; time limit and abort kill it', async () => {
      expect((await commands.run('sh', ['-c', 'kill -TERM $$'])).code).toBe(143);
      expect(await commands.run('sleep', ['100'], { timeoutMilliseconds: 50 })).toMatchObject({ code: 137, timedOut: true });
      const abort = new AbortController();
      const running = commands.run('sleep', ['100'], { signal: abort.signal });
      setTimeout(() => abort.abort(), 50);
      expect(await running).toMatchObject({ code: 137, timedOut: false });
      expect(await commands.run('sleep', ['100'], { signal: abort.signal })).toMatchObject({ code: 137 });
    });

    test('what cannot be started is an error that names it', async () => {
      const error = { code: COMMAND_FAILED, message: expect.stringContaining('no-such-program') as unknown };
      await expect(commands.run('no-such-program', [])).rejects.toMatchObject(error);
      await expect(commands.start('no-such-program', [], { stdin: true })).rejects.toMatchObject(error);
      await expect(commands.start('no-such-program', [], { stdin: true, pipes: true })).rejects.toMatchObject(error);
      await expect(commands.start('no-such-program', [], { stdin: true, terminal: { columns: 80, rows: 24 } })).rejects.toMatchObject(error);
      await expect(commands.run('true', [], { cwd: join(folder, 'missing') })).rejects.toMatchObject({ code: COMMAND_FAILED });
    });

    test('many at a time do not mix', async () => {
      const results = await Promise.all(Array.from({ length: 40 }, (_, index) => commands.run('sh', ['-c', `read x; echo ${index} $x; exit ${index}`], { input: `in${index}\n` })));
      expect(results.map((result) => [result.code, result.stdout.toString()])).toEqual(Array.from({ length: 40 }, (_, index) => [index, `${index} in${index}\n`]));
    });

    for (const pipes of [false, true]) {
      describe(pipes ? 'over pipes' : 'over sockets', () => {
        test('streams carry everything both ways, and stdin can be closed alone', async () => {
          const sent = randomBytes(8_000_000);
          const running = await commands.start('cat', [], { stdin: true, pipes });
          const received = readAll(running.stdout);
          running.stdin!.end(sent);
          expect(createHash('sha256').update(await received).digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
          expect(await running.exit).toBe(0);
          const counter = await shell('wc -c; echo late', { stdin: true, pipes });
          counter.stdin!.end('four');
          expect((await readAll(counter.stdout)).toString()).toBe('4\nlate\n');
        });

        test('a program waits for its reader, and for who writes to it', async () => {
          const mark = join(folder, 'mark');
          const running = await shell(`head -c 4000000 /dev/zero; touch ${mark}`, { pipes });
          await wait(200);
          expect(await exists(mark)).toBe(false);
          expect((await readAll(running.stdout)).length).toBe(4_000_000);
          expect([await running.exit, await exists(mark)]).toEqual([0, true]);

          const sleeper = await shell('read go; wc -c', { stdin: true, pipes });
          const written: boolean[] = [];
          for (let i = 0; i < 40; i++) sleeper.stdin!.write(Buffer.alloc(100_000, i === 0 ? '\n' : 'x'), () => written.push(true));
          sleeper.stdin!.end();
          expect((await readAll(sleeper.stdout)).toString()).toMatch(/^\d+\n$/);
          await until(() => written.length === 40);
        });

        test('output is kept until somebody reads it, long after the end', async () => {
          const running = await shell('echo out; echo err >&2; exit 9', { pipes });
          await wait(150);
          expect((await readAll(running.stdout)).toString()).toBe('out\n');
          expect((await readAll(running.stderr)).toString()).toBe('err\n');
          expect(await running.exit).toBe(9);
        });

        test('signals end it; a reader who gives up breaks its pipe; writing to one that has ended harms nobody', async () => {
          const running = await shell('trap "exit 7" USR1; echo ready; while :; do sleep 0.01; done', { pipes, stdin: true });
          await new Promise((resolve) => running.stdout.once('data', resolve));
          running.kill('SIGUSR1');
          running.stdout.resume();
          running.stderr.resume();
          expect(await running.exit).toBe(7);
          running.kill('SIGKILL');
          running.stdin!.write('x');
          running.stdin!.end();
          const endless = await commands.start('yes', [], { stdin: false, pipes });
          await new Promise((resolve) => endless.stdout.once('data', resolve));
          endless.stderr.resume();
          endless.stdout.destroy();
          expect(await endless.exit).not.toBe(0);
        });
      });
    }

    test('over pipes /dev/stdout can be opened anew', async () => {
      // The writer has gone by the time at which stdin is opened.
      const running = await shell('echo out > /dev/stdout; echo err > /dev/stderr; sleep 0.2; cat /dev/stdin', { pipes: true, stdin: true });
      running.stdin!.end('in\n');
      const [stdout, stderr] = await Promise.all([readAll(running.stdout), readAll(running.stderr)]);
      expect([stdout.toString(), stderr.toString()]).toEqual(['out\nin\n', 'err\n']);
    });

    test('a terminal: size, resizing, input, exit code, one stream', async () => {
      const running = await shell('stty size; tty >/dev/null && echo is tty >&2; trap "stty size; exit 6" WINCH; read x; echo got $x; while :; do sleep 0.01; done', { stdin: true, terminal: { columns: 90, rows: 30 } });
      let text = '';
      running.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      running.stderr.resume();
      await until(() => text.includes('is tty'));
      expect(text).toBe('30 90\r\nis tty\r\n');
      running.stdin!.write('hello\n');
      await until(() => text.includes('got hello\r\n'));
      running.resize(100, 40);
      expect(await running.exit).toBe(6);
      expect(text.endsWith('40 100\r\n')).toBe(true);
    });

    test('a terminal: nothing is lost for a slow reader, who slows the program down', async () => {
      const mark = join(folder, 'mark');
      const running = await shell(`head -c 3000000 /dev/zero | tr '\\0' x; touch ${mark}; printf end`, { terminal: { columns: 80, rows: 24 } });
      await wait(400);
      expect(await exists(mark)).toBe(false);
      const text = (await readAll(running.stdout)).toString();
      expect([text.length, text.endsWith('end'), await running.exit]).toEqual([3_000_003, true, 0]);
    });

    test('a terminal: signals, and what stays in the background does not hold up the end', async () => {
      const running = await shell('echo $$; while :; do sleep 0.01; done', { terminal: { columns: 80, rows: 24 } });
      await new Promise((resolve) => running.stdout.once('data', resolve));
      running.stdout.resume();
      running.kill('SIGKILL');
      expect(await running.exit).toBe(137);
      const left = await shell('trap "" HUP; sleep 30 & echo $!', { terminal: { columns: 80, rows: 24 } });
      const pid = Number((await readAll(left.stdout)).toString());
      expect(await left.exit).toBe(0);
      signalProcess(pid, 'SIGKILL');
    });

    test('closing kills what runs, lets alone what went into the background, and refuses what comes', async () => {
      const running = await shell('sleep 10 & echo $$; wait');
      await new Promise((resolve) => running.stdout.once('data', resolve));
      const daemon = join(folder, 'daemon');
      await commands.run('sh', ['-c', `setsid sleep 100 >/dev/null 2>&1 </dev/null & echo $! > ${daemon}`]);
      await commands.close();
      await until(() => !alive(running.pid));
      expect(await running.exit).toBe(137);
      const pid = Number(await readFile(daemon, 'utf8'));
      expect(alive(pid)).toBe(true);
      signalProcess(pid, 'SIGKILL');
      await expect(commands.run('true', [])).rejects.toMatchObject({ code: COMMAND_FAILED });
      await expect(commands.start('true', [], { stdin: false })).rejects.toMatchObject({ code: COMMAND_FAILED });
      await commands.close();
    });
  });
}

function alive(pid: number): boolean {
  return signalProcess(pid, 0);
}
