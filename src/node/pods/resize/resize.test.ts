import type { V1Container, V1Pod, V1PodStatus } from '../../../api/generated/types.js';
import { FakeClock } from '../../../base/clock.js';
import type { ContainerStats, ContainerStatus, NodeRuntime, PodSandboxStatus } from '../../runtime/index.js';
import { NodeAdmission, type Rejection } from '../admission.js';
import { planPod } from '../plan.js';
import { actuate } from './actuate.js';
import { PendingResizes, type ResizingPod } from './pending-resizes.js';
import { needsRestart, PodResize } from './pod-resize.js';

type Resources = NonNullable<V1Container['resources']>;

const amounts = (cpu: string, memory: string): Resources => ({ requests: { cpu, memory }, limits: { cpu, memory } });

function pod(name: string, resources: Resources, more: { readonly status?: V1PodStatus; readonly priority?: number; readonly container?: Partial<V1Container> } = {}): V1Pod {
  const { status, priority, container } = more;
  return {
    metadata: { name, uid: name, generation: 2 },
    spec: { containers: [{ name: 'app', resources, ...container }], ...(priority === undefined ? {} : { priority }) },
    ...(status ? { status } : {}),
  };
}

const running = (id: string): ContainerStatus => ({
  id, sandboxId: 's', podUid: 'a', name: 'app', attempt: 0, kind: 'regular', state: 'running', createdAt: 0, startedAt: 0, finishedAt: 0, exitCode: 0, image: '', imageRef: '', reason: '', message: '', specHash: '',
});
const sandbox: PodSandboxStatus = { id: 's', metadata: { name: 'a', namespace: 'default', uid: 'a', attempt: 0 }, state: 'ready', createdAt: 0, ips: [], hostNetwork: false };

describe('what a pod was granted', () => {
  test('stays as it was until the node grants more; then its containers have to change', () => {
    const before = pod('a', amounts('100m', '64Mi'));
    const resize = new PodResize(before);
    expect(resize.changes(before, [running('1')])).toEqual([]);
    const after = pod('a', amounts('200m', '64Mi'));
    expect(resize.isPending(after)).toBe(true);
    expect(resize.effective(after).spec?.containers[0]?.resources).toEqual(amounts('100m', '64Mi'));
    resize.grant(after, 0);
    expect(resize.isPending(after)).toBe(false);
    expect(resize.conditions).toMatchObject([{ type: 'PodResizeInProgress', status: 'True', observedGeneration: 2 }]);
    expect(resize.changes(after, [running('1')])).toMatchObject([{ from: amounts('100m', '64Mi'), to: amounts('200m', '64Mi') }]);
    resize.has('1', amounts('200m', '64Mi'));
    expect(resize.changes(after, [running('1')])).toEqual([]);
    expect(resize.completed()).toEqual({ generation: 2 });
    expect(resize.conditions).toEqual([]);
  });

  test('other ways to write the same amounts are no change', () => {
    const resize = new PodResize(pod('a', amounts('1', '1Gi')));
    expect(resize.isPending(pod('a', amounts('1000m', '1024Mi')))).toBe(false);
  });

  test('a new process takes it from the status, so that what was not made is decided anew', () => {
    const status: V1PodStatus = {
      startTime: '2026-01-01T00:00:00Z',
      containerStatuses: [{ name: 'app', image: '', imageID: '', ready: true, restartCount: 0, containerID: 'runc://1', state: { running: {} }, resources: amounts('100m', '64Mi') }],
    };
    const asked = pod('a', amounts('200m', '64Mi'), { status });
    const resize = new PodResize(asked);
    expect(resize.isPending(asked)).toBe(true);
    resize.grant(asked, 0);
    expect(resize.changes(asked, [running('1')])).toMatchObject([{ from: amounts('100m', '64Mi') }]);
  });

  test('waiting is told once for each generation', () => {
    const asked = pod('a', amounts('200m', '64Mi'));
    const resize = new PodResize(pod('a', amounts('100m', '64Mi')));
    const full: Rejection = { reason: 'OutOfcpu', message: 'full' };
    expect([resize.defer(asked, full, 0), resize.defer(asked, full, 1000)]).toEqual([true, false]);
    expect(resize.conditions).toMatchObject([{ type: 'PodResizePending', reason: 'Deferred', message: 'full', lastTransitionTime: '2026-01-01T00:00:00Z'.replace('2026', '1970') }]);
    expect(resize.settle()).toBe(true);
    expect(resize.settle()).toBe(false);
  });
});

