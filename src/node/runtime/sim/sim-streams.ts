import { Duplex, PassThrough, Writable, type Readable } from 'node:stream';
import type { Clock } from '../../../base/clock.js';
import { KubeError } from '../../../base/errors.js';
import type { ExecResult, StreamOptions, StreamSession } from '../types.js';
import type { SimContainer } from './records.js';
import { KNOWN_COMMANDS, planRun, type Run, type ShellEnvironment } from './shell.js';

/** What commands in this container see. */
export function shellEnvironment(container: Pick<SimContainer, 'sandbox' | 'config'>): ShellEnvironment {
  const { sandbox, config } = container;
  const env = new Map([['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'], ['HOSTNAME', sandbox.hostname]]);
  for (const { name, value } of config.envs) env.set(name, value);
  env.set('HOME', '/root');
  return { hostname: sandbox.hostname, ip: sandbox.ip, env };
}

/** Plans a command in a running container. Throws `KUBE_SIM_COMMAND` when it is none of those known. */
export function planExec(container: SimContainer, command: readonly string[]): Run {
  if (container.state !== 'running') throw new KubeError('KUBE_RUNTIME_NOT_RUNNING', `container ${container.id} is not running`);
  const run = planRun(command, shellEnvironment(container));
  if (!run) {
    throw new KubeError('KUBE_SIM_COMMAND', `the container is simulated and cannot run ${JSON.stringify(command.join(' '))}; it knows ${KNOWN_COMMANDS}`);
  }
  return run;
}

/** Runs to the end within virtual or real time. */
export function runToEnd(run: Run, clock: Clock, timeoutSeconds: number): Promise<ExecResult> {
  const text = (stream: 'stdout' | 'stderr'): Buffer => Buffer.from(run.outputs.filter((output) => output.stream === stream).map((output) => `${output.text(clock.now())}\n`).join(''));
  const result = (): ExecResult => ({ stdout: text('stdout'), stderr: text('stderr'), exitCode: run.exitCode });
  if (run.duration <= 0) return Promise.resolve(result());
  const timeout = timeoutSeconds > 0 ? timeoutSeconds * 1000 : Infinity;
  return new Promise((resolve, reject) => {
    if (run.duration <= timeout) {
      if (run.duration !== Infinity) clock.setTimeout(() => resolve(result()), run.duration, { unref: true });
    } else clock.setTimeout(() => reject(new KubeError('KUBE_RUNTIME_TIMEOUT', `command timed out after ${timeoutSeconds}s`)), timeout, { unref: true });
  });
}

/** A session that plays a run: each output at its time, then the exit code. */
export function playRun(run: Run, clock: Clock, options: StreamOptions): StreamSession {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const timers = new Set<() => void>();
  let closed = false;
  let finish: (code: number) => void = () => undefined;
  const exit = new Promise<number>((resolve) => (finish = resolve));
  const close = (code: number): void => {
    if (closed) return;
    closed = true;
    for (const cancel of timers) cancel();
    stdout.end();
    stderr.end();
    finish(code);
  };
  const after = (milliseconds: number, fn: () => void): void => {
    if (milliseconds === Infinity) return;
    if (milliseconds <= 0) return fn();
    const cancel = clock.setTimeout(() => {
      timers.delete(cancel);
      fn();
    }, milliseconds, { unref: true });
    timers.add(cancel);
  };
  const eol = options.tty ? '\r\n' : '\n';
  const turn = (base: number): void => {
    for (const output of run.outputs) {
      after(output.at - base, () => (output.stream === 'stderr' && !options.tty ? stderr : stdout).write(output.text(clock.now()).replaceAll('\n', eol) + eol));
    }
    if (run.repeatEvery !== undefined) after(run.repeatEvery, () => turn(0));
  };
  turn(0);
  after(run.duration, () => close(run.exitCode));
  return session(options, stdout, options.tty ? undefined : stderr, exit, () => close(KILLED));
}

const KILLED = 137;

/** A session over the container's own output; it lasts until the container ends, or until the client's input does. */
export function attachSession(lines: AsyncIterable<Buffer>, options: StreamOptions, close: () => void): StreamSession {
  const stdout = new PassThrough();
  const exit = (async () => {
    for await (const chunk of lines) stdout.write(options.tty ? chunk.toString().replaceAll('\n', '\r\n') : chunk);
    stdout.end();
    return 0;
  })();
  const attached = session(options, stdout, undefined, exit, close);
  attached.stdin?.once('finish', close);
  return attached;
}

/** Answers HTTP on any port, and echoes anything else that is sent. */
export function simulatedPort(container: { readonly pod: string; readonly namespace: string; readonly port: number }): Duplex {
  let pending = Buffer.alloc(0);
  let ended = false;
  const end = (): void => {
    if (!ended) port.push(null);
    ended = true;
  };
  const port: Duplex = new Duplex({
    allowHalfOpen: true,
    read: () => undefined,
    write(chunk: Buffer, _encoding, callback) {
      pending = Buffer.concat([pending, chunk]);
      const looksLikeHttp = /^[A-Z]{3,10} \S+ HTTP\/1\.[01]\r\n/.test(pending.toString('latin1', 0, 4096)) || /^[A-Z]{0,10}( \S*)?$/.test(pending.toString('latin1', 0, 4096));
      if (ended) return callback();
      if (!looksLikeHttp) {
        port.push(pending);
        pending = Buffer.alloc(0);
      } else if (pending.includes('\r\n\r\n')) {
        pending = Buffer.alloc(0);
        const body = `simulated pod ${container.namespace}/${container.pod}, port ${container.port}\n`;
        port.push(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
        end();
      }
      callback();
    },
    final(callback) {
      if (pending.length > 0 && !ended) port.push(pending);
      end();
      callback();
    },
  });
  return port;
}

function session(options: StreamOptions, stdout: Readable, stderr: Readable | undefined, exit: Promise<number>, close: () => void): StreamSession {
  return {
    // What is typed goes nowhere, as in a program that does not read.
    ...(options.stdin ? { stdin: new Writable({ write: (_chunk, _encoding, callback) => callback() }) } : {}),
    ...(options.stdout ? { stdout } : {}),
    ...(options.stderr && stderr ? { stderr } : {}),
    resize: () => undefined,
    exit,
    close,
  };
}
