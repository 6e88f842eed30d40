import { loadRoles, type RoleRunOptions } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import type { Role } from '../config-file.js';
import { dataDirectory, duration } from '../output.js';
import { controllersSettings, nodeSettings, serverSettings, wantedRanges } from '../settings.js';

function common(input: CommandInput, role: Role): RoleRunOptions {
  const { io } = input;
  const flags = input.section(role);
  return {
    directory: dataDirectory(input),
    ...(flags.kubeconfig ? { kubeconfig: flags.kubeconfig } : {}),
    leaderElect: flags['leader-elect'] ?? false,
    readyTimeoutMilliseconds: duration('timeout', flags.timeout),
    logLevel: flags['log-level']!,
    interrupted: io.interrupted,
    ready: (document) => io.out(flags.output === 'json' ? JSON.stringify(document) : `${document.component} ready${document.server ? `: ${document.server}` : ''}${document.kubeconfig ? `; kubeconfig ${document.kubeconfig}` : ''}`),
  };
}

/** `kube server`. */
export async function runServer(input: CommandInput): Promise<number> {
  const { runServerRole } = await loadRoles();
  return runServerRole(serverSettings(input.section('server'), input.io.environment), common(input, 'server'));
}

/** `kube scheduler`. */
export async function runScheduler(input: CommandInput): Promise<number> {
  const { runSchedulerRole } = await loadRoles();
  return runSchedulerRole(common(input, 'scheduler'));
}

/** `kube controllers`. */
export async function runControllers(input: CommandInput): Promise<number> {
  const { runControllersRole } = await loadRoles();
  return runControllersRole(controllersSettings(input.section('controllers')), common(input, 'controllers'));
}

/** `kube node`. */
export async function runNode(input: CommandInput): Promise<number> {
  const { runNodeRole } = await loadRoles();
  const flags = input.section('node');
  return runNodeRole(nodeSettings(flags), wantedRanges(flags), common(input, 'node'));
}