describe('making a change', () => {
  function runtime(usage: number): { readonly calls: string[]; readonly containers: NodeRuntime['containers'] } {
    const calls: string[] = [];
    const parts: Partial<NodeRuntime['containers']> = {
      updateContainerResources: (id, resources) => Promise.resolve(void calls.push(`${id} ${resources.limits?.['memory']}`)),
      updatePodSandboxResources: (id, resources) => Promise.resolve(void calls.push(`${id} ${resources.limits?.['memory']}`)),
      containerStats: () => Promise.resolve([{ containerId: '1', name: 'app', at: 0, cpuNanoseconds: 0, cpuMillicores: 0, memoryWorkingSetBytes: usage } satisfies ContainerStats]),
    };
    return { calls, containers: parts as NodeRuntime['containers'] };
  }

  async function change(from: string, to: string, usage = 0): Promise<readonly string[]> {
    const before = pod('a', amounts('1', from));
    const resize = new PodResize(before);
    resize.changes(before, [running('1')]);
    const after = pod('a', amounts('1', to));
    resize.grant(after, 0);
    const { calls, containers } = runtime(usage);
    await actuate(containers, after, sandbox, resize, resize.changes(after, [running('1')]));
    expect(resize.changes(after, [running('1')])).toEqual([]);
    return calls;
  }

  test('the pod\'s group grows before its containers, and shrinks after them', async () => {
    expect(await change('64Mi', '128Mi')).toEqual(['s 128Mi', '1 128Mi']);
    expect(await change('128Mi', '64Mi')).toEqual(['1 64Mi', 's 64Mi']);
  });

  test('memory does not go below what is in use', async () => {
    await expect(change('128Mi', '1Mi', 2 * 1024 * 1024)).rejects.toThrow(
      'cannot decrease memory limits: [attempting to set pod memory limit (1048576) below current usage (2097152), attempting to set container "app" memory limit (1048576) below current usage (2097152)]',
    );
  });

  test('a container whose policy says so begins anew', () => {
    const container = { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] };
    const changed = (cpu: string, memory: string): boolean => {
      const before = pod('a', amounts('1', '64Mi'), { container });
      const resize = new PodResize(before);
      resize.changes(before, [running('1')]);
      const after = pod('a', amounts(cpu, memory), { container });
      resize.grant(after, 0);
      return resize.changes(after, [running('1')]).some(needsRestart);
    };
    expect([changed('2', '64Mi'), changed('1', '128Mi')]).toEqual([false, true]);
    const view = { sandboxes: [sandbox], containers: [{ ...running('1'), specHash: '' }], readySandbox: sandbox };
    const plan = planPod(pod('a', amounts('1', '1Mi')), view, { failed: () => false, knowsStartup: () => true }, false, new Set(['1']));
    expect(plan.kill).toHaveLength(1);
    expect(plan.start).toHaveLength(1);
  });
});

describe('room on the node', () => {
  interface Waiting extends ResizingPod {
    granted: boolean;
    deferred: string | undefined;
  }

  function waiting(name: string, from: string, to: string, priority = 0): Waiting {
    const made: Waiting = {
      latest: pod(name, amounts(to, '1Mi'), { priority }), allocated: pod(name, amounts(from, '1Mi'), { priority }), resizePendingSince: undefined, granted: false, deferred: undefined,
      get resizePending() {
        return !made.granted;
      },
      grantResize: () => void (made.granted = true),
      deferResize: (rejection) => void (made.deferred = rejection.message),
    };
    return made;
  }

  test('a pod keeps what it had while there is none, and what shrinks makes room for what waits, the important first', async () => {
    const clock = new FakeClock();
    const admission = new NodeAdmission(() => ({ cpu: '4', memory: '1Gi', pods: '9' }));
    const pods = [waiting('low', '1', '2'), waiting('high', '1', '2', 5), waiting('other', '2', '1')];
    for (const item of pods) expect(admission.admit(item.allocated, undefined)).toBeUndefined();
    const resizes = new PendingResizes<Waiting>(clock, (item) => admission.resize(item.latest, undefined));
    resizes.push(pods[0]!);
    expect(pods[0]!.deferred).toBe('Node didn\'t have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000');
    resizes.push(pods[1]!);
    expect(pods.map(({ granted }) => granted)).toEqual([false, false, false]);
    resizes.push(pods[2]!);
    expect(pods.map(({ granted }) => granted)).toEqual([false, true, true]);
    admission.release('other');
    await clock.advance(180_000);
    expect(pods[0]!.granted).toBe(true);
    expect(clock.pending).toBe(0);
  });
});
