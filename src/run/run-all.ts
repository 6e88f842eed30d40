import { errorCode, errorMessage, KubeError } from '../base/errors.js';
import { createWinstonLog, type LogLevel } from '../base/log-winston.js';
import { tellParent } from '../base/process/detached.js';
import { writeAtomically } from '../base/files.js';
import type { Logger } from '../base/log.js';
import { startBroker } from '../base/process/broker.js';
import type { Store } from '../storage/index.js';
import { Cluster } from './cluster.js';
import type { DataDirectory } from './data-directory.js';
import { systemEnvironment, type RunEnvironment } from './environment.js';
import { mergeAdminKubeconfig, renderConfig } from './merge-kubeconfig.js';
import { chooseRuntime } from './native/choose-runtime.js';
import { nativeSettings, withNative, type WantedRanges } from './native/native-settings.js';
import { openStore } from './open-store.js';
import type { ClusterSettings } from './options.js';
import { filePkiStore } from './pki.js';
import { startInTime } from './start-in-time.js';
import { claimDirectory, removeRunState, writeRunState, type RunState } from './run-state.js';
import { howToEndPods, podsGoOn } from './kept-pods.js';
import { readStopRequest } from './stop-request.js';
import { VERSION } from './version.js';
import { whenAborted } from '../base/abort.js';

/** What `kube run all` was told. */
export interface RunAllOptions {
  readonly directory: DataDirectory;
  readonly settings: ClusterSettings;
  /** Ranges of addresses that the user named; with native containers the others are found. */
  readonly wantedRanges: WantedRanges;
  /** A kubeconfig to merge the context `kube` into, beside the data directory's own. */
  readonly kubeconfig?: string | undefined;
  readonly readyTimeoutMilliseconds: number;
  readonly logLevel: string;
}

/** The line that `kube run all` prints when everything is ready. */
export interface ReadyDocument {
  readonly event: 'ready';
  readonly pid: number;
  readonly server: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly nodes: readonly string[];
  readonly containerRuntime: string;
  /** Why pods are simulated although nobody asked for it. */
  readonly containerRuntimeReason?: string;
  readonly version: string;
  /** From the start of the process. */
  readonly startupMilliseconds: number;
}

/** How a run talks to its caller. */
export interface RunHooks {
  /** Aborts when the cluster has to stop. */
  readonly interrupted: AbortSignal;
  readonly progress: (text: string) => void;
  readonly ready: (document: ReadyDocument) => void;
}

const STOP_MILLISECONDS = 10_000;
/** Runs a cluster until it is interrupted. Returns the exit code. What was begun is undone when the start fails. */
export async function runAll(options: RunAllOptions, hooks: RunHooks): Promise<number> {
  const { directory } = options;
  await directory.prepare();
  const log = createWinstonLog({ level: options.logLevel as LogLevel });
  const state = await claimDirectory(directory);
  try {
    return await runClaimed(options, hooks, state, log);
  } finally {
    await removeRunState(directory);
  }
}

async function runClaimed(options: RunAllOptions, hooks: RunHooks, claimed: RunState, log: Logger): Promise<number> {
  const { directory } = options;
  const choice = await chooseRuntime(options.settings.node.containerRuntime);
  if (choice.reason) hooks.progress(`pods are simulated: ${choice.reason}`);
  const runtime = choice.runtime;
  // Before the heap grows: from then on it is the broker that forks.
  const commands = runtime === 'native' ? await startBroker() : undefined;
  const environment: RunEnvironment = { ...systemEnvironment(log), ...(commands ? { commands } : {}) };
  let store: Store;
  let settings: ClusterSettings;
  try {
    settings = runtime === 'native' ? withNative(options.settings, await nativeSettings(directory, options.settings.node, options.wantedRanges, environment)) : options.settings;
    store = await openStore(settings.server, directory, environment);
  } catch (error) {
    await commands?.close();
    throw error;
  }
  let serving = false;
  // Changes of state come in bursts; only the newest one is written, one write at a time.
  let writing: Promise<void> | undefined;
  let again = false;
  const record = (): void => {
    again = true;
    writing ??= (async () => {
      while (again) {
        again = false;
        const state = { ...claimed, ...(serving ? { server: cluster.url } : {}), containerRuntime: runtime, ...(settings.node.keepPods ? { keepPods: true } : {}), components: cluster.components };
        await writeRunState(directory, state).catch((error: unknown) => log.warn('cannot write the run state', { error: String(error) }));
      }
      writing = undefined;
    })();
  };
  const cluster = new Cluster(settings, { store, pki: filePkiStore(directory.pki) }, environment, record);
  const stop = async (): Promise<void> => {
    const end = howToEndPods(await readStopRequest(directory), settings.node.keepPods);
    if (end) await cluster.endPods(end.deadlineMilliseconds);
    else if (runtime === 'native') hooks.progress(podsGoOn(directory));
    await cluster.stop(STOP_MILLISECONDS);
    await commands?.close();
    await store.close();
    await writing;
  };
  const elapsed = (): number => Math.round(process.uptime() * 1000);
  try {
    let served: () => void = () => undefined;
    const answers = new Promise<void>((resolve) => (served = resolve));
    const started = cluster.start(hooks.interrupted, async () => {
      serving = true;
      served();
      await writeAtomically(directory.kubeconfig, renderConfig(cluster.kubeconfig));
      if (options.kubeconfig) await mergeAdminKubeconfig(directory, options.kubeconfig);
      record();
      hooks.progress(`API server ready at ${cluster.url} (${elapsed()} ms)`);
    });
    // A role that cannot start, as behind webhooks that deny everything, ends only when it is stopped.
    const begun = Promise.race([started, whenAborted(hooks.interrupted)]);
    // From then on whoever has locked the roles out can mend that.
    for (const step of [Promise.race([begun, answers]), begun]) await startInTime(step, options.readyTimeoutMilliseconds, environment.clock, () => cluster.whyNotStarted());
    await cluster.waitForNodes(options.readyTimeoutMilliseconds, hooks.interrupted);
  } catch (error) {
    await stop();
    if (hooks.interrupted.aborted) return 130;
    throw explainListenError(error);
  }
  const document: ReadyDocument = {
    event: 'ready',
    pid: process.pid,
    server: cluster.url,
    kubeconfig: directory.kubeconfig,
    dataDir: directory.path,
    nodes: cluster.nodes,
    containerRuntime: runtime,
    ...(choice.reason ? { containerRuntimeReason: choice.reason } : {}),
    version: VERSION,
    startupMilliseconds: elapsed(),
  };
  hooks.ready(document);
  await tellParent({ type: 'ready', document });
  await whenAborted(hooks.interrupted);
  hooks.progress('stopping …');
  await stop();
  return 0;
}

/** Adds what to do about it to an address that cannot be listened on. */
export function explainListenError(error: unknown): unknown {
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: 'choose another one with --secure-port (0 takes a free one)',
    EACCES: 'choose one above 1023 with --secure-port',
    EADDRNOTAVAIL: 'choose another address with --bind-address',
  };
  const text = advice[errorCode((error as { cause?: unknown } | undefined)?.cause) ?? ''];
  return text === undefined ? error : new KubeError('KUBE_LISTEN', `${errorMessage(error)}; ${text}`, { cause: error });
}
