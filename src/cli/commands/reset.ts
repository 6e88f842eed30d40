import { createInterface } from 'node:readline/promises';
import { loadKubeconfigTools, loadReset, type ResetResult } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { dataDirectory, duration, print } from '../output.js';
import { UsageError } from '../parse.js';

/** `kube reset`: exit code 1 when something remains. */
export async function reset(input: CommandInput): Promise<number> {
  const { flags, io } = input;
  const [resetCluster, { defaultKubeconfig }] = await Promise.all([loadReset(), loadKubeconfigTools()]);
  const directory = dataDirectory(input);
  const options = { dryRun: flags['dry-run'] ?? false, stopTimeoutMilliseconds: duration('timeout', flags.timeout), kubeconfigs: [flags.kubeconfig ?? defaultKubeconfig(io.environment)] };
  if (!options.dryRun && !flags.yes) {
    if (!process.stdin.isTTY) throw new UsageError('reset removes the whole cluster: add --yes, or --dry-run to see what would go');
    const plan = await resetCluster(directory, { ...options, dryRun: true });
    io.err(text(plan));
    const prompt = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await prompt.question('Remove all of this? [y/N] ', { signal: io.interrupted });
    prompt.close();
    if (!/^y(es)?$/i.test(answer.trim())) return 1;
  }
  const result = await resetCluster(directory, options);
  print(input, result, text);
  return result.remaining.length === 0 ? 0 : 1;
}

/** What is said of a kind of thing; of others that they are removed. */
const WORDS: Readonly<Record<string, readonly [string, string, string]>> = {
  process: ['stop', 'stopped', 'process'],
  file: ['remove', 'removed', 'folder'],
  'kubeconfig-context': ['remove', 'removed', 'the context of this cluster from'],
  // Its value goes back with the last cluster that needs it.
  sysctl: ['give back', 'gave back', 'sysctl'],
};

function words(kind: string): readonly [string, string, string] {
  return WORDS[kind] ?? ['remove', 'removed', kind.replaceAll('-', ' ')];
}

function text(result: ResetResult): string {
  const lines = result.removed.map((item) => {
    const [present, past, what] = words(item.kind);
    return `${result.dryRun ? `would ${present}` : past} ${what} ${item.name}`;
  });
  for (const item of result.remaining) lines.push(`remains: ${words(item.kind)[2]} ${item.name}: ${item.reason}`);
  return lines.length > 0 ? lines.join('\n') : 'nothing to remove';
}
