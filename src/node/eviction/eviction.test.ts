import type { V1Pod } from '../../api/generated/types.js';
import { Quantity } from '../../api/quantity.js';
import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { NodeAdmission } from '../pods/admission.js';
import { EvictionManager, type Eviction } from './eviction-manager.js';
import { storageViolation } from './local-storage.js';
import { evictionMessage } from './messages.js';
import type { PodUsage } from './pod-usage.js';
import { Pressure } from './pressure.js';
import { rankForEviction } from './ranking.js';
import { crossedThresholds, DEFAULT_THRESHOLDS, thresholdQuantity, type Observations, type PressureCondition, type Signal } from './signals.js';

const MI = 1024 * 1024;

function pod(name: string, more: { readonly priority?: number; readonly requests?: Record<string, string>; readonly limits?: Record<string, string>; readonly volumes?: NonNullable<V1Pod['spec']>['volumes'] } = {}): V1Pod {
  const { requests, limits, priority, volumes } = more;
  return {
    metadata: { name, namespace: 'default', uid: name },
    spec: {
      containers: [{ name: 'app', resources: { ...(requests ? { requests } : {}), ...(limits ? { limits } : {}) } }], ...(priority === undefined ? {} : { priority }), ...(volumes ? { volumes } : {}),
    },
  };
}

function usage(memoryBytes: number, more: Partial<PodUsage> = {}): PodUsage {
  return { memoryBytes, ephemeralBytes: 0, processes: 1, containers: [{ name: 'app', memoryBytes, rootfsBytes: 0, logBytes: 0 }], emptyDirs: new Map(), ...more };
}

function seen(amounts: Partial<Record<Signal, readonly [available: number, capacity: number]>>): Observations {
  return new Map(Object.entries(amounts).map(([signal, [available, capacity]]) => [signal as Signal, { available: Quantity.of(available, 'BinarySI'), capacity }]));
}

describe('thresholds', () => {
  test('shares are of the capacity, and what is exactly there is enough', () => {
    expect(thresholdQuantity({ signal: 'nodefs.available', value: '10%' }, 1000 * MI).toString()).toBe('100Mi');
    const crossed = (available: number): readonly string[] => crossedThresholds(DEFAULT_THRESHOLDS, seen({ 'nodefs.available': [available, 1000 * MI] })).map(({ signal }) => signal);
    expect(crossed(100 * MI)).toEqual([]);
    expect(crossed(100 * MI - 1)).toEqual(['nodefs.available']);
  });

  test('memory comes first', () => {
    const crossed = crossedThresholds([...DEFAULT_THRESHOLDS].reverse(), seen({ 'imagefs.available': [0, 100], 'memory.available': [0, 100] }));
    expect(crossed.map(({ signal }) => signal)).toEqual(['memory.available', 'imagefs.available']);
  });
});

test('a condition begins at once and outlives its cause by five minutes', () => {
  const pressure = new Pressure();
  const none = new Set<PressureCondition>();
  expect(pressure.observe(new Set(['DiskPressure']), 0)).toBe(true);
  expect(pressure.observe(none, 299_999)).toBe(false);
  expect(pressure.conditions).toEqual(['DiskPressure']);
  expect(pressure.observe(none, 300_000)).toBe(true);
  expect(pressure.conditions).toEqual([]);
});

test('pods above their requests go first, then those of low priority, then the greediest', () => {
  const pods = [
    pod('within', { requests: { memory: '100Mi' } }), pod('important', { priority: 10 }), pod('small'), pod('big'), pod('unknown'), pod('above', { requests: { memory: '10Mi' } }),
  ];
  const used = new Map([['within', 90], ['important', 500], ['small', 10], ['big', 50], ['above', 30]]);
  const of = (item: V1Pod): PodUsage | undefined => (used.has(item.metadata!.name!) ? usage(used.get(item.metadata!.name!)! * MI) : undefined);
  expect(rankForEviction(pods, of, 'memory').map((item) => item.metadata?.name)).toEqual(['unknown', 'big', 'above', 'small', 'important', 'within']);
  expect(rankForEviction(pods, (item) => usage(0, { processes: item.metadata?.name === 'small' ? 9 : 1 }), 'pids')[0]?.metadata?.name).toBe('small');
});

test('messages have upstream\'s form', () => {
  const observations = seen({ 'memory.available': [90 * MI, 8192 * MI] });
  expect(evictionMessage(pod('a'), 'memory', usage(300 * MI), crossedThresholds(DEFAULT_THRESHOLDS, observations), observations)).toBe(
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. Container app was using 300Mi, request is 0, has larger consumption of memory. ',
  );
  const within = pod('b', { requests: { memory: '400Mi' } });
  expect(evictionMessage(within, 'memory', usage(300 * MI), DEFAULT_THRESHOLDS, observations)).toBe('The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. ');
});

describe('limits of storage', () => {
  test('of volumes, pods, and containers, in this order', () => {
    const greedy = pod('a', { limits: { 'ephemeral-storage': '2Mi' }, volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] });
    const full = usage(0, { ephemeralBytes: 3 * MI, containers: [{ name: 'app', rootfsBytes: 3 * MI, logBytes: 0 }], emptyDirs: new Map([['v', 2 * MI]]) });
    expect(storageViolation(greedy, full)).toBe('Usage of EmptyDir volume "v" exceeds the limit "1Mi". ');
    expect(storageViolation(greedy, { ...full, emptyDirs: new Map([['v', MI]]) })).toBe('Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ');
    expect(storageViolation(greedy, { ...full, emptyDirs: new Map(), ephemeralBytes: 0 })).toBe('Container app exceeded its local ephemeral storage limit "2Mi". ');
    expect(storageViolation(greedy, usage(0))).toBeUndefined();
  });
});

