import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Pod } from '../../../api/generated/types.js';
import { FakeClock } from '../../../base/clock.js';
import type { ContainerStatus } from '../../runtime/index.js';
import { cadvisorMetrics, resourceMetrics, shownGroups, summary, type MachineReading, type PodReading } from './index.js';
import { readGroupDetails } from './group-details.js';
import { parseNetDev } from './network-counters.js';
import { Recent } from './recent.js';

const MI = 1024 * 1024;
const counters = { cpuNanoseconds: 5e9, usageBytes: 9 * MI, workingSetBytes: 6 * MI, rssBytes: 4 * MI, pageFaults: 7, majorPageFaults: 1, processes: 3 };
const disk = { capacityBytes: 1000 * MI, availableBytes: 400 * MI, usedBytes: 600 * MI, inodes: 100, inodesFree: 40, inodesUsed: 60 };
const network = [{ name: 'eth0', rxBytes: 1, rxPackets: 2, rxErrors: 3, rxDropped: 4, txBytes: 5, txPackets: 6, txErrors: 7, txDropped: 8 }];
const machine: MachineReading = {
  stats: {
    at: 1000, cpuNanoseconds: 20e9, cpuMillicores: 1500, processes: { current: 200, max: 4096 },
    memory: { capacityBytes: 100 * MI, availableBytes: 40 * MI, usageBytes: 90 * MI, workingSetBytes: 60 * MI, rssBytes: 50 * MI, pageFaults: 1, majorPageFaults: 0 },
  },
  bootedAt: 0, swap: { usageBytes: 0, availableBytes: 0 }, fileSystem: disk, network, groups: [{ name: 'pods', startedAt: 0, counters, cpuMillicores: 10 }],
};
const pod: V1Pod = { metadata: { name: 'web', namespace: 'default', uid: 'u' }, spec: { containers: [{ name: 'app', resources: { limits: { memory: '10Mi' } } }] } };
const status: ContainerStatus = {
  id: 'c1', sandboxId: 's', podUid: 'u', name: 'app', attempt: 0, kind: 'regular', state: 'running', createdAt: 500, startedAt: 500, finishedAt: 0, exitCode: 0, image: 'nginx', imageRef: 'nginx@sha256:1', reason: '', message: '', specHash: '',
};
const reading: PodReading = {
  pod, cgroup: '/kube-1/podu', at: 1000, counters, cpuMillicores: 20, network, sandboxAt: 400,
  containers: [{
    status, cgroup: '/kube-1/podu/c1',
    stats: { containerId: 'c1', name: 'app', at: 1000, cpuNanoseconds: 4e9, cpuMillicores: 15, memoryWorkingSetBytes: 5 * MI, memory: { usageBytes: 8 * MI, rssBytes: 3 * MI, pageFaults: 2, majorPageFaults: 0 }, rootfsUsedBytes: 2 * MI, logsUsedBytes: MI },
  }],
  volumes: [
    { name: 'data', claim: 'data-0', ephemeral: false, fileSystem: disk },
    { name: 'tmp', ephemeral: true, fileSystem: { ...disk, usedBytes: 4 * MI, inodesUsed: 5 } },
  ],
};

test('the summary has everything that the kubelet tells', () => {
  const body = JSON.parse(JSON.stringify(summary('n', machine, [reading]))) as { readonly node: Record<string, unknown>; readonly pods: readonly Record<string, unknown>[] };
  expect(body.node).toMatchObject({
    nodeName: 'n', cpu: { usageNanoCores: 1.5e9, usageCoreNanoSeconds: 20e9 }, memory: { availableBytes: 40 * MI, workingSetBytes: 60 * MI }, network: { name: 'eth0', rxBytes: 1, txErrors: 7, interfaces: [{ name: 'eth0' }] },
    fs: { availableBytes: 400 * MI, inodesFree: 40 }, runtime: { imageFs: { capacityBytes: 1000 * MI } }, rlimit: { maxpid: 4096, curproc: 200 }, systemContainers: [{ name: 'pods', memory: { rssBytes: 4 * MI } }], swap: { swapUsageBytes: 0 },
  });
  expect(body.pods[0]).toMatchObject({
    podRef: { name: 'web', namespace: 'default', uid: 'u' }, cpu: { usageNanoCores: 2e7 }, memory: { availableBytes: 4 * MI, pageFaults: 7 }, process_stats: { process_count: 3 },
    containers: [{ name: 'app', memory: { availableBytes: 5 * MI, rssBytes: 3 * MI }, rootfs: { usedBytes: 2 * MI }, logs: { usedBytes: MI } }],
    volume: [{ name: 'data', pvcRef: { name: 'data-0', namespace: 'default' } }, { name: 'tmp', usedBytes: 4 * MI }],
    // Of the node's own disk: root file system, log, and the volume that goes with the pod.
    'ephemeral-storage': { usedBytes: 7 * MI, inodesUsed: 5 },
  });
  const brief = summary('n', machine, [reading], true) as { readonly node: object; readonly pods: readonly object[] };
  expect(Object.keys(brief.node)).not.toContain('fs');
  expect(Object.keys(brief.pods[0]!)).toEqual(['podRef', 'startTime', 'containers', 'cpu', 'memory', 'swap']);
});

