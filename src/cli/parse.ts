import yargs from 'yargs';
import { KubeError } from '../base/errors.js';
import type { Command } from './command.js';
import { ALIASES, FLAGS, type FlagDefinition, type FlagName, type FlagValues } from './flags.js';

/** What the command line says. */
export type Parsed =
  | { readonly type: 'run'; readonly command: Command; /** Flags that were given. */ readonly given: FlagValues; readonly operands: readonly string[] }
  | { readonly type: 'text'; readonly text: string };

/** Wrong usage: exit code 2. */
export class UsageError extends KubeError {
  constructor(message: string) {
    super('KUBE_USAGE', message);
  }
}

/** Parses arguments (without the program's own path). Throws {@link UsageError}. */
export async function parseArguments(typed: readonly string[], commands: readonly Command[], version: string): Promise<Parsed> {
  // `kube help stop` is `kube stop --help`.
  const argv = typed[0] === 'help' ? [...typed.slice(1), '--help'] : typed;
  let chosen: { command: Command; given: FlagValues; operands: readonly string[] } | undefined;
  let printed = '';
  let failure: string | undefined;
  const parser = yargs([...argv])
    .scriptName('kube')
    .usage('$0 <command>\n\nA whole Kubernetes in one executable.')
    .help('help')
    .alias('help', 'h')
    .version(version)
    // Arrays of duplicates are needed for operands: without them yargs gives the last one only.
    .parserConfiguration({ 'boolean-negation': true, 'duplicate-arguments-array': true, 'camel-case-expansion': false })
    .exitProcess(false)
    .strict()
    .showHelpOnFail(false)
    // yargs lays out its help at every call; without columns to wrap that costs nothing.
    .wrap(argv.some((argument) => argument === '--help' || argument === '-h') ? 120 : null)
    .fail((message, error) => {
      failure ??= message ?? error?.message ?? 'wrong usage';
    });
  // `run all` is one command of two words.
  const groups = new Map<string, Command[]>();
  for (const command of commands) {
    const [first] = command.name.split(' ');
    groups.set(first!, [...(groups.get(first!) ?? []), command]);
  }
  const add = (target: typeof parser, name: string, command: Command, within: readonly Command[] = []): void => {
    target.command(
      command.operands ? `${name} <${command.operands.toLowerCase()}..>` : name,
      command.summary,
      (builder) => {
        for (const flag of command.flags) builder.option(flag, { ...optionOf(flag), global: false });
        for (const member of within) add(builder as typeof parser, member.name.slice(name.length + 1), member);
        return builder;
      },
      (values) => {
        const given = values as Record<string, unknown>;
        const operands = command.operands ? ((given[command.operands.toLowerCase()] ?? []) as readonly unknown[]).map(String) : [];
        chosen = { command, given: pickFlags(command, given), operands };
      },
    );
  };
  for (const [first, members] of groups) {
    // `node` is a command, and `node list` is one too.
    const own = members.find((member) => member.name === first);
    const others = members.filter((member) => member !== own);
    const names = others.map((member) => `kube ${member.name}`).join(', ');
    if (own) add(parser, first, others.length > 0 ? { ...own, summary: `${own.summary}; see also: ${names}` } : own, others);
    else {
      parser.command(first, others.length > 1 ? `See: ${names}` : `${others[0]!.summary}: ${names}`, (builder) => {
        for (const member of members) add(builder as typeof parser, member.name.slice(first.length + 1), member);
        return builder.demandCommand(1, 1, `a word is missing after ${first}: ${names}`).strict();
      }, () => undefined);
    }
  }
  checkSwitches(argv);
  const unknown = unknownCommand(argv, groups);
  if (unknown !== undefined) throw new UsageError(`Unknown command: ${unknown}; see kube --help`);
  parser.demandCommand(1, 'a command is missing; see kube --help');
  await parser.parse([...argv], {}, (_error: unknown, _values: unknown, output: string) => {
    printed = output;
  });
  if (failure !== undefined) throw new UsageError(explain(failure, ['kube', ...commandWords(argv, groups)].join(' '), commands));
  if (printed !== '' && !chosen) return { type: 'text', text: printed };
  if (!chosen) return { type: 'text', text: await parser.getHelp() };
  return { type: 'run', ...chosen };
}

/** yargs takes any word but true for false, and runs what `--help=x` is asked of. */
function checkSwitches(argv: readonly string[]): void {
  for (const argument of argv) {
    const [, flag = '', value] = /^(--[^=]+|-h)=(.*)$/s.exec(argument) ?? [];
    const definition = (FLAGS as Readonly<Record<string, FlagDefinition>>)[flag.replace(/^--(no-)?/, '')];
    if (definition ? definition.type !== 'boolean' : !['--help', '-h', '--version'].includes(flag)) continue;
    if (!definition || !/^(true|false)$/.test(value!)) throw new UsageError(`${flag}: ${definition ? `${JSON.stringify(value)} is neither true nor false` : 'it takes no value'}`);
  }
}

