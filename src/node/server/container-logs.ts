import type { V1ContainerStatus } from '../../api/generated/types.js';
import { containerStatus } from '../../api/helpers/pod-state.js';
import { containerSpec } from '../pods/container-kind.js';
import type { LogOptions } from '../runtime/index.js';
import { HttpError, requirePod, runtimeId, type PodDirectory } from './pod-directory.js';

/** The log that a path `/containerLogs/<namespace>/<pod>/<container>` and its query ask for. Throws an {@link HttpError}. */
export function containerLog(directory: PodDirectory, namespace: string, podName: string, container: string, query: URLSearchParams, signal: AbortSignal, now: number): AsyncIterable<Buffer> {
  const { pod, status, node } = requirePod(directory, namespace, podName);
  if (!containerSpec(pod, container)) throw new HttpError(404, `container "${container}" not found in pod "${podName}"`);
  const options = logOptions(query, signal, now);
  const id = logContainer(podName, container, containerStatus(status ?? pod.status, container), query.get('previous') === 'true');
  try {
    return node.runtime.containers.containerLogs(id, options);
  } catch (error) {
    throw new HttpError(400, error instanceof Error ? error.message : String(error));
  }
}

function logOptions(query: URLSearchParams, signal: AbortSignal, now: number): LogOptions {
  const whole = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null || text === '') return undefined;
    if (!/^-?\d+$/.test(text)) throw new HttpError(400, '{"message": "Unable to decode query."}');
    return Number(text);
  };
  const tail = query.get('tail') === 'all' ? undefined : (whole('tail') ?? whole('tailLines'));
  const limitBytes = whole('limitBytes');
  const sinceSeconds = whole('sinceSeconds');
  const sinceTime = query.get('sinceTime');
  const since = sinceTime ? Date.parse(sinceTime) : sinceSeconds === undefined ? undefined : now - sinceSeconds * 1000;
  const bad = (tail ?? 0) < 0 || (limitBytes ?? 1) < 1 || (sinceSeconds ?? 1) < 1 || (sinceTime !== null && sinceSeconds !== undefined) || Number.isNaN(since);
  if (bad) throw new HttpError(422, '{"message": "Invalid request."}');
  return {
    follow: query.get('follow') === 'true',
    timestamps: query.get('timestamps') === 'true',
    ...(tail === undefined ? {} : { tailLines: tail }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(since === undefined ? {} : { since }),
    signal,
  };
}

/** The instance whose log is meant; a 400 says why there is none. */
function logContainer(pod: string, container: string, status: V1ContainerStatus | undefined, previous: boolean): string {
  const refuse = (message: string): HttpError => new HttpError(400, message);
  const where = `container "${container}" in pod "${pod}"`;
  if (!status) throw refuse(`${where} is not available`);
  const last = status.lastState?.terminated;
  const { running, terminated, waiting } = status.state ?? {};
  if (previous) {
    if (!last?.containerID) throw refuse(`previous terminated ${where} not found`);
    return runtimeId(last.containerID);
  }
  if (running && status.containerID) return runtimeId(status.containerID);
  if (terminated ?? last) {
    const id = terminated?.containerID || last?.containerID;
    if (!id) throw refuse(`${where} is terminated`);
    return runtimeId(id);
  }
  switch (waiting?.reason) {
    case undefined:
      throw refuse(`${where} is waiting to start - no logs yet`);
    case 'ErrImagePull':
      throw refuse(`${where} is waiting to start: image can't be pulled`);
    case 'ImagePullBackOff':
      throw refuse(`${where} is waiting to start: trying and failing to pull image`);
    default:
      throw refuse(`${where} is waiting to start: ${waiting!.reason}`);
  }
}
