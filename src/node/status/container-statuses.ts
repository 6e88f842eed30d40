import type { V1Container, V1ContainerState, V1ContainerStatus, V1Pod, V1ResourceRequirements } from '../../api/generated/types.js';
import { isSidecar } from '../../api/helpers/pod-containers.js';
import type { ContainerStatus } from '../runtime/index.js';
import { timestamp } from '../../api/meta/timestamp.js';
import { RESTARTING_ALL } from './phase.js';
import { shouldStart } from './restart-rules.js';
import { newestContainer, type PodRuntimeView } from './runtime-view.js';

/** Why a container could not be started. */
export interface WaitingReason {
  /** `CrashLoopBackOff`, `ErrImagePull`, `CreateContainerConfigError`, … */
  readonly reason: string;
  readonly message: string;
}

/** What probes say. */
export interface ProbeView {
  /** The startup probe has succeeded, or there is none. */
  isStarted(pod: V1Pod, container: V1Container, status: ContainerStatus): boolean;
  /** The readiness probe succeeds, or there is none. */
  isReady(pod: V1Pod, container: V1Container, status: ContainerStatus): boolean;
}

export interface ContainerStatusInput {
  readonly pod: V1Pod;
  readonly view: PodRuntimeView;
  readonly runtimeName: string;
  readonly reasons: ReadonlyMap<string, WaitingReason>;
  readonly probes: ProbeView;
  readonly restartingAll: boolean;
  /** What a running container has; default: what its spec says. */
  readonly actuated?: (status: ContainerStatus) => V1ResourceRequirements;
}

type Kind = 'init' | 'regular' | 'ephemeral';

/** Statuses of one list of containers, in the order of the spec. `previous` is what was reported before. */
export function containerStatuses(
  input: ContainerStatusInput,
  containers: readonly V1Container[],
  kind: Kind,
  previous: readonly V1ContainerStatus[] | undefined,
): V1ContainerStatus[] {
  return containers.map((container) => statusOf(input, container, kind, previous?.find((status) => status.name === container.name)));
}

function statusOf(input: ContainerStatusInput, container: V1Container, kind: Kind, old: V1ContainerStatus | undefined): V1ContainerStatus {
  const { pod, view, reasons } = input;
  // One that was made and is not started yet is not there for anybody else.
  const instances = view.containers.filter((item) => item.name === container.name && item.state !== 'created');
  const newest = instances[0];
  let status = newest ? fromInstances(input, container, kind, newest, instances[1], old) : withoutInstance(input, container, kind, old);
  const waits = reasons.get(container.name);
  // An init container that succeeded is never started again, whatever the policy says.
  const done = kind === 'init' && newest?.state === 'exited' && newest.exitCode === 0 && !isSidecar(container);
  if (waits && !done && shouldStart(container, pod, view)) {
    const lastState = status.state?.terminated ? status.state : status.lastState;
    status = { ...status, state: { waiting: { ...(waits.message === '' ? {} : { message: waits.message }), reason: waits.reason } }, lastState: lastState ?? {} };
  }
  const running = status.state?.running !== undefined && newest !== undefined;
  const started = running && input.probes.isStarted(pod, container, newest);
  let ready = false;
  if (kind === 'init' && !isSidecar(container)) ready = status.state?.terminated?.exitCode === 0;
  else if (kind !== 'ephemeral') ready = started && input.probes.isReady(pod, container, newest!);
  return { ...status, ready, started };
}

/** The fields that do not depend on the runtime. */
function frame(container: V1Container): Pick<V1ContainerStatus, 'name' | 'image' | 'imageID' | 'ready' | 'restartCount' | 'lastState' | 'volumeMounts'> {
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: '',
    ready: false,
    restartCount: 0,
    lastState: {},
    ...(container.volumeMounts?.length
      ? {
          volumeMounts: container.volumeMounts.map((mount) => ({
            name: mount.name,
            mountPath: mount.mountPath,
            ...(mount.readOnly ? { readOnly: true, recursiveReadOnly: mount.recursiveReadOnly === 'Enabled' || mount.recursiveReadOnly === 'IfPossible' ? 'Enabled' : 'Disabled' } : {}),
          })),
        }
      : {}),
  };
}

