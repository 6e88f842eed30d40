import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ENDPOINT_SLICES, SERVICES } from '../api/resource-refs.js';
import { SystemClock } from '../base/clock.js';
import { silentLogger, type Logger } from '../base/log.js';
import type { Commands } from '../base/process/commands.js';
import { directCommands } from '../base/process/direct.js';
import { runChecked } from '../base/process/run-checked.js';
import { SeededRandom } from '../base/random.js';
import type { Client } from '../client/index.js';
import { createServiceProxy } from './service-proxy.js';
import { MemoryInformers } from './testing/memory-informers.js';
import { service, slice, testOptions } from './testing/objects.js';

const SERVICE_COUNT = 1000;
const ENDPOINTS_EACH = 10;
const namespace = `kpn${process.pid}`;
const direct = directCommands();

beforeAll(() => runChecked(direct, 'ip', ['netns', 'add', namespace]));
afterAll(() => runChecked(direct, 'ip', ['netns', 'delete', namespace]));

const clusterIp = (i: number): string => `10.96.${i >> 8}.${i & 255}`;
const endpointsOf = (i: number): string[] => Array.from({ length: ENDPOINTS_EACH }, (_, j) => `10.244.${(i * ENDPOINTS_EACH + j) >> 8}.${(i * ENDPOINTS_EACH + j) & 255}`);

/** `KUBE_BENCH=1` prints what was measured; no time is a condition. */
function report(what: string, milliseconds: number): void {
  if (process.env['KUBE_BENCH']) process.stderr.write(`${what}: ${milliseconds.toFixed(1)} ms\n`);
}

test('1,000 services with 10,000 endpoints; after that a change tells the kernel no more than what changed', async () => {
  const scripts: string[] = [];
  let applied = (): void => undefined;
  const commands: Commands = {
    run: async (program, args, options) => {
      const result = await direct.run('ip', ['netns', 'exec', namespace, program, ...args], options);
      scripts.push(String(options?.input ?? args.join(' ')));
      applied();
      return result;
    },
    start: () => Promise.reject(new TypeError('unused')),
    close: () => direct.close(),
  };
  const problems: string[] = [];
  const log: Logger = { ...silentLogger, warn: (message) => void problems.push(message), error: (message) => void problems.push(message) };
  const noClient: Client = { resource: () => { throw new TypeError('unused'); }, raw: () => Promise.reject(new TypeError('unused')) };
  const informers = new MemoryInformers();
  for (let i = 0; i < SERVICE_COUNT; i++) {
    informers.put(SERVICES, service(`s${i}`, clusterIp(i)));
    informers.put(ENDPOINT_SLICES, slice(`s${i}`, endpointsOf(i)));
  }
  const clock = new SystemClock();
  const proxy = createServiceProxy(testOptions, { client: noClient, informers, commands, clock, random: new SeededRandom(), log });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const begin = clock.monotonic();
  await proxy.start(new AbortController().signal);
  report(`${SERVICE_COUNT} services with ${SERVICE_COUNT * ENDPOINTS_EACH} endpoints`, clock.monotonic() - begin);
  for (let change = 0; change < 5; change++) {
    const done = new Promise<void>((resolve) => (applied = resolve));
    const at = clock.monotonic();
    informers.put(ENDPOINT_SLICES, slice('s7', endpointsOf(7).slice(0, ENDPOINTS_EACH - 1 - change)));
    await done;
    report('one change', clock.monotonic() - at);
  }
  delay.disable();
  report('longest time that the event loop was held', delay.max / 1e6);
  await proxy.stop(0);
  expect(problems).toEqual([]);
  expect(scripts).toHaveLength(6);
  for (const script of scripts.slice(1)) expect(script.length).toBeLessThan(1500);
  const listing = await runChecked(direct, 'ip', ['netns', 'exec', namespace, 'nft', 'list', 'set', 'ip', testOptions.table, 'hairpin-connections']);
  expect(listing.stdout.toString().match(/ \. tcp \. 8080/g)).toHaveLength(SERVICE_COUNT * ENDPOINTS_EACH - 5);
}, 60_000);
