import type { V1Container, V1EphemeralContainer } from '../../api/generated/types.js';
import { errorMessage } from '../../base/errors.js';
import { ensureImage } from '../images/ensure-image.js';
import { ConfigError, containerEnvironment } from '../references/environment.js';
import { expandVariables } from '../references/expand.js';
import { goDuration } from '../runtime/go-duration.js';
import type { ContainerConfig, Mount } from '../runtime/index.js';
import { newestContainer } from '../status/runtime-view.js';
import { withVolumeGroups } from '../volumes/volume-groups.js';
import { containerKind, runsToCompletion } from './container-kind.js';
import { runHook } from './hooks.js';
import { killContainer } from './kill-container.js';
import type { PodRun } from './pod-run.js';
import { ensureHostsFile, HOSTS_PATH } from './hosts-file.js';
import { oomScoreAdj } from './qos.js';
import { localSandboxConfig, sandboxConfig } from './sandbox-config.js';
import { specHash } from './spec-hash.js';
import { StartFailure } from './start-failure.js';
import { untilAborted } from './until-aborted.js';
import { verifyNotRoot } from './verify-user.js';

/** Starts a container: back-off, image, configuration, hooks. Throws a {@link StartFailure}, with the event already recorded. */
export async function startContainer(run: PodRun, container: V1Container): Promise<void> {
  const { node, pod } = run;
  const runtime = node.runtime.containers;
  waitForTurn(run, container);
  const event = (type: 'Normal' | 'Warning', reason: string, message: string): void => node.events.container(pod, container.name, type, reason, message);
  const fail = (reason: string, error: unknown): StartFailure => {
    event('Warning', 'Failed', `Error: ${errorMessage(error)}`);
    return new StartFailure(reason, errorMessage(error));
  };
  const { attempt } = run.sandbox!.metadata;
  const sandbox = withVolumeGroups(node.local ? await localSandboxConfig(pod, attempt, node.local) : sandboxConfig(pod, attempt), node.volumes.supplementalGroups(pod.metadata?.uid ?? ''));
  let imageRef: string;
  try {
    imageRef = await ensureImage(run, container, sandbox);
  } catch (error) {
    if (error instanceof StartFailure) event('Warning', 'Failed', `Error: ${error.reason}`);
    throw error instanceof StartFailure ? error : fail('ErrImagePull', error);
  }
  const config = await containerConfig(run, container, imageRef).catch((error: unknown) => {
    throw error instanceof ConfigError ? fail('CreateContainerConfigError', error) : error;
  });
  await discardOlder(run, container);
  let id: string;
  try {
    id = await runtime.createContainer(run.sandbox!.id, config, sandbox);
  } catch (error) {
    throw fail('CreateContainerError', error);
  }
  event('Normal', 'Created', 'Container created');
  try {
    await runtime.startContainer(id);
  } catch (error) {
    throw fail('RunContainerError', error);
  }
  event('Normal', 'Started', 'Container started');
  const hook = container.lifecycle?.postStart;
  if (!hook) return;
  try {
    await untilAborted(runHook(node, { pod, container, containerId: id, podIp: run.sandbox!.ips[0] ?? node.hostIps[0] ?? '' }, hook, 'postStart'), run.ends);
  } catch (error) {
    event('Warning', 'FailedPostStartHook', 'PostStartHook failed');
    await killContainer({ node, pod, container, containerId: id, message: 'FailedPostStartHook', reason: 'other' });
    throw new StartFailure('PostStartHookError', errorMessage(error));
  }
}

/** A container that keeps ending waits longer and longer before it is started again. */
function waitForTurn(run: PodRun, container: V1Container): void {
  const { node, pod, backoff } = run;
  const last = newestContainer(run.view, container.name);
  if (last?.state !== 'exited') return;
  const key = `${container.name}/${specHash(container)}`;
  const now = node.clock.now();
  const left = backoff.remaining(key, last.finishedAt, now);
  if (left <= 0) return backoff.next(key, last.finishedAt, now);
  const where = `${pod.metadata?.name}_${pod.metadata?.namespace}(${pod.metadata?.uid})`;
  node.events.container(pod, container.name, 'Warning', 'BackOff', `Back-off restarting failed container ${container.name} in pod ${where}`);
  run.wake(left);
  throw new StartFailure('CrashLoopBackOff', `back-off ${goDuration(backoff.delay(key))} restarting failed container=${container.name} pod=${where}`);
}

