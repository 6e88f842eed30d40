import type { V1Container, V1HTTPGetAction, V1LifecycleHandler, V1Pod } from '../../api/generated/types.js';
import { sleep } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import { httpGet, type HttpCall } from '../probes/handlers.js';
import type { NodeContext } from './node-context.js';

/** What a lifecycle hook belongs to. */
export interface HookTarget {
  readonly pod: V1Pod;
  readonly container: V1Container;
  readonly containerId: string;
  readonly podIp: string;
}

/** Runs a lifecycle hook to its end. Rejects when it fails, with a message that names it. */
export async function runHook(node: NodeContext, target: HookTarget, handler: V1LifecycleHandler, hook: 'postStart' | 'preStop'): Promise<void> {
  const runtime = node.runtime.containers;
  const { pod, container, containerId } = target;
  const failed = (what: string, error: string): Error => {
    const { name, namespace, uid } = pod.metadata ?? {};
    return new Error(`${what} for Container "${container.name}" in Pod "${name}_${namespace}(${uid})" failed - error: ${error}`);
  };
  if (handler.sleep) return sleep(node.clock, handler.sleep.seconds * 1000);
  if (runtime.runHook) return runtime.runHook(containerId, hook);
  if (handler.exec) {
    const command = handler.exec.command ?? [];
    const what = `Exec lifecycle hook ([${command.join(' ')}])`;
    const result = await runtime.execSync(containerId, command, 0).catch((error: unknown) => {
      throw failed(what, `${errorMessage(error)}, message: ""`);
    });
    const output = Buffer.concat([result.stdout, result.stderr]).toString('utf8', 0, 1024);
    if (result.exitCode !== 0) throw failed(what, `command '${command.join(' ')}' exited with ${result.exitCode}: ${result.stderr.toString('utf8', 0, 1024)}, message: ${JSON.stringify(output)}`);
  } else if (handler.httpGet) {
    const error = await callHook(node, target, handler.httpGet);
    if (error !== undefined) throw failed(`HTTP lifecycle hook (${handler.httpGet.path ?? ''})`, error);
  } else throw failed('Lifecycle hook', 'invalid handler');
}

/** Any answer will do: only a request that gets none has failed. A server that does not speak TLS after all is asked without. */
async function callHook(node: NodeContext, { pod, container, podIp }: HookTarget, action: V1HTTPGetAction): Promise<string | undefined> {
  const call: HttpCall = { container, podIp, timeout: undefined, clock: node.clock, purpose: 'lifecycle' };
  try {
    const outcome = await httpGet(action, call);
    if (outcome.success || !outcome.output.startsWith('Get "')) return undefined;
    if (!/wrong version number|packet length too long/i.test(outcome.output)) return outcome.output;
    const plain = await httpGet(action, { ...call, scheme: 'http' });
    if (!plain.success && plain.output.startsWith('Get "')) return outcome.output;
    node.events.pod(pod, 'Warning', 'LifecycleHTTPFallback', `request to HTTPS lifecycle hook ${action.host || podIp}:${String(action.port)} got HTTP response, retry with HTTP succeeded`);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