/** What yargs says, with where to look. */
function explain(failure: string, called: string, commands: readonly Command[]): string {
  const operands = commands.find((command) => `kube ${command.name}` === called)?.operands;
  if (operands && failure.startsWith('Not enough non-option arguments')) return `${operands} is missing; see ${called} --help`;
  const flag = /^Not enough arguments following: (.+)$/.exec(failure)?.[1];
  if (flag !== undefined) return `${flag.length === 1 ? '-' : '--'}${flag}: its value is missing; see ${called} --help`;
  return failure.startsWith('Unknown argument') ? `${failure}; see ${called} --help` : failure;
}

/** The words before the first flag that name a command: `run all`. */
function commandWords(argv: readonly string[], groups: ReadonlyMap<string, readonly Command[]>): readonly string[] {
  const end = argv.findIndex((argument) => argument.startsWith('-'));
  const words = end < 0 ? argv : argv.slice(0, end);
  const several = groups.get(words[0] ?? '')?.some((command) => command.name.includes(' ')) ?? false;
  return words.slice(0, several ? 2 : 1);
}

/** yargs takes a misspelt command for a surplus argument. */
function unknownCommand(argv: readonly string[], groups: ReadonlyMap<string, readonly Command[]>): string | undefined {
  const words = commandWords(argv, groups);
  const members = words[0] === undefined ? undefined : groups.get(words[0]);
  if (words[0] === undefined || (members && words.length === 1)) return undefined;
  return members?.some((command) => command.name === words.join(' ')) ? undefined : words.join(' ');
}

function optionOf(flag: FlagName): Record<string, unknown> {
  const definition: FlagDefinition = FLAGS[flag];
  return {
    ...(ALIASES[flag] ? { alias: ALIASES[flag] } : {}),
    // Numbers and lists are read as text and checked by us, so that a wrong one is told, not turned into NaN.
    type: definition.type === 'boolean' ? 'boolean' : 'string',
    requiresArg: definition.type !== 'boolean',
    describe: definition.description + (definition.default === undefined ? '' : ` [default: ${definition.default}]`),
    ...(definition.choices ? { choices: definition.choices } : {}),
  };
}

function pickFlags(command: Command, values: Readonly<Record<string, unknown>>): FlagValues {
  const given: Record<string, unknown> = {};
  for (const flag of command.flags) {
    const value = values[flag];
    // Of a flag that is given several times the last one counts.
    if (value !== undefined) given[flag] = checkValue(flag, Array.isArray(value) ? value.at(-1) : value, `--${flag}`);
  }
  return given as FlagValues;
}

/** Checks and converts one value; `where` names it in the error. Throws {@link UsageError}. */
export function checkValue(flag: FlagName, value: unknown, where: string): string | number | boolean | readonly string[] {
  const definition: FlagDefinition = FLAGS[flag];
  if (Array.isArray(value) && definition.type !== 'list') throw new UsageError(`${where} is given more than once`);
  switch (definition.type) {
    case 'boolean':
      if (typeof value === 'boolean') return value;
      throw new UsageError(`${where}: ${JSON.stringify(value)} is neither true nor false`);
    case 'number': {
      const number = typeof value === 'number' ? value : /^-?\d+$/.test(String(value)) ? Number(value) : NaN;
      const [from, to] = definition.range ?? [0, Number.MAX_SAFE_INTEGER];
      if (!Number.isInteger(number) || number < from || number > to) throw new UsageError(`${where}: ${JSON.stringify(value)} is not a whole number from ${from} to ${to}`);
      return number;
    }
    case 'list':
      if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.flatMap(splitList);
      if (typeof value === 'string') return splitList(value);
      throw new UsageError(`${where}: ${JSON.stringify(value)} is not a list of names`);
    case 'string':
      if (typeof value !== 'string' || value === '') throw new UsageError(`${where}: ${JSON.stringify(value)} is not a text`);
      if (definition.choices && !definition.choices.includes(value)) throw new UsageError(`${where}: ${JSON.stringify(value)} is not one of ${definition.choices.join(', ')}`);
      return value;
  }
}

function splitList(text: string): string[] {
  return text.split(',').map((item) => item.trim()).filter((item) => item !== '');
}

/** Defaults of the table for `flags`, overlaid by `values`. */
export function withDefaults(flags: readonly FlagName[], values: FlagValues): FlagValues {
  const all: Record<string, unknown> = {};
  for (const flag of flags) {
    const definition: FlagDefinition = FLAGS[flag];
    if (definition.default !== undefined) all[flag] = definition.type === 'list' ? splitList(String(definition.default)) : definition.default;
  }
  return { ...(all as FlagValues), ...values };
}
