import type { V1Container, V1Probe } from '../../api/generated/types.js';
import type { Clock } from '../../base/clock.js';
import { errorCode } from '../../base/errors.js';
import { expandVariables } from '../references/expand.js';
import type { NodeRuntime, ProbeKind, ProbeOutcome } from '../runtime/index.js';
import { commandTimedOut, httpGet, tcpConnect } from './handlers.js';
import { grpcHealth } from './grpc.js';

/** What to probe. */
export interface ProbeTarget {
  readonly containerId: string;
  readonly container: V1Container;
  readonly podIp: string;
  readonly kind: ProbeKind;
  readonly probe: V1Probe;
  readonly clock: Clock;
}

/** A probe that could not be tried is tried so many times. */
const TRIES = 3;

/** Runs one probe. Rejects when it could not be tried at all; that counts as nothing. */
export async function runProbe(runtime: NodeRuntime['containers'], target: ProbeTarget): Promise<ProbeOutcome> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await runOnce(runtime, target);
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

async function runOnce(runtime: NodeRuntime['containers'], target: ProbeTarget): Promise<ProbeOutcome> {
  const { probe, container, podIp, clock } = target;
  if (runtime.probe) return runtime.probe(target.containerId, target.kind);
  const timeout = (probe.timeoutSeconds ?? 1) * 1000;
  if (probe.exec) {
    // Only what the spec itself says: values of other objects are not known here.
    const known = new Map((container.env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])));
    const command = (probe.exec.command ?? []).map((word) => expandVariables(word, known));
    try {
      const result = await runtime.execSync(target.containerId, command, timeout / 1000);
      const output = Buffer.concat([result.stdout, result.stderr]).toString('utf8', 0, 10 * 1024);
      return { success: result.exitCode === 0, output };
    } catch (error) {
      if (errorCode(error) === 'KUBE_RUNTIME_TIMEOUT') return { success: false, output: commandTimedOut(command, timeout) };
      throw error;
    }
  }
  if (probe.httpGet) return httpGet(probe.httpGet, { container, podIp, timeout, clock, purpose: 'probe' });
  if (probe.tcpSocket) return tcpConnect(probe.tcpSocket, container, podIp, timeout);
  if (probe.grpc) return grpcHealth(podIp, probe.grpc.port, probe.grpc.service ?? '', timeout, clock);
  throw new Error(`missing probe handler for ${container.name}`);
}