function fromInstances(input: ContainerStatusInput, container: V1Container, kind: Kind, newest: ContainerStatus, before: ContainerStatus | undefined, old: V1ContainerStatus | undefined): V1ContainerStatus {
  const containerID = `${input.runtimeName}://${newest.id}`;
  let restartCount = Math.max(newest.attempt, old?.restartCount ?? 0);
  // Where the runtime lost the previous instance, what was reported of it stays.
  let lastState: V1ContainerState | undefined = before ? stateOf(input, before) : undefined;
  if (!lastState?.terminated) {
    const ended = old?.containerID !== containerID ? old?.state?.terminated : undefined;
    lastState = ended ? { terminated: ended } : (old?.lastState ?? {});
  }
  if (newest.state === 'running' && old?.state?.terminated && old.containerID !== containerID && old.restartCount >= newest.attempt) restartCount = old.restartCount + 1;
  const { resources } = container;
  const held = newest.state === 'running' && input.actuated && kind !== 'ephemeral' ? input.actuated(newest) : resources;
  return {
    ...frame(container),
    image: newest.image,
    imageID: newest.imageRef,
    containerID,
    restartCount,
    state: stateOf(input, newest),
    lastState,
    resources: held ? { ...(held.limits ? { limits: held.limits } : {}), ...(held.requests ? { requests: held.requests } : {}) } : {},
    ...(resources?.requests && Object.keys(resources.requests).length > 0 ? { allocatedResources: resources.requests } : {}),
    ...(newest.user ? { user: { linux: { uid: newest.user.uid, gid: newest.user.gid, supplementalGroups: newest.user.supplementalGroups } } } : {}),
  };
}

function stateOf(input: ContainerStatusInput, instance: ContainerStatus): V1ContainerState {
  switch (instance.state) {
    case 'running':
      return { running: { startedAt: timestamp(instance.startedAt) } };
    case 'exited':
      return {
        terminated: {
          exitCode: instance.exitCode,
          ...(instance.reason === '' ? {} : { reason: instance.reason }),
          ...(instance.message === '' ? {} : { message: instance.message }),
          startedAt: instance.startedAt === 0 ? null : timestamp(instance.startedAt),
          finishedAt: timestamp(instance.finishedAt),
          containerID: `${input.runtimeName}://${instance.id}`,
        } as NonNullable<V1ContainerState['terminated']>,
      };
    default:
      return { waiting: {} };
  }
}

function withoutInstance(input: ContainerStatusInput, container: V1Container, kind: Kind, old: V1ContainerStatus | undefined): V1ContainerStatus {
  const { pod, view } = input;
  const waiting: V1ContainerState = { waiting: { reason: pod.spec?.initContainers?.length ? 'PodInitializing' : 'ContainerCreating' } };
  const fresh: V1ContainerStatus = { ...frame(container), state: waiting };
  // Old init containers are cleaned up; once a regular one exists they must have succeeded.
  if (kind === 'init' && !isSidecar(container) && !old?.state?.terminated && pod.spec?.containers.some(({ name }) => newestContainer(view, name))) {
    return {
      ...fresh,
      restartCount: old?.restartCount ?? 0,
      state: { terminated: { exitCode: 0, reason: 'Completed', message: 'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally' } },
    };
  }
  if (!old) return fresh;
  const lost = (reason: string, message: string): V1ContainerState => ({ terminated: { exitCode: 137, reason, message } });
  if (input.restartingAll && !old.state?.waiting) {
    const message = 'The container is removed because RestartAllContainers in place';
    return { ...fresh, restartCount: old.restartCount + 1, state: { waiting: { reason: RESTARTING_ALL, message } }, lastState: lost(RESTARTING_ALL, message) };
  }
  if (old.state?.terminated) return old;
  const kept = { ...fresh, restartCount: old.restartCount, lastState: old.lastState ?? {} };
  if (!old.state?.running || kept.lastState.terminated) return kept;
  return {
    ...kept,
    restartCount: old.restartCount + (pod.metadata?.deletionTimestamp ? 0 : 1),
    lastState: lost('ContainerStatusUnknown', 'The container could not be located when the pod was deleted.  The container used to be Running'),
  };
}