describe('manager', () => {
  interface World {
    readonly clock: FakeClock;
    readonly manager: EvictionManager;
    readonly evicted: { readonly name: string; readonly eviction: Eviction }[];
    readonly notes: string[];
    observed: Observations;
    pods: V1Pod[];
    measured: number;
    reclaims: () => void;
  }

  function world(pods: V1Pod[], of: (item: V1Pod) => PodUsage): World {
    const clock = new FakeClock();
    const made: World = {
      clock, evicted: [], notes: [], observed: new Map(), pods, measured: 0, reclaims: () => undefined,
      manager: new EvictionManager({
        clock, log: silentLogger,
        pods: () => made.pods,
        observe: () => Promise.resolve(made.observed),
        usage: (item) => {
          made.measured += 1;
          return Promise.resolve(of(item));
        },
        evict: (item, eviction) => {
          made.evicted.push({ name: item.metadata!.name!, eviction });
          made.pods = made.pods.filter((other) => other !== item);
          return Promise.resolve();
        },
        reclaimDisk: () => {
          made.notes.push('reclaim');
          made.reclaims();
          return Promise.resolve();
        },
        changed: () => made.notes.push(`now ${made.manager.conditions.join()}`),
        thresholdMet: (resource) => made.notes.push(resource),
      }),
    };
    return made;
  }

  test('nothing is measured where nothing is limited and nothing short', async () => {
    const it = world([pod('a'), pod('b')], () => usage(MI));
    expect(await it.manager.look()).toEqual([]);
    expect(it.measured).toBe(0);
  });

  test('one pod at a time goes for the node, critical ones never, until the node has enough', async () => {
    const it = world([pod('critical', { priority: 2_000_000_000 }), pod('a'), pod('b'), pod('c')], (item) => usage(item.metadata?.name === 'critical' ? 900 * MI : 10 * MI * item.metadata!.name!.charCodeAt(0)));
    it.observed = seen({ 'memory.available': [MI, 1000 * MI] });
    expect((await it.manager.look()).map((item) => item.metadata?.name)).toEqual(['c']);
    expect(it.evicted[0]?.eviction).toMatchObject({ disruption: true, message: expect.stringMatching(/^The node was low on resource: memory\. /) });
    await it.manager.look();
    await it.manager.look();
    expect(await it.manager.look()).toEqual([]);
    expect(it.evicted.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
    expect(it.notes).toEqual(['now MemoryPressure', 'memory', 'memory', 'memory', 'memory']);
  });

  test('for disk, unused data goes first; no pod when that is enough', async () => {
    const it = world([pod('a')], () => usage(MI));
    it.observed = seen({ 'nodefs.available': [MI, 1000 * MI] });
    it.reclaims = () => (it.observed = seen({ 'nodefs.available': [500 * MI, 1000 * MI] }));
    expect(await it.manager.look()).toEqual([]);
    expect(it.notes).toEqual(['now DiskPressure', 'ephemeral-storage', 'reclaim']);
    await it.manager.look();
    expect(it.manager.conditions).toEqual(['DiskPressure']);
    await it.clock.advance(300_000);
    await it.manager.look();
    expect(it.notes.at(-1)).toBe('now ');
  });

  test('pods beyond their own limits all go, before any for the node; the next look follows at once, others every ten seconds', async () => {
    const limited = (name: string): V1Pod => pod(name, { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] });
    const it = world([limited('a'), limited('b'), pod('c')], () => usage(MI, { emptyDirs: new Map([['v', 2 * MI]]) }));
    it.observed = seen({ 'memory.available': [MI, 1000 * MI] });
    await it.manager.start();
    await it.clock.advance(0);
    expect(it.evicted.map(({ name, eviction }) => `${name} ${eviction.disruption}`)).toEqual(['a false', 'b false', 'c true']);
    it.pods = [limited('d')];
    await it.clock.advance(9000);
    expect(it.evicted).toHaveLength(3);
    await it.clock.advance(1000);
    expect(it.evicted.at(-1)?.name).toBe('d');
    await it.manager.stop();
    it.pods = [limited('e')];
    await it.clock.advance(60_000);
    expect(it.evicted).toHaveLength(4);
  });
});

describe('admission under pressure', () => {
  const admit = (conditions: readonly PressureCondition[], item: V1Pod): string | undefined => new NodeAdmission(() => ({ cpu: '4', memory: '4Gi', pods: '9' }), () => conditions).admit(item, undefined)?.message;

  test('short of memory a node refuses pods that asked for none, unless they tolerate it', () => {
    expect(admit(['MemoryPressure'], pod('a'))).toBe('The node had condition: [MemoryPressure]. ');
    expect(admit(['MemoryPressure'], pod('a', { requests: { memory: '1Mi' } }))).toBeUndefined();
    const tolerant = pod('a');
    expect(admit(['MemoryPressure'], { ...tolerant, spec: { ...tolerant.spec!, tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }] } })).toBeUndefined();
  });

  test('short of anything else it refuses all but critical pods', () => {
    expect(admit(['MemoryPressure', 'DiskPressure'], pod('a', { requests: { memory: '1Mi' } }))).toBe('The node had condition: [MemoryPressure DiskPressure]. ');
    expect(admit(['DiskPressure'], pod('a', { priority: 2_000_000_000 }))).toBeUndefined();
  });
});
