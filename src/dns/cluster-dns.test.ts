import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, encode, TRUNCATED_RESPONSE, type Answer, type DecodedPacket, type Question, type RecordType } from 'dns-packet';
import { Registry } from 'prom-client';
import type { V1EndpointSlice, V1Namespace, V1Service } from '../api/generated/types.js';
import { ENDPOINT_SLICES, NAMESPACES, SERVICES } from '../api/resource-refs.js';
import { FakeClock, SystemClock, type Clock } from '../base/clock.js';
import { silentLogger } from '../base/log.js';
import { SeededRandom, SystemRandom } from '../base/random.js';
import { FakeApi } from '../controllers/testing/fake-api.js';
import { createClusterDns, type ClusterDns, type ClusterDnsOptions } from './index.js';

type Ask = { readonly udpSize?: number; readonly tcp?: boolean; readonly id?: number };
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const service = (namespace: string, name: string, spec: V1Service['spec']): V1Service => ({ apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec });
const slice = (namespace: string, name: string, endpoints: V1EndpointSlice['endpoints'], more: Partial<V1EndpointSlice> = {}): V1EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { namespace, name: `${name}-x1`, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4', endpoints, ports: [{ name: 'http', port: 8080, protocol: 'TCP' }, { name: 'dns', port: 53, protocol: 'UDP' }], ...more,
});

async function start(options: Partial<ClusterDnsOptions> = {}, prepare: (api: FakeApi) => void = () => undefined, clock: Clock = new SystemClock()): Promise<{ dns: ClusterDns; api: FakeApi; metrics: Registry }> {
  const api = new FakeApi();
  for (const name of ['default', 'kube-system', 'other']) api.seed(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as V1Namespace);
  api.seed(SERVICES, service('default', 'kubernetes', { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], ports: [{ name: 'https', port: 443, protocol: 'TCP' }] }));
  prepare(api);
  const metrics = new Registry();
  const dns = createClusterDns(
    { address: '127.0.0.1', port: 0, clusterDomain: 'cluster.local', serviceAddress: '10.96.0.10', upstreams: [], ...options },
    { client: api, informers: api, clock, random: new SystemRandom(), log: silentLogger, metrics },
  );
  cleanups.push(() => dns.stop(1000));
  await dns.start(new AbortController().signal);
  return { dns, api, metrics };
}

function raw(port: number, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.on('error', reject).on('message', (message) => {
      socket.close();
      resolve(message);
    });
    socket.send(bytes, port, '127.0.0.1');
  });
}

/** Sends queries over one TCP connection and returns the answers in the order in which they came. */
function rawTcp(port: number, queries: readonly Buffer[]): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const answers: Buffer[] = [];
    let rest: Buffer = Buffer.alloc(0);
    socket.on('error', reject).on('close', () => resolve(answers));
    socket.write(Buffer.concat(queries.flatMap((query) => [Buffer.from([query.length >> 8, query.length & 255]), query])));
    socket.on('data', (piece) => {
      rest = Buffer.concat([rest, piece]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        answers.push(rest.subarray(2, 2 + rest.readUInt16BE(0)));
        rest = rest.subarray(2 + rest.readUInt16BE(0));
      }
      if (answers.length === queries.length) socket.destroy();
    });
  });
}

function query(name: string, type: string, { udpSize, id = 77 }: Ask = {}): Buffer {
  return encode({
    type: 'query', id, flags: 0x100, questions: [{ type: type as RecordType, name }],
    ...(udpSize ? { additionals: [{ type: 'OPT', name: '.', udpPayloadSize: udpSize, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }] } : {}),
  });
}

async function ask(port: number, name: string, type = 'A', options: Ask = {}): Promise<DecodedPacket> {
  const bytes = query(name, type, options);
  const answer = decode(options.tcp ? (await rawTcp(port, [bytes]))[0]! : await raw(port, bytes));
  expect(answer).toMatchObject({ id: 77, type: 'response', questions: [{ name, type }] });
  return answer;
}

const text = (answer: DecodedPacket): string[] => (answer.answers ?? []).map((record) => {
  const data: unknown = 'data' in record ? record.data : '';
  return `${record.name} ${'ttl' in record ? record.ttl : ''} ${record.type} ${typeof data === 'string' ? data : Array.isArray(data) ? data.join('') : JSON.stringify(data)}`;
}).sort();
const code = (answer: DecodedPacket): string => `${(answer as unknown as { rcode: string }).rcode}${answer.authorities?.[0]?.type === 'SOA' ? ' SOA' : ''}`;

