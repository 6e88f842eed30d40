import { BrokerLink } from './broker/link.js';
import type { StartRequest } from './broker/frames.js';
import type { RemoteCommand } from './broker/remote-command.js';
import { type CommandOptions, type CommandResult, type Commands, type RunningCommand, type StartOptions } from './commands.js';
import { closedError, defaultEnvironment, directCommands } from './direct.js';
import { OutputCollector } from './output-collector.js';

/** The broker's program as one script; the build puts it there. */
declare const KUBE_BROKER_SOURCE: string | undefined;

/** What tests replace. */
export interface BrokerOptions {
  /** The broker's program. Default: the one that was built in; without one, commands are run by this process itself. */
  readonly source?: string;
}

/**
 * Starts a broker, to be done before this process grows: its fork is then cheap, and so is every later one, since the broker
 * stays small. It ends with this process, however that ends. One that dies is replaced at the next call; what it ran counts as
 * killed (code 137, the reason on stderr).
 */
export async function startBroker(options: BrokerOptions = {}): Promise<Commands> {
  const source = options.source ?? (typeof KUBE_BROKER_SOURCE === 'undefined' ? undefined : KUBE_BROKER_SOURCE);
  if (source === undefined) return directCommands();
  const commands = new BrokerCommands(source);
  await commands.link();
  return commands;
}

class BrokerCommands implements Commands {
  private opening: Promise<BrokerLink> | undefined;
  private current: BrokerLink | undefined;
  private closed = false;

  constructor(private readonly source: string) {}

  /** The broker; a new one when there is none. */
  async link(): Promise<BrokerLink> {
    if (this.current?.alive) return this.current;
    this.opening ??= BrokerLink.open(this.source, import.meta.url).finally(() => (this.opening = undefined));
    return (this.current = await this.opening);
  }

  async run(program: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    const command = await this.begin(program, args, { stdin: options.input !== undefined, ...(options.cwd === undefined ? {} : { cwd: options.cwd }), ...(options.env ? { env: options.env } : {}) });
    const stdout = new OutputCollector(command.stdout, options.maxOutputBytes);
    const stderr = new OutputCollector(command.stderr, options.maxOutputBytes);
    let timedOut = false;
    const kill = (): void => command.kill('SIGKILL');
    const timer = options.timeoutMilliseconds === undefined ? undefined : setTimeout(() => {
      timedOut = true;
      kill();
    }, options.timeoutMilliseconds);
    if (options.signal?.aborted) kill();
    options.signal?.addEventListener('abort', kill, { once: true });
    command.stdin?.end(options.input);
    const outputs = [command.stdout, command.stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    try {
      await command.started;
      const [code] = await Promise.all([command.exit, ...outputs]);
      return { code, stdout: stdout.bytes, stderr: stderr.bytes, timedOut };
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', kill);
    }
  }

  async start(program: string, args: readonly string[], options: StartOptions): Promise<RunningCommand> {
    const command = await this.begin(program, args, options);
    await command.started;
    return command;
  }

  async close(): Promise<void> {
    this.closed = true;
    const link = (await this.opening?.catch(() => undefined)) ?? this.current;
    if (link?.alive) await link.close();
  }

  private async begin(program: string, args: readonly string[], options: StartOptions): Promise<RemoteCommand> {
    if (this.closed) throw closedError(program);
    const request: StartRequest = {
      program, args, stdin: options.stdin, pipes: options.pipes ?? false, env: options.env ?? defaultEnvironment(), cwd: options.cwd ?? process.cwd(), ...(options.terminal ? { terminal: options.terminal } : {}),
    };
    const link = await this.link();
    if (this.closed) throw closedError(program);
    return link.start(request);
  }
}