/** Of instances that have ended only the last one is kept: it is what `--previous` shows. Those that never ran are of a start that was cut short, and do not count. */
async function discardOlder(run: PodRun, container: V1Container): Promise<void> {
  const instances = run.view.containers.filter((item) => item.name === container.name && item.state !== 'running');
  const [, ...older] = instances.filter(({ state }) => state !== 'created');
  for (const old of [...instances.filter(({ state }) => state === 'created'), ...older]) await run.node.runtime.containers.removeContainer(old.id);
}

/** The hosts file, unless a volume takes its place, and the volumes. */
async function containerMounts(run: PodRun, container: V1Container, env: ReadonlyMap<string, string>, podIps: readonly string[]): Promise<readonly Mount[]> {
  const { node, pod } = run;
  const volumes = await node.volumes.containerMounts(pod, container, env).catch((error: unknown) => {
    throw new ConfigError(errorMessage(error));
  });
  if (!node.local || volumes.some((mount) => mount.containerPath === HOSTS_PATH)) return volumes;
  const hostPath = await ensureHostsFile(pod, node.local, podIps);
  return [...volumes, { containerPath: HOSTS_PATH, hostPath, readonly: false, propagation: 'private' }];
}

async function containerConfig(run: PodRun, container: V1Container, imageRef: string): Promise<ContainerConfig> {
  const { node, pod } = run;
  verifyNotRoot(pod, container, pod.spec?.securityContext?.runAsNonRoot || container.securityContext?.runAsNonRoot ? await node.runtime.images.imageStatus(imageRef) : undefined);
  const last = run.view.containers.find((item) => item.name === container.name && item.state !== 'created');
  const reported = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].find((status) => status.name === container.name);
  const attempt = last ? last.attempt + 1 : reported?.containerID ? reported.restartCount + 1 : 0;
  const podIps = pod.spec?.hostNetwork ? node.hostIps : run.sandbox!.ips;
  const env = await containerEnvironment({
    pod,
    container,
    facts: { podIps, hostIps: node.hostIps, allocatable: node.allocatable },
    references: node.references,
    services: node.services.variables(pod.metadata?.namespace ?? '', pod.spec?.enableServiceLinks !== false),
  });
  const ports = container.ports?.map((port) => port.containerPort);
  return {
    name: container.name,
    attempt,
    kind: containerKind(pod, container),
    runsToCompletion: runsToCompletion(pod, container),
    image: container.image ?? '',
    imageRef,
    command: (container.command ?? []).map((word) => expandVariables(word, env)),
    args: (container.args ?? []).map((word) => expandVariables(word, env)),
    workingDir: container.workingDir ?? '',
    envs: [...env].map(([name, value]) => ({ name, value })),
    mounts: await containerMounts(run, container, env, podIps),
    logPath: `${container.name}/${attempt}.log`,
    stdin: container.stdin === true,
    stdinOnce: container.stdinOnce === true,
    tty: container.tty === true,
    ...(container.resources ? { resources: container.resources } : {}),
    ...(container.securityContext ? { securityContext: container.securityContext } : {}),
    ...(node.local ? { oomScoreAdj: oomScoreAdj(pod, container, node.local.memoryBytes) } : {}),
    ...(container.lifecycle?.stopSignal ? { stopSignal: container.lifecycle.stopSignal } : {}),
    ...(container.volumeDevices?.length ? { devices: node.volumes.containerDevices(pod, container) } : {}),
    ...target(run, container),
    ...(ports?.length ? { ports } : {}),
    terminationMessagePath: container.terminationMessagePath ?? '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy ?? 'File',
    specHash: specHash(container),
  };
}

/** The container whose processes an ephemeral one joins. Throws a {@link ConfigError} when it does not run. */
function target(run: PodRun, container: V1Container): Pick<ContainerConfig, 'targetContainerId'> {
  const name = (container as V1EphemeralContainer).targetContainerName;
  if (!name) return {};
  const found = newestContainer(run.view, name);
  if (!found) throw new ConfigError(`unable to find target container "${name}"`);
  return { targetContainerId: found.id };
}
