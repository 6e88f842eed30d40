import { loadStatus, type ClusterStatus } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { dataDirectory, print } from '../output.js';

/** `kube status`: exit code 0 when the cluster runs, 1 otherwise. */
export async function status(input: CommandInput): Promise<number> {
  const clusterStatus = await loadStatus();
  const document = await clusterStatus(dataDirectory(input));
  print(input, document, text);
  return document.state === 'running' ? 0 : 1;
}

function text(status: ClusterStatus): string {
  const alone = status.components.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ');
  if (status.state === 'stopped') return `stopped: no cluster runs in ${status.dataDir}${alone === '' ? '' : `; without a server: ${alone}`}`;
  const lines = [`${status.state}${status.pid === null ? '' : ` (pid ${status.pid})`}${status.message ? `: ${status.message}` : ''}`];
  if (status.server) lines.push(`server      ${status.server}`);
  if (status.kubeconfig) lines.push(`kubeconfig  ${status.kubeconfig}`);
  if (status.containerRuntime) lines.push(`pods        ${status.containerRuntime === 'sim' ? 'simulated' : status.containerRuntime}`);
  for (const component of status.components) lines.push(`component   ${component.name}: ${component.state}${component.pid === undefined ? '' : ` (pid ${component.pid})`}${component.message ? ` (${component.message})` : ''}`);
  const ready = status.nodes.filter((node) => node.ready).length;
  if (status.nodes.length > 10) lines.push(`nodes       ${ready} of ${status.nodes.length} ready`);
  else for (const node of status.nodes) lines.push(`node        ${node.name}: ${node.ready ? 'ready' : 'not ready'}`);
  return lines.join('\n');
}
