import { errorMessage } from '../../../base/errors.js';
import { killContainers, stopSandboxes } from '../kill-pod.js';
import type { PodStep } from '../pod-run.js';
import { localSandboxConfig, sandboxConfig } from '../sandbox-config.js';

/** The pod's sandbox: made when there is none that is ready, stopped when nothing will run in it any more. */
export const sandboxStep: PodStep = {
  name: 'sandbox',
  async prepare(run) {
    const { node, pod, plan, view } = run;
    const runtime = node.runtime.containers;
    if (plan.killPod) {
      if (plan.createSandbox && view.sandboxes.length > 0) node.events.pod(pod, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
      await killContainers({ node, pod, view });
      await stopSandboxes(node, view);
    }
    run.sandbox = view.readySandbox;
    if (!plan.createSandbox || run.ending()) return;
    await node.failpoints.hit('pod-start');
    if (!pod.spec?.hostNetwork) await node.networkReady();
    if (run.ending()) return;
    let id: string;
    try {
      id = await runtime.runPodSandbox(node.local ? await localSandboxConfig(pod, plan.attempt, node.local) : sandboxConfig(pod, plan.attempt));
    } catch (error) {
      if (!run.ending()) node.events.pod(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${errorMessage(error)}`);
      throw error;
    }
    run.sandbox = await runtime.podSandboxStatus(id);
    // Sandboxes before it hold nothing but ended containers; the last one's are still shown.
    for (const old of view.sandboxes.slice(1)) await runtime.removePodSandbox(old.id);
    run.refresh();
  },
  async teardown({ node, view }) {
    await stopSandboxes(node, view);
  },
};
