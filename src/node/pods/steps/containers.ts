import type { V1Container } from '../../../api/generated/types.js';
import { isSidecar } from '../../../api/helpers/pod-containers.js';
import { killContainer } from '../kill-container.js';
import { killContainers } from '../kill-pod.js';
import type { PodRun, PodStep } from '../pod-run.js';
import { startContainer } from '../start-container.js';
import { StartFailure } from '../start-failure.js';
import { untilAborted } from '../until-aborted.js';

/** The pod's containers: unfit ones are ended, missing ones started in order. */
export const containersStep: PodStep = {
  name: 'containers',
  async prepare(run) {
    const { node, pod, plan } = run;
    const runtime = node.runtime.containers;
    for (const status of plan.reset) {
      await runtime.stopContainer(status.id, 0);
      await runtime.removeContainer(status.id);
    }
    if (plan.reset.length > 0) return run.wake(0);
    if (!plan.killPod) {
      // The grace period of a probe may be long; a deleted pod has one of its own.
      await untilAborted(Promise.all(plan.kill.map((action) => killContainer({ node, pod, container: action.container, containerId: action.status.id, message: action.message, reason: action.reason }))), run.ends);
    }
    // What was killed just now is started by the next pass, which knows how it ended.
    if (plan.kill.length > 0) run.wake(0);
    if (!run.sandbox) return;
    const killed = new Set(plan.kill.map((action) => action.container.name));
    for (const container of plan.start) {
      if (run.ending()) return;
      if (!killed.has(container.name) && !(await start(run, container)) && isInit(run, container)) return;
    }
  },
  async teardown({ node, pod, view, graceSeconds, onShorterGrace }) {
    const kill = (): Promise<void> => killContainers({ node, pod, view, graceSeconds: graceSeconds() });
    let shorter: Promise<unknown> = Promise.resolve();
    const end = onShorterGrace(() => {
      const seconds = Math.max(1, graceSeconds() ?? 1);
      shorter = Promise.all(view.containers.filter((status) => status.state === 'running').map((status) => node.runtime.containers.stopContainer(status.id, seconds)));
    });
    try {
      await kill();
      await shorter;
    } finally {
      end();
    }
  },
};

/** False when it could not be started; the reason is kept for the status. */
async function start(run: PodRun, container: V1Container): Promise<boolean> {
  try {
    await startContainer(run, container);
    run.reasons.delete(container.name);
    return true;
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    run.reasons.set(container.name, { reason: error.reason, message: error.message });
    // Those that back off have said when; the rest is tried again soon.
    if (error.reason !== 'CrashLoopBackOff' && error.reason !== 'ImagePullBackOff' && error.reason !== 'ErrImagePull') run.wake(RETRY);
    return false;
  }
}

const RETRY = 10_000;

function isInit(run: PodRun, container: V1Container): boolean {
  return !isSidecar(container) && (run.pod.spec?.initContainers?.includes(container) ?? false);
}