const web = (api: FakeApi): void => {
  api.seed(SERVICES, service('default', 'web', { clusterIP: '10.96.1.1', clusterIPs: ['10.96.1.1', 'fd00::1:1'], ports: [{ name: 'http', port: 80, protocol: 'TCP' }, { name: 'dns', port: 53, protocol: 'UDP' }] }));
  api.seed(ENDPOINT_SLICES, slice('default', 'web', [{ addresses: ['10.244.0.5'], conditions: { ready: true } }]));
  api.seed(SERVICES, service('other', 'db', { clusterIP: 'None', clusterIPs: ['None'], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }));
  api.seed(ENDPOINT_SLICES, slice('other', 'db', [
    { addresses: ['10.244.0.6'], hostname: 'db-0', conditions: { ready: true } },
    { addresses: ['10.244.0.7'], conditions: {} },
    { addresses: ['10.244.0.8'], hostname: 'db-2', conditions: { ready: false } },
  ]));
  api.seed(SERVICES, service('other', 'empty', { clusterIP: 'None', clusterIPs: ['None'] }));
  api.seed(SERVICES, service('other', 'portless', { clusterIP: 'None', clusterIPs: ['None'] }));
  api.seed(ENDPOINT_SLICES, slice('other', 'portless', [{ addresses: ['10.244.0.9'] }], { ports: [] }));
  api.seed(SERVICES, service('other', 'alias', { type: 'ExternalName', externalName: 'Example.test' }));
  api.seed(SERVICES, service('other', 'inner', { type: 'ExternalName', externalName: 'web.default.svc.cluster.local' }));
  api.seed(SERVICES, service('other', 'loop', { type: 'ExternalName', externalName: 'loop.other.svc.cluster.local' }));
};

