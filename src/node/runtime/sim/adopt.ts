import type { V1Container, V1ContainerStatus, V1Pod } from '../../../api/generated/types.js';
import { specHash } from '../../pods/spec-hash.js';
import { containerKind, runsToCompletion } from '../../pods/container-kind.js';
import { hasSimAnnotations, readBehaviour } from './behaviour.js';
import type { SimContainer, SimSandbox } from './records.js';
import { planRun } from './shell.js';
import { shellEnvironment } from './sim-streams.js';
import type { SimWorld } from './world.js';

const PREFIX = 'sim://';

/**
 * Makes the records of a pod that an earlier process simulated, from its status: what ran goes on as if it had run
 * all the time. Undefined when nothing of it ran.
 */
export function adoptPod(pod: V1Pod, world: SimWorld): { readonly sandbox: SimSandbox; readonly containers: readonly SimContainer[] } | undefined {
  const { metadata, spec, status } = pod;
  if (!metadata || !spec || !status || (status.phase !== 'Running' && status.phase !== 'Pending')) return undefined;
  const annotations = metadata.annotations ?? {};
  const hostNetwork = spec.hostNetwork === true;
  const created = Date.parse(status.startTime ?? '') || world.clock.now();
  const sandbox: SimSandbox = {
    id: world.id(),
    metadata: { name: metadata.name ?? '', namespace: metadata.namespace ?? '', uid: metadata.uid ?? '', attempt: 0 },
    annotations: hasSimAnnotations(annotations) ? annotations : {},
    hostname: spec.hostname ?? metadata.name ?? '',
    hostNetwork,
    createdAt: created,
    ready: true,
    ip: hostNetwork ? '' : (status.podIP ?? ''),
    containers: [],
  };
  const containers: SimContainer[] = [];
  const add = (specs: readonly V1Container[] | undefined, statuses: readonly V1ContainerStatus[] | undefined): void => {
    for (const container of specs ?? []) {
      const known = statuses?.find((item) => item.name === container.name);
      if (known?.containerID?.startsWith(PREFIX)) containers.push(record(pod, container, known, sandbox, created, world));
    }
  };
  add(spec.initContainers, status.initContainerStatuses);
  add(spec.containers, status.containerStatuses);
  if (containers.length === 0 || (!hostNetwork && sandbox.ip === '')) return undefined;
  return { sandbox, containers };
}

function record(pod: V1Pod, container: V1Container, status: V1ContainerStatus, sandbox: SimSandbox, created: number, world: SimWorld): SimContainer {
  const ended = status.state?.terminated ?? (status.state?.running ? undefined : status.lastState?.terminated);
  const config = {
    name: container.name, attempt: status.restartCount, kind: containerKind(pod, container), runsToCompletion: runsToCompletion(pod, container),
    image: status.image, imageRef: status.imageID, envs: [], specHash: specHash(container),
  };
  const command = [...(container.command ?? []), ...(container.command ? (container.args ?? []) : [])];
  return {
    id: status.containerID!.slice(PREFIX.length),
    sandbox,
    config,
    behaviour: readBehaviour(sandbox.annotations, container.name, world.latencies),
    run: command.length > 0 ? planRun(command, shellEnvironment({ sandbox, config })) : undefined,
    createdAt: Date.parse(status.state?.running?.startedAt ?? ended?.startedAt ?? '') || created,
    state: ended ? 'exited' : 'running',
    startedAt: Date.parse(status.state?.running?.startedAt ?? ended?.startedAt ?? '') || created,
    finishedAt: ended ? Date.parse(ended.finishedAt ?? '') || created : 0,
    exitCode: ended?.exitCode ?? 0,
    reason: ended?.reason ?? '',
    message: ended?.message ?? '',
    cancelExit: undefined,
    cancelStop: undefined,
    cancelReady: undefined,
    killAt: Infinity,
    waiters: undefined,
  };
}
