import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { V1Pod } from '../../api/generated/types.js';
import { NODES, PODS } from '../../api/resource-refs.js';
import { silentLogger } from '../../base/log.js';
import { createCertificateAuthority, issueCertificate } from '../../base/tls/authority.js';
import { FakeApi } from '../../controllers/testing/fake-api.js';
import { listRecorder } from '../../controllers/testing/test-context.js';
import { createNodeAgent } from '../index.js';
import { simulatedVolumes } from '../references/volumes.js';
import { createSimRuntime, SimWorld } from '../runtime/sim/index.js';
import type { MachineReading, NodeUsage, PodReading } from '../server/stats/index.js';

const MI = 1024 * 1024;
const DISK = { capacityBytes: 1000 * MI, availableBytes: 900 * MI, usedBytes: 100 * MI, inodes: 100, inodesFree: 90, inodesUsed: 10 };

function pod(name: string, requests?: Record<string, string>): V1Pod {
  return {
    apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' },
    spec: { nodeName: 'n', restartPolicy: 'Always', containers: [{ name: 'app', image: 'nginx:1.27', ...(requests ? { resources: { requests } } : {}) }] },
    status: { phase: 'Pending' },
  };
}

test('a node short of memory says so at once, evicts a pod and refuses others, until it has had enough for five minutes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kube-pressure-'));
  const api = new FakeApi({ gracefulPods: true });
  const { clock, random } = api;
  const events: string[] = [];
  let low = false;
  // One pod less is enough.
  const available = (): number => (low && !events.some((event) => event.startsWith('Warning Evicted')) ? 10 * MI : 500 * MI);
  const usage: NodeUsage = {
    machine: () => Promise.resolve({ stats: { memory: { availableBytes: available(), capacityBytes: 1000 * MI }, processes: { current: 1, max: 1000 } } } as MachineReading),
    disk: () => Promise.resolve(DISK),
    pod: (item) => Promise.resolve({ pod: item, cgroup: '', at: 0, cpuMillicores: 0, containers: [], volumes: [], sandboxAt: 0, counters: { cpuNanoseconds: 0, usageBytes: 0, workingSetBytes: 50 * MI, rssBytes: 0, pageFaults: 0, majorPageFaults: 0, processes: 1 } } satisfies PodReading),
    pods: () => Promise.resolve([]),
    details: () => Promise.resolve({}),
  };
  const ca = createCertificateAuthority({ commonName: 'test' }, { clock, random });
  const agent = createNodeAgent(
    { nodes: [{ name: 'n' }], bindAddress: '127.0.0.1', port: 0, podCidrWaitMilliseconds: 0, serving: issueCertificate(ca, { commonName: 'kubelet', usages: ['server'], ipAddresses: ['127.0.0.1'] }), clientCa: ca.certificate },
    {
      client: api, informers: api, clock, random, log: silentLogger, metrics: new Registry(), recorder: listRecorder(events),
      parts: (_spec, { references }) => Promise.resolve({
        runtime: createSimRuntime(new SimWorld(clock, random)), volumes: simulatedVolumes(references), usage,
        store: { collect: () => Promise.resolve({ usagePercent: 1, wantedBytes: 0, freedBytes: 0, removed: [] }) },
        local: { host: { clusterId: '00000000', stateFolder: folder, runFolder: folder, cgroup: '/kube-0', interfacePrefix: 'k0', tablePrefix: 'kube-0' }, clusterDns: [], clusterDomain: 'cluster.local', memoryBytes: 1000 * MI, resolvConf: '/dev/null', appArmor: false },
        machine: {
          machineId: 'm', systemUuid: 's', bootId: 'b', kernelVersion: '6', osImage: 'os', memoryBytes: 1000 * MI, capacity: { cpu: '4', memory: '1000Mi', pods: '10', 'ephemeral-storage': '1Gi' }, allocatable: { cpu: '4', memory: '900Mi', pods: '10', 'ephemeral-storage': '1Gi' },
        },
      }),
    },
  );
  // Files are written by the thread pool, whose answers the clock does not wait for.
  const settle = async (milliseconds: number): Promise<void> => {
    for (let step = 0; step < 10; step++) {
      await clock.advance(milliseconds / 10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const until = async (what: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 200 && !what(); tries++) await settle(50);
    expect(what()).toBe(true);
  };
  const condition = (): string | undefined => api.find(NODES, '', 'n')?.status?.conditions?.find(({ type }) => type === 'MemoryPressure')?.reason;
  const status = (name: string): V1Pod['status'] => api.find(PODS, 'default', name)?.status;
  try {
    await agent.start(new AbortController().signal);
    api.seed(PODS, pod('greedy'));
    api.seed(PODS, pod('modest', { memory: '100Mi' }));
    await until(() => status('greedy')?.phase === 'Running' && status('modest')?.phase === 'Running');
    expect(condition()).toBe('KubeletHasSufficientMemory');
    low = true;
    await until(() => condition() === 'KubeletHasInsufficientMemory');
    await until(() => status('greedy')?.phase === 'Failed');
    expect(status('greedy')).toMatchObject({ reason: 'Evicted', message: expect.stringMatching(/^The node was low on resource: memory\. Threshold quantity: 100Mi, available: 10Mi\. /) });
    expect(status('greedy')?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({ status: 'True', reason: 'TerminationByKubelet' });
    expect(status('modest')?.phase).toBe('Running');
    for (const reason of ['Evicted The node was low on resource: memory', 'EvictionThresholdMet Attempting to reclaim memory', 'NodeHasInsufficientMemory Node n status is now: NodeHasInsufficientMemory']) expect(events.join('\n')).toContain(reason);
    api.seed(PODS, pod('late'));
    await until(() => status('late')?.reason === 'Evicted');
    expect(status('late')?.message).toBe('Pod was rejected: The node had condition: [MemoryPressure]. ');
    await settle(310_000);
    await until(() => condition() === 'KubeletHasSufficientMemory');
    api.seed(PODS, pod('later'));
    await until(() => status('later')?.phase === 'Running');
  } finally {
    await agent.stop(0);
    await rm(folder, { recursive: true, force: true });
  }
});
