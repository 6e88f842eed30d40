import type { V1Container, V1LifecycleHandler } from '../../api/generated/types.js';
import { sleep } from '../../base/clock.js';
import { containerPort, httpGet } from '../probes/handlers.js';
import type { NodeContext } from './node-context.js';

/** Runs a lifecycle hook to its end. Rejects when it fails. */
export async function runHook(node: NodeContext, container: V1Container, containerId: string, handler: V1LifecycleHandler, hook: 'postStart' | 'preStop', podIp: string): Promise<void> {
  const runtime = node.runtime.containers;
  if (handler.sleep) return sleep(node.clock, handler.sleep.seconds * 1000);
  if (runtime.runHook) return runtime.runHook(containerId, hook);
  if (handler.exec) {
    const result = await runtime.execSync(containerId, handler.exec.command ?? [], 0);
    if (result.exitCode !== 0) throw new Error(`command exited with ${result.exitCode}: ${Buffer.concat([result.stdout, result.stderr]).toString('utf8', 0, 1024)}`);
  } else if (handler.httpGet) {
    const outcome = await httpGet(handler.httpGet, container, podIp, 30_000, 'hook');
    if (!outcome.success) throw new Error(outcome.output);
  } else if (handler.tcpSocket && containerPort(container, handler.tcpSocket.port) === undefined) throw new Error(`couldn't find port: ${String(handler.tcpSocket.port)}`);
}
