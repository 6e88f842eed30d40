import type { Component } from '../base/component.js';
import { SystemClock } from '../base/clock.js';
import { silentLogger, type Logger } from '../base/log.js';
import { SeededRandom } from '../base/random.js';
import { ENDPOINT_SLICES, SERVICES } from '../api/resource-refs.js';
import type { Client } from '../client/index.js';
import { createServiceProxy } from './service-proxy.js';
import { MemoryInformers } from './testing/memory-informers.js';
import { NetworkLab, podIp } from './testing/network-lab.js';
import { service, slice, testOptions } from './testing/objects.js';

const warnings: string[] = [];
const log: Logger = { ...silentLogger, warn: (message, fields) => void warnings.push(`${message} ${JSON.stringify(fields)}`), error: (message, fields) => void warnings.push(`${message} ${JSON.stringify(fields)}`) };
const noClient: Client = { resource: () => { throw new TypeError('unused'); }, raw: () => Promise.reject(new TypeError('unused')) };
const pods = [podIp(0), podIp(1), podIp(2)];
const names = (answers: readonly string[]): Set<string> => new Set(answers.map((line) => line.split(' ')[0]!));

let lab: NetworkLab;
let informers: MemoryInformers;
let proxy: Component;

function makeProxy(): Component {
  return createServiceProxy({ ...testOptions, minSyncMilliseconds: 1 }, { client: noClient, informers, commands: lab.commands(lab.node), clock: new SystemClock(), random: new SeededRandom(), log });
}

/** Asks until the answer is as wanted; ends with the test's own time limit. */
async function until(ask: () => Promise<string>, wanted: (answer: string) => boolean): Promise<string> {
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
  }
}

const ruleset = (): Promise<string> => lab.shell(lab.node, `nft list table ip ${testOptions.table}`);

beforeAll(async () => {
  lab = await NetworkLab.create(`kpx${process.pid}-`);
  informers = new MemoryInformers();
  informers.put(SERVICES, service('web', '10.96.0.10', { type: 'NodePort', ports: [{ port: 80, nodePort: 30080, protocol: 'TCP' }] }));
  informers.put(ENDPOINT_SLICES, slice('web', pods));
  proxy = makeProxy();
  await proxy.start(new AbortController().signal);
}, 60_000);

afterAll(async () => {
  await proxy.stop(1000);
  await lab.remove();
});

afterEach(() => expect(warnings.splice(0)).toEqual([]));

test('connections spread over all endpoints, from pods, from the node and from outside, and only these are masqueraded', async () => {
  const fromPod = await lab.ask(lab.pod(0), '10.96.0.10:80', 30);
  expect(names(fromPod)).toEqual(new Set(['pod0', 'pod1', 'pod2']));
  // Another pod sees the caller's address, and a pod that reaches itself sees the node's.
  expect(new Set(fromPod)).toEqual(new Set(['pod0 10.244.0.1', `pod1 ${podIp(0)}`, `pod2 ${podIp(0)}`]));
  expect(names(await lab.ask(lab.node, '10.96.0.10:80', 20))).toEqual(new Set(['pod0', 'pod1', 'pod2']));
  const outside = await lab.ask(lab.client, '192.168.50.1:30080', 20);
  expect(names(outside)).toEqual(new Set(['pod0', 'pod1', 'pod2']));
  expect(new Set(outside.map((line) => line.split(' ')[1]))).toEqual(new Set(['10.244.0.1']));
  expect(names(await lab.ask(lab.node, '192.168.50.1:30080', 20))).toEqual(new Set(['pod0', 'pod1', 'pod2']));
  expect(new Set((await lab.ask(lab.client, '10.96.0.10:80', 3)).map((line) => line.split(' ')[1]))).toEqual(new Set(['10.244.0.1']));
}, 30_000);

test('a service without endpoints refuses at once, and so do ports that it does not have; node ports close with it', async () => {
  informers.put(ENDPOINT_SLICES, slice('web', []));
  await until(() => lab.ask(lab.pod(0), '10.96.0.10:80').then(String), (answer) => answer.includes('refused'));
  expect(String(await lab.ask(lab.client, '192.168.50.1:30080'))).toContain('refused');
  expect(String(await lab.ask(lab.node, '10.96.0.10:80'))).toContain('refused');
  informers.put(ENDPOINT_SLICES, slice('web', [podIp(1)]));
  await until(() => lab.ask(lab.pod(0), '10.96.0.10:80').then(String), (answer) => answer.includes('pod1'));
  expect(String(await lab.ask(lab.pod(0), '10.96.0.10:81'))).toContain('refused');
  expect(String(await lab.ask(lab.client, '192.168.50.1:30080'))).toContain('pod1');
}, 30_000);

test('session affinity keeps a client at its endpoint until that goes, over a restart of the proxy too', async () => {
  informers.put(SERVICES, service('sticky', '10.96.0.11', { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } } }));
  informers.put(ENDPOINT_SLICES, slice('sticky', pods));
  await until(ruleset, (text) => text.includes('10.96.0.11'));
  const [first] = [...names(await lab.ask(lab.client, '10.96.0.11:80', 10))];
  expect(names(await lab.ask(lab.client, '10.96.0.11:80', 10))).toEqual(new Set([first]));
  await proxy.stop(1000);
  expect(names(await lab.ask(lab.client, '10.96.0.11:80', 3))).toEqual(new Set([first]));
  proxy = makeProxy();
  await proxy.start(new AbortController().signal);
  expect(names(await lab.ask(lab.client, '10.96.0.11:80', 10))).toEqual(new Set([first]));
  const left = [0, 1, 2].filter((i) => `pod${i}` !== first);
  informers.put(ENDPOINT_SLICES, slice('sticky', left.map(podIp)));
  await until(() => lab.ask(lab.client, '10.96.0.11:80').then(String), (answer) => !answer.startsWith(first!));
  const [second] = [...names(await lab.ask(lab.client, '10.96.0.11:80', 10))];
  expect(left.map((i) => `pod${i}`)).toContain(second);
}, 30_000);

