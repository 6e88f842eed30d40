import type { V1Service } from '../../api/generated/types.js';
import { SystemClock } from '../../base/clock.js';
import { SeededRandom } from '../../base/random.js';
import type { Commands } from '../../base/process/commands.js';
import { directCommands } from '../../base/process/direct.js';
import { runChecked } from '../../base/process/run-checked.js';
import { EventLoopTurns } from '../../reconcile/index.js';
import { endpointsOfSlices } from '../model/endpoint.js';
import { servicePorts } from '../model/service-port.js';
import { serviceRules, type ServiceRules } from '../rules/service-rules.js';
import { service, slice, testOptions, type TestEndpoint } from '../testing/objects.js';
import { Nft } from './nft.js';
import { affinityElements, differenceOf } from './table-listing.js';
import { TableState } from './table-state.js';

const namespace = `kps${process.pid}`;
const direct = directCommands();
const turns = new EventLoopTurns(new SystemClock());
const inside: Commands = { ...direct, run: (program, args, options) => direct.run('ip', ['netns', 'exec', namespace, program, ...args], options), start: (program, args, options) => direct.start(program, args, options), close: () => direct.close() };
const nft = new Nft(inside, testOptions.table);
const otherOptions = { ...testOptions, table: 'kube-other-services' };
const other = new Nft(inside, otherOptions.table);

beforeAll(() => runChecked(direct, 'ip', ['netns', 'add', namespace]));
afterAll(() => runChecked(direct, 'ip', ['netns', 'delete', namespace]));

interface World {
  readonly service: V1Service;
  readonly endpoints: readonly TestEndpoint[];
  readonly protocol: string;
}

async function rulesOf({ service: object, endpoints, protocol }: World): Promise<ServiceRules> {
  const { nodeName, nodeIps, clusterCidr } = testOptions;
  return serviceRules(servicePorts(object), await endpointsOfSlices([slice(object.metadata!.name!, endpoints, { port: 8080, protocol })], nodeName, turns), { nodeName, nodeIps, clusterCidr, zone: '' });
}

/** A service of one of six names with whatever a service may have; addresses come from small pools, so that services collide. */
function randomWorld(random: SeededRandom, i: number): World {
  const chance = (share: number): boolean => random.float() < share;
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random.float() * of.length)]!;
  const protocol = pick(['TCP', 'TCP', 'UDP', 'SCTP']);
  const external = chance(0.5);
  const local = chance(0.3);
  return {
    protocol,
    service: service(`s${i}`, `10.96.0.${i + 1}`, {
      type: external ? 'LoadBalancer' : 'ClusterIP',
      ports: [{ port: pick([80, 81]), protocol, ...(external ? { nodePort: 30000 + i } : {}) }],
      ...(local ? { externalTrafficPolicy: 'Local' } : {}),
      ...(chance(0.2) ? { internalTrafficPolicy: 'Local' } : {}),
      ...(chance(0.4) ? { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: pick([60, 600]) } } } : {}),
      ...(chance(0.4) ? { externalIPs: [pick(['172.30.0.1', '172.30.0.2'])] } : {}),
      ...(chance(0.3) ? { loadBalancerSourceRanges: pick([['10.0.0.0/8'], ['192.168.50.0/24', '192.168.0.0/16']]) } : {}),
    }, external && chance(0.7) ? [pick(['172.31.0.1', '192.168.50.1'])] : []),
    endpoints: Array.from({ length: Math.floor(random.float() * 5) }, () => ({ ip: `10.244.0.${1 + Math.floor(random.float() * 6)}`, nodeName: pick(['node-1', 'node-1', 'node-2']), ready: chance(0.8), serving: chance(0.9), terminating: chance(0.2) })),
  };
}

/** A listing whose order does not matter: one text per chain, one per element. */
function normalized(listing: string | undefined, table: string): readonly string[] {
  const sections = (listing ?? 'no table').replaceAll(table, 'T').split(/^\t\}$/m).map((text) => text.split('elements = {').map((part, i) => (i === 0 ? part : part.split(',').map((element) => element.replace('}', '').trim()).sort().join(','))).join('elements'));
  return sections.map((text) => text.trim()).sort();
}