test('resource metrics have upstream\'s names, and a failure is one of them', () => {
  const text = resourceMetrics({ machine, pods: [reading] });
  for (const line of [
    '# TYPE node_cpu_usage_seconds_total counter', 'node_cpu_usage_seconds_total 20 1000', `pod_memory_working_set_bytes{namespace="default",pod="web"} ${6 * MI} 1000`,
    'container_cpu_usage_seconds_total{container="app",namespace="default",pod="web"} 4 1000', 'container_start_time_seconds{container="app",namespace="default",pod="web"} 0.5', 'resource_scrape_error 0',
  ]) expect(text.split('\n')).toContain(line);
  expect(resourceMetrics(undefined)).toContain('\nresource_scrape_error 1\n');
});

test('cAdvisor\'s metrics tell the machine, pods and containers apart by their labels', async () => {
  const groups = await shownGroups(machine, [reading], (path) => Promise.resolve(path === '' ? {} : { cpuQuota: 5000, periods: 9 }));
  const facts = { machineId: 'm', systemUuid: 's', bootId: 'b', kernelVersion: '6', osImage: 'os', memoryBytes: 5 };
  const lines = cadvisorMetrics('v1', facts, machine, groups).split('\n');
  expect(lines).toContain('machine_memory_bytes{boot_id="b",machine_id="m",system_uuid="s"} 5');
  expect(lines).toContain(`container_memory_working_set_bytes{container="app",id="/kube-1/podu/c1",image="nginx@sha256:1",name="c1",namespace="default",pod="web"} ${5 * MI} 1000`);
  expect(lines).toContain('container_network_receive_bytes_total{container="",id="/kube-1/podu",image="",interface="eth0",name="",namespace="default",pod="web"} 1 1000');
  expect(lines.filter((line) => line.startsWith('container_cpu_cfs_periods_total{'))).toHaveLength(2);
  expect(lines.filter((line) => line.startsWith('container_cpu_usage_seconds_total{')).map((line) => / id|id="([^"]*)"/.exec(line)?.[1])).toEqual(['/', '/kube-1/podu', '/kube-1/podu/c1']);
});

test('interfaces are the host\'s own', () => {
  const line = (name: string): string => ` ${name}: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0`;
  expect(parseNetDev(['Inter-|', ' face |', line('lo'), line('eth0'), line('veth1'), line('k749cd225084d64')].join('\n'))).toEqual(network);
});

test('details of a group are read from the files of either version; what is missing is left out', async () => {
  const root = await mkdtemp(join(tmpdir(), 'kube-groups-'));
  try {
    await mkdir(join(root, 'one'));
    await writeFile(join(root, 'one/cpu.max'), 'max 100000\n');
    await writeFile(join(root, 'one/memory.max'), 'max\n');
    await writeFile(join(root, 'one/cpu.stat'), 'usage_usec 5\nuser_usec 2000000\nnr_periods 4\n');
    await writeFile(join(root, 'one/io.stat'), '8:0 rbytes=10 wbytes=1 rios=2 wios=3\n8:16 rbytes=5 wbytes=1 rios=1 wios=1\n');
    expect(await readGroupDetails(root, '/one', 2)).toEqual({ cpuQuota: -1, cpuPeriod: 100_000, memoryLimit: 0, cpuUserSeconds: 2, periods: 4, readBytes: 15, writtenBytes: 2, reads: 3, writes: 4 });
    for (const [controller, file, text] of [['memory', 'memory.limit_in_bytes', '9223372036854771712\n'], ['cpu', 'cpu.cfs_quota_us', '5000\n'], ['memory', 'memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n']] as const) {
      await mkdir(join(root, controller, 'two'), { recursive: true });
      await writeFile(join(root, controller, 'two', file), text);
    }
    expect(await readGroupDetails(root, '/two', 1)).toEqual({ memoryLimit: 0, cpuQuota: 5000, oomKills: 3 });
  } finally {
    await rm(root, { recursive: true });
  }
});

test('who asks at the same time gets the same reading; a failure is not kept', async () => {
  const clock = new FakeClock();
  const recent = new Recent<number>(clock, 1000);
  let reads = 0;
  const read = (): Promise<number> => Promise.resolve(++reads);
  expect(await Promise.all([recent.get('a', read), recent.get('a', read), recent.get('b', read)])).toEqual([1, 1, 2]);
  await clock.advance(999);
  expect(await recent.get('a', read)).toBe(1);
  await clock.advance(1);
  expect(await recent.get('a', read)).toBe(3);
  await clock.advance(1000);
  await expect(recent.get('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(await recent.get('a', read)).toBe(4);
});
