import { KubeError } from '../../base/errors.js';
import { isDetached, startDetached } from '../../base/process/detached.js';
import { loadKubeconfigTools, loadRunAll, type ReadyDocument } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { dataDirectory, duration } from '../output.js';
import { controllersSettings, nodeSettings, serverSettings, wantedRanges } from '../settings.js';

/** `kube run all`: returns when the cluster was stopped, or with `--detach` when it is ready. */
export async function runAll(input: CommandInput): Promise<number> {
  const { flags, io } = input;
  const directory = dataDirectory(input);
  const node = nodeSettings(input.section('node'));
  const options = {
    directory,
    settings: { server: serverSettings(input.section('server'), io.environment), controllers: controllersSettings({ ...input.section('controllers'), 'simulated-nodes': node.simulatedNodes }), node },
    wantedRanges: { ...wantedRanges(input.section('server')), ...wantedRanges(input.section('controllers')) },
    kubeconfig: await kubeconfigToMerge(input),
    readyTimeoutMilliseconds: duration('timeout', flags.timeout),
    logLevel: flags['log-level']!,
  };
  const report = (document: ReadyDocument): void => io.out(flags.output === 'json' ? JSON.stringify(document) : readyText(document));
  if (flags.detach && !isDetached()) {
    await directory.prepare();
    const message = await startDetached({ arguments: io.argv, logFile: directory.log, environment: io.environment });
    if (message.type === 'failed') throw new KubeError(message.code, message.message);
    const document = message.document as ReadyDocument;
    // The process itself says so too, but only its log hears it.
    if (document.containerRuntimeReason) io.err(`pods are simulated: ${document.containerRuntimeReason}`);
    report(document);
    return 0;
  }
  const run = await loadRunAll();
  return run(options, { interrupted: io.interrupted, progress: (text) => io.err(text), ready: report });
}

/**
 * The kubeconfig to merge into: the flag's; without one, kubectl's default for a cluster in the default place, and none for one
 * in a place of its own, so that throw-away clusters leave the user's file alone.
 */
async function kubeconfigToMerge(input: CommandInput): Promise<string | undefined> {
  if (input.flags.kubeconfig) return input.flags.kubeconfig;
  if (input.flags['data-dir']) return undefined;
  const { defaultKubeconfig } = await loadKubeconfigTools();
  return defaultKubeconfig(input.io.environment);
}

function readyText(document: ReadyDocument): string {
  const nodes = document.nodes.length === 0 || document.nodes.length > 3 ? `${document.nodes.length || 'no'} nodes` : document.nodes.join(', ');
  const pods = document.containerRuntime === 'sim' ? 'simulated pods' : `${document.containerRuntime} pods`;
  return `ready after ${document.startupMilliseconds} ms: ${document.server} (${nodes}, ${pods}); kubeconfig ${document.kubeconfig}`;
}
