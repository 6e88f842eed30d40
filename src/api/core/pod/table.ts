import type { V1ContainerStatus, V1Pod } from '../../generated/types.js';
import { isConditionTrue } from '../../helpers/conditions.js';
import { humanDuration } from '../../helpers/duration.js';
import { isSidecar } from '../../helpers/pod-containers.js';
import { isPodTerminal } from '../../helpers/pod-state.js';
import { AGE, NAME, text } from '../../scheme/columns.js';
import type { TableColumn } from '../../scheme/kind.js';

/** What `kubectl get pods` says about a pod, worked out from its statuses. */
interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  /** Milliseconds; 0 when nothing was restarted. */
  readonly lastRestart: number;
}

/** Columns of the table of pods. */
export const podColumns: readonly TableColumn<V1Pod>[] = [
  NAME,
  text('Ready', (pod) => {
    const { ready, total } = summarize(pod);
    return `${ready}/${total}`;
  }),
  text('Status', (pod) => summarize(pod).status),
  { name: 'Restarts', type: 'string', cell: (pod, now) => restartsText(summarize(pod), now) },
  AGE,
  text('IP', (pod) => pod.status?.podIPs?.[0]?.ip || pod.status?.podIP || '<none>', 1),
  text('Node', (pod) => pod.spec?.nodeName || '<none>', 1),
  text('Nominated Node', (pod) => pod.status?.nominatedNodeName || '<none>', 1),
  text('Readiness Gates', (pod) => {
    const gates = pod.spec?.readinessGates ?? [];
    if (gates.length === 0) return '<none>';
    return `${gates.filter((gate) => isConditionTrue(pod.status?.conditions, gate.conditionType)).length}/${gates.length}`;
  }, 1),
];

function restartsText({ restarts, lastRestart }: PodSummary, now: number): string {
  return restarts > 0 && lastRestart > 0 ? `${restarts} (${humanDuration(now - lastRestart)} ago)` : String(restarts);
}

/** Adds up restarts and remembers the last one. */
class Restarts {
  count = 0;
  last = 0;

  add(status: V1ContainerStatus): void {
    this.count += status.restartCount ?? 0;
    const finished = status.lastState?.terminated?.finishedAt;
    if (finished) this.last = Math.max(this.last, Date.parse(finished) || 0);
  }
}

function summarize(pod: V1Pod): PodSummary {
  const { status } = pod;
  const sidecars = new Set((pod.spec?.initContainers ?? []).filter(isSidecar).map((container) => container.name));
  const total = (pod.spec?.containers?.length ?? 0) + sidecars.size;
  let reason = status?.reason || (status?.phase ?? '');
  if (status?.conditions?.some((condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated')) reason = 'SchedulingGated';

  const all = new Restarts();
  const running = new Restarts();
  let ready = 0;
  let initializing: string | undefined;
  for (const [i, container] of (status?.initContainerStatuses ?? []).entries()) {
    all.add(container);
    const sidecar = sidecars.has(container.name);
    if (sidecar) running.add(container);
    if (container.state?.terminated?.exitCode === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready) ready++;
      continue;
    }
    initializing = initReason(container, i, pod.spec?.initContainers?.length ?? 0);
    break;
  }
  let counted = all;
  if (initializing !== undefined) reason = initializing;
  if (initializing === undefined || isConditionTrue(status?.conditions, 'Initialized')) {
    counted = running;
    const main = mainReason(pod, reason, running);
    reason = main.reason;
    ready += main.ready;
  }
  if (pod.metadata?.deletionTimestamp !== undefined) {
    if (status?.reason === 'NodeLost') reason = 'Unknown';
    else if (!isPodTerminal(pod)) reason = 'Terminating';
  }
  return { ready, total, status: reason, restarts: counted.count, lastRestart: counted.last };
}

function initReason(container: V1ContainerStatus, index: number, count: number): string {
  const { terminated, waiting } = container.state ?? {};
  if (terminated) {
    if (terminated.reason) return `Init:${terminated.reason}`;
    return terminated.signal ? `Init:Signal:${terminated.signal}` : `Init:ExitCode:${terminated.exitCode ?? 0}`;
  }
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
  return `Init:${index}/${count}`;
}

/** The first container (they are looked at from the last) with something to say gives the reason. */
function mainReason(pod: V1Pod, initial: string, restarts: Restarts): { reason: string; ready: number } {
  let reason = initial;
  let ready = 0;
  let errorReason = '';
  let hasRunning = false;
  for (const container of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    restarts.add(container);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) {
      reason = terminated.reason || (terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`);
      if (terminated.exitCode) errorReason = reason;
    } else if (container.ready && running) {
      hasRunning = true;
      ready++;
    }
  }
  if (reason === 'Completed') {
    if (hasRunning && isConditionTrue(pod.status?.conditions, 'Ready')) reason = 'Running';
    else if (errorReason !== '') reason = errorReason;
    else if (hasRunning) reason = 'NotReady';
  }
  return { reason, ready };
}
