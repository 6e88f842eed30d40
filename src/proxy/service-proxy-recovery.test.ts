import { get } from 'node:http';
import { createServer } from 'node:net';
import { Registry } from 'prom-client';
import { ENDPOINT_SLICES, SERVICES } from '../api/resource-refs.js';
import { FakeClock } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import { silentLogger, type Logger } from '../base/log.js';
import { COMMAND_FAILED, type CommandResult, type Commands } from '../base/process/commands.js';
import { SeededRandom } from '../base/random.js';
import type { Client } from '../client/index.js';
import { createServiceProxy } from './service-proxy.js';
import { MemoryInformers } from './testing/memory-informers.js';
import { service, slice, testOptions } from './testing/objects.js';

const noClient: Client = { resource: () => { throw new TypeError('unused'); }, raw: () => Promise.reject(new TypeError('unused')) };
const result = (code: number, stdout = '', stderr = ''): CommandResult => ({ code, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), timedOut: false });

/** A proxy on virtual time whose programs are answered by `answer`. */
function setup(answer: (program: string, args: readonly string[], input: string) => CommandResult | Error, nodeIps: readonly string[] = testOptions.nodeIps) {
  const ran: { readonly program: string; readonly args: readonly string[]; readonly input: string }[] = [];
  const said: string[] = [];
  const log: Logger = { ...silentLogger, warn: (message) => void said.push(message), error: (message, fields) => void said.push(`${message}: ${String(fields?.['error'])}`) };
  const commands: Commands = {
    run: (program, args, options) => {
      const input = String(options?.input ?? '');
      ran.push({ program, args, input });
      const given = answer(program, args, input);
      return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
    },
    start: () => Promise.reject(new TypeError('unused')),
    close: () => Promise.resolve(),
  };
  const clock = new FakeClock();
  const informers = new MemoryInformers();
  const metrics = new Registry();
  const proxy = createServiceProxy({ ...testOptions, nodeIps }, { client: noClient, informers, commands, clock, random: new SeededRandom(), log, metrics });
  const start = async (): Promise<void> => {
    const started = proxy.start(new AbortController().signal);
    await clock.advance(10);
    await started;
  };
  return { ran, said, clock, informers, metrics, proxy, start };
}

test('a transaction that fails is followed by the whole table, later and later', async () => {
  let failing = false;
  const { ran, said, clock, informers, metrics, proxy, start } = setup((_program, args) => (failing && args[0] === '-f' ? result(1, '', 'Error: Device or resource busy') : result(0)));
  await start();
  expect(ran.map(({ input }) => input.split('\n')[1])).toEqual([`delete table ip ${testOptions.table}`]);
  failing = true;
  informers.put(SERVICES, service('web', '10.96.0.10'));
  await clock.advance(20);
  expect(ran).toHaveLength(2);
  expect(ran[1]!.input).not.toContain('delete table');
  expect(said[0]).toContain('Device or resource busy');
  // Changes meanwhile do not shorten the wait.
  informers.put(ENDPOINT_SLICES, slice('web', ['10.244.0.2']));
  await clock.advance(100);
  expect(ran).toHaveLength(2);
  await clock.advance(5000);
  expect(ran.length).toBeGreaterThan(3);
  expect(ran.length).toBeLessThan(8);
  failing = false;
  await clock.advance(10_000);
  const last = ran.at(-1)!.input;
  expect(last).toContain('delete table');
  expect(last).toContain('dnat ip addr . port to numgen random mod 1 map { 0 : 10.244.0.2 . 8080 }');
  const count = ran.length;
  await clock.advance(10_000);
  expect(ran).toHaveLength(count);
  expect(await metrics.metrics()).toMatch(/kubeproxy_sync_proxy_rules_nftables_sync_failures_total\{ip_family="IPv4"\} [3-6]/);
  await proxy.stop(0);
});

