import { parseGoDuration } from '../go-duration.js';
import { parseScript, type ShellCommand, type ShellWord } from './shell-words.js';

/** What commands can see of the container that they pretend to run in. */
export interface ShellEnvironment {
  readonly hostname: string;
  readonly ip: string;
  readonly env: ReadonlyMap<string, string>;
}

/** Output at a moment of a run. */
export interface RunOutput {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly stream: 'stdout' | 'stderr';
  /** Without a line end; `now` in milliseconds since the epoch. */
  readonly text: (now: number) => string;
}

/** How a command goes on, known in advance. */
export interface Run {
  readonly outputs: readonly RunOutput[];
  /** Milliseconds until it ends; Infinity: never by itself. */
  readonly duration: number;
  readonly exitCode: number;
  /** The outputs come again and again, every so many milliseconds. */
  readonly repeatEvery?: number;
  readonly terminationMessage: string;
}

/** Commands that {@link planRun} knows, for messages. */
export const KNOWN_COMMANDS = 'true, false, echo, printf, sleep, exit, hostname, env, printenv, date, id, whoami, pwd, cat of /etc/hostname and /etc/hosts, and sh -c with these';

/**
 * What a command would do, if it is one that a simulated container knows; undefined otherwise. Nothing runs: the result
 * tells output, duration and exit code.
 */
export function planRun(command: readonly string[], environment: ShellEnvironment): Run | undefined {
  const words = command.map((text): ShellWord => [{ text }]);
  const name = (command[0] ?? '').replace(/^.*\//, '');
  if (/^(sh|bash|ash)$/.test(name)) {
    const options = command.findIndex((word, index) => index > 0 && !word.startsWith('-'));
    const flags = command.slice(1, options < 0 ? undefined : options);
    if (options < 0 || !flags.some((flag) => /^-[a-z]*c$/.test(flag))) return undefined;
    return planScript(command[options]!, environment);
  }
  return new Planner(environment).run([{ join: ';', words, output: 'stdout' }]);
}

function planScript(script: string, environment: ShellEnvironment): Run | undefined {
  const loop = /^([\s\S]*?)(?:^|[\s;])while\s+(?:true|:|\[ 1 \]|sleep\s+(\S+))\s*(?:;|\n)\s*do\s([\s\S]*?)(?:;|\n)\s*done\s*;?\s*$/.exec(script);
  if (!loop) {
    const commands = parseScript(script);
    return commands && new Planner(environment).run(commands);
  }
  const before = parseScript(loop[1]!);
  const body = parseScript(`${loop[2] ? `sleep ${loop[2]};` : ''}${loop[3]!}`);
  const head = before && new Planner(environment).run(before);
  const turn = body && new Planner(environment).run(body);
  if (!head || !turn || head.duration > 0) return undefined;
  return { ...turn, outputs: [...head.outputs, ...turn.outputs], duration: Infinity, repeatEvery: Math.max(100, turn.duration) };
}

class Planner {
  private readonly outputs: RunOutput[] = [];
  private at = 0;
  private code = 0;
  private message = '';
  private ended = false;

  constructor(private readonly environment: ShellEnvironment) {}

  run(commands: readonly ShellCommand[]): Run | undefined {
    for (const command of commands) {
      if (this.ended || this.at === Infinity) break;
      if ((command.join === '&&' && this.code !== 0) || (command.join === '||' && this.code === 0)) continue;
      if (!this.command(command)) return undefined;
    }
    return { outputs: this.outputs, duration: this.at, exitCode: this.code, terminationMessage: this.message };
  }

  private command(command: ShellCommand): boolean {
    const words = command.words.map((word) => this.expand(word));
    if (words.some((word) => word === undefined)) return false;
    const [first, ...args] = words as ((now: number) => string)[];
    const fixed = args.map((arg) => arg(0));
    this.code = 0;
    switch (first!(0).replace(/^.*\//, '')) {
      case 'true':
      case ':':
      case 'set':
      case 'trap':
        return true;
      case 'false':
        this.code = 1;
        return true;
      case 'exit':
        this.code = (Number(fixed[0] ?? 0) || 0) & 255;
        this.ended = true;
        return true;
      case 'exec':
        return args.length === 0 || this.command({ ...command, words: command.words.slice(1) });
      case 'sleep':
        return this.sleep(fixed[0] ?? '');
      case 'echo': {
        const shown = fixed[0] === '-n' || fixed[0] === '-e' ? args.slice(1) : args;
        return this.write(command, (now) => shown.map((arg) => arg(now)).join(' '));
      }
      case 'printf':
        return !fixed.some((arg) => arg.includes('%')) && this.write(command, () => (fixed[0] ?? '').replace(/\\n$/, '').replaceAll('\\n', '\n'));
      case 'hostname':
        return this.write(command, () => (fixed[0] === '-i' ? this.environment.ip : this.environment.hostname));
      case 'env':
      case 'printenv':
        return this.printEnv(command, fixed[0]);
      case 'date':
        return this.write(command, (now) => new Date(now).toUTCString());
      case 'id':
        return this.write(command, () => 'uid=0(root) gid=0(root) groups=0(root)');
      case 'whoami':
        return this.write(command, () => 'root');
      case 'pwd':
        return this.write(command, () => '/');
      case 'cat':
        return this.cat(command, fixed);
      default:
        return false;
    }
  }

  private sleep(text: string): boolean {
    const milliseconds = text === 'infinity' || text === 'inf' ? Infinity : /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : /^\d+d$/.test(text) ? parseInt(text, 10) * 86_400_000 : parseGoDuration(text);
    if (milliseconds === undefined) return false;
    this.at += milliseconds;
    return true;
  }

  private printEnv(command: ShellCommand, name: string | undefined): boolean {
    const { env } = this.environment;
    if (name === undefined) return this.write(command, () => [...env].map(([key, value]) => `${key}=${value}`).join('\n'));
    const value = env.get(name);
    if (value === undefined) this.code = 1;
    return value === undefined || this.write(command, () => value);
  }

  private cat(command: ShellCommand, files: readonly string[]): boolean {
    const { hostname, ip } = this.environment;
    if (files.length === 0) return false;
    for (const file of files) {
      if (file === '/etc/hostname') this.write(command, () => hostname);
      else if (file === '/etc/hosts') this.write(command, () => `127.0.0.1\tlocalhost\n${ip}\t${hostname}`);
      else {
        this.code = 1;
        this.write({ ...command, output: 'stderr' }, () => `cat: ${file}: No such file or directory`);
      }
    }
    return true;
  }

  private write(command: ShellCommand, text: (now: number) => string): boolean {
    if (command.output === 'termination') this.message = `${text(0)}\n`;
    else if (command.output !== 'nowhere') this.outputs.push({ at: this.at, stream: command.output, text });
    return true;
  }

  /** Undefined when it contains a command that cannot be expanded. */
  private expand(word: ShellWord): ((now: number) => string) | undefined {
    const pieces: ((now: number) => string)[] = [];
    for (const piece of word) {
      if ('text' in piece) pieces.push(() => piece.text);
      else if ('variable' in piece) {
        const value = this.environment.env.get(piece.variable) ?? '';
        pieces.push(() => value);
      } else if (piece.command === 'hostname') pieces.push(() => this.environment.hostname);
      else if (/^date( .*)?$/.test(piece.command)) pieces.push((now) => new Date(now).toUTCString());
      else return undefined;
    }
    return pieces.length === 1 ? pieces[0] : (now) => pieces.map((piece) => piece(now)).join('');
  }
}