test.each([1, 2, 3])('changes lead to the same table as writing it from nothing (seed %i)', async (seed) => {
  const random = new SeededRandom(seed);
  const world = new Map<string, World>();
  const state = new TableState(testOptions);
  await nft.apply(await state.fullTransaction(turns, new Map()));
  let now = 0;
  for (let round = 0; round < 12; round++) {
    for (let change = 0; change < 4; change++) {
      const i = Math.floor(random.float() * 6);
      const key = `default/s${i}`;
      if (random.float() < 0.25) {
        world.delete(key);
        state.set(key, '', undefined);
      } else {
        const next = randomWorld(random, i);
        world.set(key, next);
        state.set(key, `2026|${key}`, await rulesOf(next));
      }
    }
    const script = state.changes(now);
    if (script !== undefined) await nft.apply(script);
    now += 400;
    const removable = state.removableChains(now);
    if (removable.length > 0) {
      await nft.apply(state.removal(removable));
      state.removed(removable);
    }
    if (round % 3 === 0) expect(await differenceOf((await nft.list())!, state.expected(), turns)).toBeUndefined();
  }
  const last = state.removableChains(now + 10_000);
  if (last.length > 0) await nft.apply(state.removal(last));
  state.removed(last);
  const scratch = new TableState(otherOptions);
  for (const [key, entry] of world) scratch.set(key, `2026|${key}`, await rulesOf(entry));
  await other.apply(await scratch.fullTransaction(turns, new Map()));
  expect(normalized(await nft.list(), testOptions.table)).toEqual(normalized(await other.list(), otherOptions.table));
  expect(state.changes(now)).toBeUndefined();
}, 60_000);

test('a listing shows what somebody else took or added', async () => {
  const state = new TableState(testOptions);
  const world: World = { service: service('web', '10.96.0.9'), endpoints: [{ ip: '10.244.0.2' }, { ip: '10.244.0.3' }], protocol: 'TCP' };
  state.set('default/web', 'a', await rulesOf(world));
  const write = async (): Promise<void> => nft.apply(await state.fullTransaction(turns, new Map()));
  const difference = async (): Promise<string | undefined> => differenceOf((await nft.list())!, state.expected(), turns);
  await write();
  expect(await difference()).toBeUndefined();
  const table = `ip ${testOptions.table}`;
  for (const [script, wanted] of [
    [`flush chain ${table} nat-prerouting`, 'chain nat-prerouting has 0 rules instead of 1'],
    [`delete element ${table} hairpin-connections { 10.244.0.3 . 10.244.0.3 . tcp . 8080 }`, 'set hairpin-connections has 1 elements instead of 2'],
    [`add chain ${table} strange`, 'chain strange is not ours'],
    [`insert rule ${table} services drop`, 'chain services has 4 rules instead of 3'],
    [`flush table ${table}`, /has 0 rules/],
  ] as const) {
    await nft.apply(`${script}\n`);
    expect(await difference()).toMatch(wanted);
    await write();
    expect(await difference()).toBeUndefined();
  }
});

test('remembered clients outlive a table that is written anew', async () => {
  const state = new TableState(testOptions);
  state.set('default/web', 'a', await rulesOf({ service: service('web', '10.96.0.9', { sessionAffinity: 'ClientIP' }), endpoints: [{ ip: '10.244.0.2' }], protocol: 'TCP' }));
  await nft.apply(await state.fullTransaction(turns, new Map()));
  const [set] = [...affinityElements((await nft.listSets())!, testOptions.table).keys()];
  await nft.apply(`add element ip ${testOptions.table} ${set} { 192.168.50.2 expires 1h, 192.168.50.3 expires 2h }\n`);
  const clients = affinityElements((await nft.listSets())!, testOptions.table);
  await nft.apply(await state.fullTransaction(turns, clients));
  const after = affinityElements((await nft.listSets())!, testOptions.table).get(set!);
  expect([...after!].sort()).toEqual([expect.stringMatching(/^192\.168\.50\.2 expires (1h|59m)/), expect.stringMatching(/^192\.168\.50\.3 expires (2h|1h59m)/)]);
});