test('no connection fails while the table is written anew', async () => {
  let done = false;
  const asking = lab.ask(lab.client, '10.96.0.10:80', 40).finally(() => (done = true));
  let restarts = 0;
  for (; !done; restarts++) {
    await proxy.stop(1000);
    proxy = makeProxy();
    await proxy.start(new AbortController().signal);
  }
  expect(restarts).toBeGreaterThan(0);
  expect(names(await asking)).toEqual(new Set(['pod1']));
}, 30_000);

test('policy Local keeps the client address and drops without local endpoints; pods and the node are not bound by it', async () => {
  const local = service('local', '10.96.0.12', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', externalIPs: ['172.30.0.1'], ports: [{ port: 80, nodePort: 30081, protocol: 'TCP' }] }, ['172.30.0.2']);
  informers.put(SERVICES, local);
  informers.put(ENDPOINT_SLICES, slice('local', [podIp(0), { ip: podIp(1), nodeName: 'node-2' }]));
  await until(ruleset, (text) => text.includes('30081'));
  for (const address of ['192.168.50.1:30081', '172.30.0.1:80', '172.30.0.2:80']) expect(new Set(await lab.ask(lab.client, address, 5))).toEqual(new Set(['pod0 192.168.50.2']));
  expect(names(await lab.ask(lab.node, '172.30.0.2:80', 20))).toEqual(new Set(['pod0', 'pod1']));
  expect(names(await lab.ask(lab.pod(2), '172.30.0.2:80', 20))).toEqual(new Set(['pod0', 'pod1']));
  informers.put(ENDPOINT_SLICES, slice('local', [{ ip: podIp(1), nodeName: 'node-2' }]));
  await until(ruleset, (text) => text.includes('drop,') || /30081 : drop/.test(text));
  expect(String(await lab.ask(lab.client, '192.168.50.1:30081'))).toContain('timed out');
  expect(String(await lab.ask(lab.pod(2), '172.30.0.2:80'))).toContain('pod1');
}, 30_000);

test('source ranges bound what comes by load-balancer addresses', async () => {
  const ranged = (ranges: readonly string[]) => service('ranged', '10.96.0.13', { type: 'LoadBalancer', loadBalancerSourceRanges: ranges }, ['192.168.50.1']);
  informers.put(SERVICES, ranged(['192.168.51.0/24', '192.168.51.128/25']));
  informers.put(ENDPOINT_SLICES, slice('ranged', [podIp(2)]));
  await until(ruleset, (text) => text.includes('192.168.51.0/24'));
  expect(String(await lab.ask(lab.client, '192.168.50.1:80'))).toContain('timed out');
  informers.put(SERVICES, ranged([' 192.168.50.0/24']));
  await until(ruleset, (text) => text.includes('192.168.50.0/24'));
  expect(String(await lab.ask(lab.client, '192.168.50.1:80'))).toContain('pod2');
  expect(String(await lab.ask(lab.node, '192.168.50.1:80'))).toContain('pod2');
}, 30_000);

test('a UDP flow moves on when its endpoint goes, though the client goes on sending from the same port', async () => {
  const send = (): Promise<string> => lab.shell(lab.client, 'echo q | socat -T0.2 - UDP:10.96.0.14:53,sourceport=40000,reuseaddr');
  informers.put(SERVICES, service('udp', '10.96.0.14', { ports: [{ port: 53, protocol: 'UDP' }] }));
  informers.put(ENDPOINT_SLICES, slice('udp', [podIp(0)], { port: 5353, protocol: 'UDP' }));
  await until(send, (answer) => answer.startsWith('pod0'));
  informers.put(ENDPOINT_SLICES, slice('udp', [podIp(1)], { port: 5353, protocol: 'UDP' }));
  await until(send, (answer) => answer.startsWith('pod1'));
}, 30_000);

test('a service whose endpoint is an address of the node itself', async () => {
  await lab.serve(lab.node, ['TCP-LISTEN:6443,fork,reuseaddr', 'SYSTEM:echo api']);
  informers.put(SERVICES, service('kubernetes', '10.96.0.1', { ports: [{ name: 'https', port: 443, protocol: 'TCP' }] }));
  informers.put(ENDPOINT_SLICES, slice('kubernetes', [{ ip: '192.168.50.1' }], { name: 'https', port: 6443 }));
  await until(() => lab.ask(lab.pod(0), '10.96.0.1:443').then(String), (answer) => answer.includes('api'));
  expect(String(await lab.ask(lab.node, '10.96.0.1:443'))).toContain('api');
}, 30_000);

test('addresses of the range that no service has lead nowhere', async () => {
  expect(String(await lab.ask(lab.node, '10.96.77.77:80'))).toMatch(/timed out|not permitted/);
}, 30_000);