test('addresses of services, endpoints and pods', async () => {
  const { dns: { port } } = await start({}, web);
  const cases: [string, string, string, string[]][] = [
    ['kubernetes.default.svc.cluster.local', 'A', 'NOERROR', ['10.96.0.1']],
    ['WeB.default.SVC.cluster.local', 'A', 'NOERROR', ['10.96.1.1']],
    ['web.default.svc.cluster.local', 'AAAA', 'NOERROR', ['fd00::1:1']],
    ['kubernetes.default.svc.cluster.local', 'AAAA', 'NOERROR SOA', []],
    ['kubernetes.default.svc.cluster.local', 'MX', 'NOERROR SOA', []],
    ['kubernetes.default.svc.cluster.local', 'ANY', 'NOERROR SOA', []],
    ['10-244-0-5.web.default.svc.cluster.local', 'A', 'NOERROR', ['10.244.0.5']],
    ['_http._tcp.web.default.svc.cluster.local', 'A', 'NOERROR', ['10.96.1.1']],
    ['_none._tcp.web.default.svc.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['db.other.svc.cluster.local', 'A', 'NOERROR', ['10.244.0.6', '10.244.0.7']],
    ['db-0.db.other.svc.cluster.local', 'A', 'NOERROR', ['10.244.0.6']],
    ['10-244-0-7.db.other.svc.cluster.local', 'A', 'NOERROR', ['10.244.0.7']],
    ['db-2.db.other.svc.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['empty.other.svc.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['portless.other.svc.cluster.local', 'A', 'NOERROR', ['10.244.0.9']],
    ['nothing.default.svc.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['nothing.default.svc.cluster.local', 'MX', 'NXDOMAIN SOA', []],
    ['*.default.svc.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['web.nowhere.svc.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['default.svc.cluster.local', 'A', 'NOERROR SOA', []],
    ['nowhere.svc.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['svc.cluster.local', 'A', 'NOERROR SOA', []],
    ['cluster.local', 'A', 'NOERROR SOA', []],
    ['web.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['a.b.c.web.default.svc.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['1-2-3-4.default.pod.cluster.local', 'A', 'NOERROR', ['1.2.3.4']],
    ['1-2-3-4.nowhere.pod.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['fd00--5.default.pod.cluster.local', 'AAAA', 'NOERROR', ['fd00::5']],
    ['1-2-3-456.default.pod.cluster.local', 'A', 'NXDOMAIN SOA', []],
    ['ns.dns.cluster.local', 'A', 'NOERROR', ['10.96.0.10']],
  ];
  for (const [name, type, rcode, addresses] of cases) {
    const answer = await ask(port, name, type);
    expect([name, type, code(answer), ...text(answer)]).toEqual([name, type, rcode, ...addresses.map((address) => `${name} 30 ${type} ${address}`)]);
    expect(answer.flag_aa).toBe(true);
  }
});

test('SOA of a negative answer says 30 seconds', async () => {
  const { dns: { port } } = await start();
  const [soa] = (await ask(port, 'no.default.svc.cluster.local')).authorities ?? [];
  expect(soa).toMatchObject({ name: 'cluster.local', ttl: 30, data: { mname: 'ns.dns.cluster.local', rname: 'hostmaster.cluster.local', refresh: 7200, retry: 1800, expire: 86_400, minimum: 30 } });
});

test('SRV, TXT, NS, PTR', async () => {
  const { dns: { port } } = await start({}, web);
  const srv = await ask(port, '_http._tcp.web.default.svc.cluster.local', 'SRV');
  expect(text(srv)).toEqual(['_http._tcp.web.default.svc.cluster.local 30 SRV {"priority":0,"weight":50,"port":80,"target":"web.default.svc.cluster.local"}']);
  expect(srv.additionals?.map((record) => 'data' in record && record.data)).toEqual(['10.96.1.1', 'fd00::1:1']);
  const headless = await ask(port, '_http._tcp.db.other.svc.cluster.local', 'SRV');
  expect(text(headless)).toEqual(['10-244-0-7', 'db-0'].map((host) => `_http._tcp.db.other.svc.cluster.local 30 SRV {"priority":0,"weight":50,"port":8080,"target":"${host}.db.other.svc.cluster.local"}`));
  expect(code(await ask(port, '_http._udp.web.default.svc.cluster.local', 'SRV'))).toBe('NXDOMAIN SOA');
  expect(code(await ask(port, 'portless.other.svc.cluster.local', 'SRV'))).toBe('NOERROR SOA');
  expect(code(await ask(port, 'alias.other.svc.cluster.local', 'SRV'))).toBe('NOERROR SOA');
  expect(text(await ask(port, 'dns-version.cluster.local', 'TXT'))).toEqual(['dns-version.cluster.local 28800 TXT 1.1.0']);
  expect(text(await ask(port, 'cluster.local', 'NS'))).toEqual(['cluster.local 30 NS kube-dns.kube-system.svc.cluster.local']);
  expect(text(await ask(port, '1.0.96.10.in-addr.arpa', 'PTR'))).toEqual(['1.0.96.10.in-addr.arpa 30 PTR kubernetes.default.svc.cluster.local']);
  expect(text(await ask(port, '6.0.244.10.in-addr.arpa', 'PTR'))).toEqual(['6.0.244.10.in-addr.arpa 30 PTR db-0.db.other.svc.cluster.local']);
  const six = '1.0.0.0.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa';
  expect(text(await ask(port, six, 'PTR'))).toEqual([`${six} 30 PTR web.default.svc.cluster.local`]);
});

test('changes show at once, and the kube-dns service resolves', async () => {
  const { dns: { port }, api } = await start({}, web);
  api.edit(ENDPOINT_SLICES, 'other', 'db-x1', (old) => ({ endpoints: old.endpoints!.map((endpoint) => ({ ...endpoint, conditions: { ready: true } })) }));
  expect(text(await ask(port, 'db-2.db.other.svc.cluster.local'))).toHaveLength(1);
  expect(text(await ask(port, 'kube-dns.kube-system.svc.cluster.local'))).toEqual(['kube-dns.kube-system.svc.cluster.local 30 A 10.96.0.10']);
});

test('big answers: truncated at 512 bytes, more with EDNS, whole over TCP', async () => {
  const { dns: { port } } = await start({}, (api) => {
    api.seed(SERVICES, service('other', 'big', { clusterIP: 'None', clusterIPs: ['None'] }));
    api.seed(ENDPOINT_SLICES, slice('other', 'big', Array.from({ length: 200 }, (_, i) => ({ addresses: [`10.1.0.${i}`] }))));
  });
  const name = 'big.other.svc.cluster.local';
  const small = await ask(port, name);
  expect(small.flag_tc).toBe(true);
  expect(small.answers!.length).toBe(29);
  const medium = await ask(port, name, 'A', { udpSize: 1232 });
  expect(medium.flag_tc).toBe(true);
  expect(medium.answers!.length).toBeGreaterThan(70);
  expect(medium.additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232 }]);
  expect((await ask(port, name, 'A', { udpSize: 4096 })).answers).toHaveLength(200);
  const whole = await ask(port, name, 'A', { tcp: true });
  expect(whole.flag_tc).toBe(false);
  expect(new Set(text(whole)).size).toBe(200);
});

test('an ordinary resolver gets along with it', async () => {
  const { dns: { port } } = await start({}, (api) => {
    web(api);
    api.seed(SERVICES, service('other', 'big', { clusterIP: 'None', clusterIPs: ['None'] }));
    api.seed(ENDPOINT_SLICES, slice('other', 'big', Array.from({ length: 200 }, (_, i) => ({ addresses: [`10.1.0.${i}`] }))));
  });
  const resolver = new Resolver({ timeout: 5000, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  expect(await resolver.resolve4('kubernetes.default.svc.cluster.local')).toEqual(['10.96.0.1']);
  expect(await resolver.resolve6('web.default.svc.cluster.local')).toEqual(['fd00::1:1']);
  expect(new Set(await resolver.resolve4('big.other.svc.cluster.local')).size).toBe(200);
  expect(await resolver.resolveSrv('_http._tcp.web.default.svc.cluster.local')).toMatchObject([{ name: 'web.default.svc.cluster.local', port: 80 }]);
  expect(await resolver.resolveCname('alias.other.svc.cluster.local')).toEqual(['Example.test']);
  expect(await resolver.resolveTxt('dns-version.cluster.local')).toEqual([['1.1.0']]);
  expect(await resolver.reverse('10.244.0.6')).toEqual(['db-0.db.other.svc.cluster.local']);
  expect(await resolver.resolveSoa('cluster.local')).toMatchObject({ nsname: 'ns.dns.cluster.local', minttl: 30 });
  await expect(resolver.resolve4('no.default.svc.cluster.local')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(resolver.resolve6('kubernetes.default.svc.cluster.local')).rejects.toMatchObject({ code: 'ENODATA' });
});

test('several queries on a TCP connection, pipelined', async () => {
  const { dns: { port } } = await start({}, web);
  const answers = await rawTcp(port, Array.from({ length: 150 }, (_, i) => query(i % 2 ? 'web.default.svc.cluster.local' : 'db.other.svc.cluster.local', 'A', { id: i })));
  expect(answers.map((answer) => answer.readUInt16BE(0)).sort((a, b) => a - b)).toEqual(Array.from({ length: 150 }, (_, i) => i));
});

test('broken packets are refused or dropped, and the server goes on', async () => {
  const { dns: { port } } = await start({}, web);
  const broken = await raw(port, Buffer.from('1234010000010000000000003f6162', 'hex'));
  expect(broken.toString('hex')).toBe('123481010000000000000000');
  const socket = createSocket('udp4');
  for (let i = 0; i < 200; i++) socket.send(new SystemRandom().bytes(1 + (i % 60)), port, '127.0.0.1');
  expect(await rawTcp(port, [Buffer.from([1, 2, 3])])).toEqual([]);
  expect(text(await ask(port, 'kubernetes.default.svc.cluster.local'))).toHaveLength(1);
  socket.close();
  const chaos = await raw(port, encode({ type: 'query', id: 1, questions: [{ type: 'TXT', class: 'CH', name: 'version.bind' }] }));
  expect(code(decode(chaos))).toBe('REFUSED');
});

/** A DNS server on loopback that notes what it is asked; `answer` undefined stays silent. */
async function upstream(answer: (question: Question, transport: 'udp' | 'tcp') => { readonly answers?: Answer[]; readonly authorities?: Answer[]; readonly flags?: number } | undefined): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const reply = (bytes: Buffer, transport: 'udp' | 'tcp'): Buffer | undefined => {
    const { id = 0, questions = [] } = decode(bytes);
    asked.push(`${transport} ${questions[0]!.type} ${questions[0]!.name}`);
    const given = answer(questions[0]!, transport);
    return given && encode({ type: 'response', id, questions, ...given, flags: 0x1a0 | (given.flags ?? 0), additionals: [{ type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }] });
  };
  const server = createServer((socket) => socket.on('error', () => undefined).on('data', (bytes) => {
    const answered = reply(bytes.subarray(2), 'tcp');
    if (answered) socket.write(Buffer.concat([Buffer.from([answered.length >> 8, answered.length & 255]), answered]));
  }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const udp = createSocket('udp4');
  udp.on('message', (bytes, from) => {
    const answered = reply(bytes, 'udp');
    if (answered) udp.send(answered, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => udp.close(() => server.close(resolve))));
  return { address: `127.0.0.1:${port}`, asked };
}

test('other names are asked upstream once for all who ask, and kept for 30 s at most', async () => {
  const up = await upstream(({ name }) => ({ answers: [{ type: 'A', name, ttl: 3600, data: '192.0.2.1' }] }));
  const { dns: { port }, metrics } = await start({ upstreams: [up.address] });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(port, i % 2 ? 'www.example.test' : 'WWW.Example.Test')));
  expect(up.asked).toHaveLength(1);
  for (const answer of answers) {
    expect(answer.flag_ra).toBe(true);
    expect(answer.flag_ad).toBe(false);
    expect(answer.additionals).toEqual([]);
    expect(text(answer)[0]).toMatch(/ A 192\.0\.2\.1$/);
  }
  expect(text(await ask(port, 'www.example.test'))[0]).toMatch(/ (30|29|28) A /);
  expect((await ask(port, 'www.example.test', 'A', { udpSize: 1400 })).additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1400 }]);
  expect(up.asked).toHaveLength(1);
  expect(await metrics.getSingleMetricAsString('coredns_cache_misses_total')).toContain('coredns_cache_misses_total');
});

test('a truncated upstream answer is fetched over TCP; too big for the client it is truncated again', async () => {
  const up = await upstream(({ name }, transport) => (transport === 'udp' ? { flags: TRUNCATED_RESPONSE } : { answers: Array.from({ length: 60 }, (_, i) => ({ type: 'A' as const, name, ttl: 60, data: `192.0.2.${i}` })) }));
  const { dns: { port } } = await start({ upstreams: [up.address] });
  const small = await ask(port, 'big.test');
  expect([small.flag_tc, small.answers?.length]).toEqual([true, 0]);
  expect((await ask(port, 'big.test', 'A', { tcp: true })).answers).toHaveLength(60);
  expect(up.asked).toEqual(['udp A big.test', 'tcp A big.test']);
});

test('refusing and dead servers: the next one is asked; nobody left is SERVFAIL', async () => {
  const refusing = await upstream(() => ({ flags: 5 }));
  const good = await upstream(({ name }) => ({ answers: [{ type: 'A', name, ttl: 60, data: '192.0.2.9' }] }));
  const { dns: { port } } = await start({ upstreams: ['127.0.0.1:1', refusing.address, good.address] });
  expect(text(await ask(port, 'x.test'))).toEqual(['x.test 30 A 192.0.2.9']);
  expect(refusing.asked).toHaveLength(1);
  const alone = await start({ upstreams: ['127.0.0.1:1'] });
  expect(code(await ask(alone.dns.port, 'x.test'))).toBe('SERVFAIL');
  const none = await start();
  expect(code(await ask(none.dns.port, 'x.test', 'A', { udpSize: 1232 }))).toBe('SERVFAIL');
});

/** Moves virtual time on until `work` is done, giving sockets their turns. */
async function passing<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let done = false;
  const finished = work.finally(() => (done = true));
  while (!done) {
    for (let turn = 0; turn < 20 && !done; turn++) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(100);
  }
  return finished;
}

test('a silent server is given up, asked last the next time, and nobody waits for it twice', async () => {
  const clock = new FakeClock();
  const silent = await upstream(() => undefined);
  const good = await upstream(({ name }) => ({ answers: [{ type: 'A', name, ttl: 60, data: '192.0.2.9' }] }));
  const { dns: { port } } = await start({ upstreams: [silent.address, good.address] }, undefined, clock);
  expect(text(await passing(clock, ask(port, 'x.test')))).toEqual(['x.test 30 A 192.0.2.9']);
  expect(text(await ask(port, 'y.test'))).toEqual(['y.test 30 A 192.0.2.9']);
  expect(silent.asked).toEqual(['udp A x.test']);
});

test('a loop of forwarders ends as SERVFAIL after a few questions', async () => {
  const clock = new FakeClock();
  const relayed: Buffer[] = [];
  const loop = createSocket('udp4');
  await new Promise<void>((resolve) => loop.bind(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => loop.close(() => resolve(undefined))));
  const { dns: { port } } = await start({ upstreams: [`127.0.0.1:${loop.address().port}`] }, undefined, clock);
  loop.on('message', (bytes, from) => {
    if (from.port === port) return;
    relayed.push(bytes);
    loop.send(bytes, port, '127.0.0.1');
  });
  expect(code(await passing(clock, ask(port, 'x.test')))).toBe('SERVFAIL');
  expect(relayed.length).toBeLessThanOrEqual(3);
});

test('idle TCP connections are closed, after what was asked was answered', async () => {
  const clock = new FakeClock();
  const { dns: { port } } = await start({}, web, clock);
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  const bytes = query('web.default.svc.cluster.local', 'A');
  socket.write(Buffer.concat([Buffer.from([0, bytes.length]), bytes]));
  await answered;
  await clock.advance(9000);
  expect(socket.destroyed).toBe(false);
  await passing(clock, closed);
  expect(clock.pending).toBe(0);
});

test('upstream answers that are broken in any way become answers or failures', async () => {
  const random = new SeededRandom(5);
  const udp = createSocket('udp4');
  udp.on('message', (bytes, from) => {
    const { id = 0, questions = [] } = decode(bytes);
    const name = questions[0]!.name;
    const answer = encode({ type: 'response', id, flags: 0x180, questions, answers: [{ type: 'CNAME', name, ttl: 9, data: 'b.test' }, { type: 'A', name: 'b.test', ttl: 9, data: '192.0.2.1' }], additionals: [{ type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }] });
    const start = 12 + name.length + 6;
    for (let i = 0; i < 3; i++) answer[start + Math.floor(random.float() * (answer.length - start))] = Math.floor(random.float() * 256);
    if (random.float() < 0.3) answer[7] = Math.floor(random.float() * 4);
    udp.send(random.float() < 0.3 ? answer.subarray(0, start + Math.floor(random.float() * (answer.length - start))) : answer, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => udp.close(() => resolve(undefined))));
  const { dns: { port }, api } = await start({ upstreams: [`127.0.0.1:${udp.address().port}`] }, web);
  const codes = new Set<number>();
  for (let i = 0; i < 150; i++) codes.add((await raw(port, query(`n${i}.test`, 'A'))).readUInt16BE(2) & 0xf);
  expect([...codes].sort()).toEqual([0, 2]);
  for (let i = 0; i < 50; i++) {
    api.seed(SERVICES, service('other', `e${i}`, { type: 'ExternalName', externalName: `m${i}.test` }));
    expect((await raw(port, query(`e${i}.other.svc.cluster.local`, 'A'))).readUInt16BE(2) & 0xf).toBe(0);
  }
});

test('unknown addresses are asked upstream too', async () => {
  const up = await upstream(({ name }) => ({ answers: [{ type: 'PTR', name, ttl: 60, data: 'host.test' }] }));
  const { dns: { port } } = await start({ upstreams: [up.address] });
  expect(text(await ask(port, '9.2.0.192.in-addr.arpa', 'PTR'))).toEqual(['9.2.0.192.in-addr.arpa 30 PTR host.test']);
});

test('external names', async () => {
  const up = await upstream(({ name, type }) => ({ answers: type === 'A' ? [{ type: 'CNAME', name, ttl: 60, data: 'real.test' }, { type: 'A', name: 'real.test', ttl: 60, data: '192.0.2.7' }] : [] }));
  const { dns: { port } } = await start({ upstreams: [up.address] }, web);
  expect(text(await ask(port, 'alias.other.svc.cluster.local'))).toEqual(['alias.other.svc.cluster.local 30 CNAME Example.test', 'example.test 30 CNAME real.test', 'real.test 30 A 192.0.2.7']);
  expect(text(await ask(port, 'alias.other.svc.cluster.local', 'CNAME'))).toEqual(['alias.other.svc.cluster.local 30 CNAME Example.test']);
  expect(text(await ask(port, 'inner.other.svc.cluster.local'))).toEqual(['inner.other.svc.cluster.local 30 CNAME web.default.svc.cluster.local', 'web.default.svc.cluster.local 30 A 10.96.1.1']);
  expect(code(await ask(port, 'loop.other.svc.cluster.local'))).toBe('NOERROR SOA');
});

test('a resolv.conf never leads to ourselves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kube-dns-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const resolvConf = join(folder, 'resolv.conf');
  await writeFile(resolvConf, 'search a.test\nnameserver 10.96.0.10\n');
  const api = new FakeApi();
  const said: unknown[] = [];
  const dns = createClusterDns(
    { address: '127.0.0.1', port: 0, clusterDomain: 'cluster.local', serviceAddress: '10.96.0.10', resolvConf },
    { client: api, informers: api, clock: new SystemClock(), random: new SystemRandom(), log: { ...silentLogger, warn: (message) => said.push(message) }, metrics: new Registry() },
  );
  cleanups.push(() => dns.stop(1000));
  await dns.start(new AbortController().signal);
  expect(said).toEqual(['cluster DNS does not ask itself for other names', 'cluster DNS knows no server for other names; only names of the cluster are resolved']);
  expect(code(await ask(dns.port, 'x.test'))).toBe('SERVFAIL');
});

test('the kube-dns service and its slice are made, mended, and left to others when they have a selector', async () => {
  const { api, dns: { port } } = await start();
  const until = async (done: () => unknown): Promise<void> => {
    while (!done()) await new Promise((resolve) => setImmediate(resolve));
  };
  await until(() => api.find(ENDPOINT_SLICES, 'kube-system', 'kube-dns'));
  expect(api.find(SERVICES, 'kube-system', 'kube-dns')).toMatchObject({
    metadata: { labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' } },
    spec: { clusterIP: '10.96.0.10', ports: [{ name: 'dns', port: 53, protocol: 'UDP' }, { name: 'dns-tcp', port: 53, protocol: 'TCP' }] },
  });
  expect(api.find(ENDPOINT_SLICES, 'kube-system', 'kube-dns')).toMatchObject({
    metadata: { labels: { 'kubernetes.io/service-name': 'kube-dns', 'endpointslice.kubernetes.io/managed-by': 'kube-dns.kube' } },
    endpoints: [{ addresses: ['127.0.0.1'] }], ports: [{ name: 'dns', port, protocol: 'UDP' }, { name: 'dns-tcp', port, protocol: 'TCP' }],
  });
  await api.resource(SERVICES).delete('kube-system', 'kube-dns');
  await until(() => api.find(SERVICES, 'kube-system', 'kube-dns'));
  api.edit(ENDPOINT_SLICES, 'kube-system', 'kube-dns', () => ({ endpoints: [] }));
  await until(() => api.find(ENDPOINT_SLICES, 'kube-system', 'kube-dns')?.endpoints?.length === 1);

  const other = await start({}, (fresh) => fresh.seed(SERVICES, service('kube-system', 'kube-dns', { clusterIP: '10.96.0.10', selector: { 'k8s-app': 'kube-dns' }, ports: [] })));
  await ask(other.dns.port, 'kubernetes.default.svc.cluster.local');
  expect(other.api.actions.filter(({ verb }) => verb === 'create' || verb === 'update')).toEqual([]);
});

test('an address that is taken is an error that names it, and stop can be called at any time', async () => {
  const { dns } = await start();
  await expect(start({ port: dns.port })).rejects.toMatchObject({ code: 'KUBE_DNS_LISTEN', message: expect.stringContaining(`127.0.0.1, port ${dns.port}: EADDRINUSE`) });
  await expect(start({ upstreams: ['dns.example'] })).rejects.toMatchObject({ code: 'KUBE_DNS_UPSTREAMS' });
  await dns.stop(1000);
  await dns.stop(1000);
});

test('the role can start again beside the same metrics', async () => {
  const api = new FakeApi();
  const metrics = new Registry();
  for (let turn = 0; turn < 2; turn++) {
    const dns = createClusterDns(
      { address: '127.0.0.1', port: 0, clusterDomain: 'cluster.local', serviceAddress: '10.96.0.10', upstreams: [] },
      { client: api, informers: api, clock: new SystemClock(), random: new SystemRandom(), log: silentLogger, metrics },
    );
    await dns.start(new AbortController().signal);
    expect(code(await ask(dns.port, 'cluster.local'))).toBe('NOERROR SOA');
    await dns.stop(1000);
  }
  expect(await metrics.getSingleMetricAsString('coredns_dns_responses_total')).toContain('coredns_dns_responses_total{rcode="NOERROR"} 1');
});
