import type { V1Node } from '../../api/generated/types.js';
import { LEASES, NODES, PODS } from '../../api/resource-refs.js';
import { nodeIpamController } from '../node-ipam/descriptor.js';
import { taintEvictionController } from '../taint-eviction/descriptor.js';
import { startControllers } from '../testing/test-context.js';
import { nodeLifecycleController } from './descriptor.js';
import { wantedTaints, withEvictionTaint, withScheduleTaints } from './taints.js';
import { evictionRate } from './zones.js';

const node = (name: string, ready = 'True'): V1Node => ({
  apiVersion: 'v1', kind: 'Node', metadata: { name },
  status: { conditions: [{ type: 'Ready', status: ready, lastHeartbeatTime: '2026-01-01T00:00:00Z' }] },
});

const taintsOf = (object: V1Node | undefined): string[] => (object?.spec?.taints ?? []).map((taint) => `${taint.key}:${taint.effect}`).sort();

test('a silent node becomes Unknown, is tainted, and frees its pods by their tolerations', async () => {
  const harness = await startControllers([nodeLifecycleController, taintEvictionController], (api) => {
    api.seed(NODES, node('n'));
    api.seed(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'n', namespace: 'kube-node-lease' }, spec: { renewTime: '2026-01-01T00:00:00.000000Z' } });
    const pod = (name: string, seconds: number | undefined) => ({
      apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' },
      spec: { nodeName: 'n', containers: [], tolerations: seconds === undefined ? [] : [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    api.seed(PODS, pod('strict', undefined));
    api.seed(PODS, pod('patient', 300));
  });
  await harness.settle(30_000);
  expect(taintsOf(harness.api.find(NODES, '', 'n'))).toEqual([]);
  for (let i = 0; i < 6; i++) await harness.settle(5_000);
  expect(harness.api.find(NODES, '', 'n')?.status?.conditions?.find((condition) => condition.type === 'Ready')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' });
  expect(taintsOf(harness.api.find(NODES, '', 'n'))).toEqual(['node.kubernetes.io/unreachable:NoExecute', 'node.kubernetes.io/unreachable:NoSchedule']);
  expect(harness.api.find(PODS, 'default', 'strict')).toBeUndefined();
  expect(harness.api.find(PODS, 'default', 'patient')?.status?.conditions?.find((condition) => condition.type === 'Ready')?.status).toBe('False');
  for (let i = 0; i < 70; i++) await harness.settle(5_000);
  expect(harness.api.find(PODS, 'default', 'patient')).toBeUndefined();
  expect(harness.events).toContain('Normal NodeNotReady Node n status is now: NodeNotReady');
  await harness.stop();
});

test('each node gets a part of the range of its own, also beside those given before', async () => {
  const harness = await startControllers([nodeIpamController], (api) => {
    api.seed(NODES, { ...node('old'), spec: { podCIDR: '10.244.0.0/24' } });
    api.seed(NODES, node('a'));
    api.seed(NODES, node('b'));
  });
  await harness.settle();
  const cidrs = ['old', 'a', 'b'].map((name) => harness.api.find(NODES, '', name)?.spec?.podCIDR);
  expect(new Set(cidrs).size).toBe(3);
  for (const cidr of cidrs) expect(cidr).toMatch(/^10\.244\.\d+\.0\/24$/);
  await harness.stop();
});

test('taints follow conditions and leave foreign ones alone', () => {
  const pressured: V1Node = { spec: { unschedulable: true }, status: { conditions: [{ type: 'Ready', status: 'True' }, { type: 'MemoryPressure', status: 'True' }] } };
  expect(wantedTaints(pressured)).toEqual(['node.kubernetes.io/memory-pressure', 'node.kubernetes.io/unschedulable']);
  const foreign = { key: 'mine', effect: 'NoSchedule' };
  const taints = withScheduleTaints([foreign, { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }], ['node.kubernetes.io/memory-pressure'], 't');
  expect(taints).toEqual([foreign, { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule', timeAdded: 't' }]);
  expect(withScheduleTaints(taints, ['node.kubernetes.io/memory-pressure'], 'u')).toBe(taints);
  expect(withEvictionTaint(taints, undefined, 't')).toBe(taints);
});

test('a zone that is mostly gone is given up slowly or not at all', () => {
  const zone = (ready: number, unready: number): V1Node[] => [...Array.from({ length: ready }, () => node('r')), ...Array.from({ length: unready }, () => node('u', 'Unknown'))];
  expect(evictionRate(zone(9, 1))).toBe(0.1);
  expect(evictionRate(zone(3, 7))).toBe(0);
  expect(evictionRate(zone(30, 70))).toBe(0.01);
});