test('a table that somebody removed is written anew, and chains out of use are removed after a second', async () => {
  const { ran, said, clock, informers, proxy, start } = setup((_program, args) => (args[0] === 'list' ? result(1, '', 'No such file or directory') : result(0)));
  informers.put(SERVICES, service('web', '10.96.0.10'));
  informers.put(ENDPOINT_SLICES, slice('web', ['10.244.0.2']));
  await start();
  informers.remove(ENDPOINT_SLICES, 'default', 'web-slice');
  await clock.advance(20);
  expect(ran.at(-1)!.input).toMatch(/flush chain ip \S+ service-/);
  expect(ran.at(-1)!.input).not.toContain('delete chain');
  await clock.advance(1100);
  expect(ran.at(-1)!.input).toMatch(/^delete chain ip \S+ service-\S+\n$/);
  expect(said).toEqual([]);
  await clock.advance(45_000);
  expect(ran.at(-1)!.input).toContain('delete table');
  expect(said).toEqual(['somebody changed the rules of services; they are written anew']);
  await proxy.stop(0);
});

test('UDP flows to endpoints that are gone are removed; a missing program is reported once', async () => {
  let missing = false;
  const flow = (destination: string, source: string): string => `udp      17 29 src=10.244.0.9 dst=${destination} sport=1234 dport=53 [UNREPLIED] src=${source} dst=10.244.0.9 sport=5353 dport=1234 mark=0 use=1\n`;
  const listing = flow('10.96.0.14', '10.244.0.2') + flow('10.96.0.14', '10.244.0.3') + flow('10.96.0.15', '10.244.0.2');
  const { ran, said, clock, informers, proxy, start } = setup((program, args) => (program !== 'conntrack' ? result(0) : missing ? new KubeError(COMMAND_FAILED, 'cannot run conntrack: ENOENT') : result(0, args[0] === '-L' ? listing : '')));
  informers.put(SERVICES, service('udp', '10.96.0.14', { ports: [{ port: 53, protocol: 'UDP' }] }));
  informers.put(ENDPOINT_SLICES, slice('udp', ['10.244.0.2', '10.244.0.3'], { port: 5353, protocol: 'UDP' }));
  await start();
  const deletions = (): string[] => ran.filter(({ program, args }) => program === 'conntrack' && args[0] === '-D').map(({ args }) => args.slice(5).join(' '));
  expect(deletions()).toEqual([]);
  const before = ran.length;
  informers.put(ENDPOINT_SLICES, slice('udp', ['10.244.0.2', '10.244.0.3', '10.244.0.4'], { port: 5353, protocol: 'UDP' }));
  await clock.advance(20);
  expect(ran.slice(before).map(({ program }) => program)).toEqual(['nft']);
  informers.put(ENDPOINT_SLICES, slice('udp', ['10.244.0.3'], { port: 5353, protocol: 'UDP' }));
  await clock.advance(20);
  expect(deletions()).toEqual(['--orig-dst 10.96.0.14 --orig-port-dst 53 --reply-src 10.244.0.2 --reply-port-src 5353']);
  missing = true;
  for (const ip of ['10.244.0.4', '10.244.0.5']) {
    informers.put(ENDPOINT_SLICES, slice('udp', [ip], { port: 5353, protocol: 'UDP' }));
    await clock.advance(20);
  }
  expect(said).toHaveLength(1);
  await proxy.stop(0);
});

test('the health-check port tells how many endpoints are here', async () => {
  const port = await freePort();
  const { clock, informers, proxy, start } = setup(() => result(0), ['127.0.0.1']);
  const balanced = service('web', '10.96.0.10', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: port });
  informers.put(SERVICES, balanced);
  informers.put(ENDPOINT_SLICES, slice('web', ['10.244.0.2', { ip: '10.244.0.3', nodeName: 'node-2' }]));
  await start();
  expect(await ask(port)).toMatchObject({ code: 200, weight: '1', body: { service: { namespace: 'default', name: 'web' }, localEndpoints: 1, serviceProxyHealthy: true } });
  informers.put(ENDPOINT_SLICES, slice('web', [{ ip: '10.244.0.3', nodeName: 'node-2' }]));
  await clock.advance(20);
  expect(await ask(port)).toMatchObject({ code: 503, weight: '0' });
  informers.remove(SERVICES, 'default', 'web');
  await clock.advance(20);
  await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
  await proxy.stop(0);
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function ask(port: number): Promise<{ readonly code: number | undefined; readonly weight: unknown; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ code: response.statusCode, weight: response.headers['x-load-balancing-endpoint-weight'], body: JSON.parse(text) }));
    }).on('error', reject);
  });
}
