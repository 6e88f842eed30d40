import { randomBytes } from 'node:crypto';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { PullProgress } from '../../runtime/index.js';
import { digest, imageOf, tarOf, type TestImage } from '../testing/tars.js';
import { FakeRegistry } from '../testing/registry.js';
import { ImageWorld } from '../testing/world.js';

let world: ImageWorld;
let registry: FakeRegistry;
let made: TestImage;
const layer = (image: TestImage, i = 0): string => [...image.blobs.keys()][1 + i]!;

beforeEach(async () => {
  [world, registry] = await Promise.all([ImageWorld.make(), FakeRegistry.start()]);
  made = imageOf([await tarOf([{ name: 'noise', content: randomBytes(2_000_000) }]), await tarOf([{ name: 'b', content: 'b' }])]);
  registry.add('1', made);
});
afterEach(async () => {
  await world.close();
  await registry.stop();
});

test('concurrent pulls share their work; a second pull finds everything there', async () => {
  const store = await world.open();
  const name = `${registry.host}/app:1`;
  const events: PullProgress[] = [];
  const refs = await Promise.all([store.pullImage(name, { progress: (event) => void events.push(event) }), store.pullImage(name), store.pullImage(name)]);
  expect(new Set(refs)).toEqual(new Set([`${registry.host}/app@${made.manifestDigest}`]));
  for (const blob of made.blobs.keys()) expect(registry.count('GET', blob)).toBe(1);
  expect(events.map(({ state }) => state)).toEqual(expect.arrayContaining(['resolving', 'downloading', 'unpacking', 'done']));
  expect(events.at(-1)).toEqual({ image: name, state: 'done' });
  expect(events.filter(({ digest: of, state }) => of === layer(made) && state === 'downloading').at(-1)).toMatchObject({ currentBytes: made.blobs.get(layer(made))!.length, totalBytes: made.blobs.get(layer(made))!.length });
  registry.requests.length = 0;
  expect(await store.pullImage(name)).toBe(refs[0]);
  expect(registry.requests.map(({ method }) => method)).toEqual(['HEAD']);
  expect(await store.pullImage(refs[0]!)).toBe(refs[0]);
  const { layers } = (await store.unpacked(name))!;
  expect(await world.inMount(layers, 'wc -c < noise')).toBe('2000000');
});

test('a tag that moved brings only what is new', async () => {
  const store = await world.open();
  await store.pullImage(`${registry.host}/app:1`);
  const next = imageOf([made.layers[0]!, await tarOf([{ name: 'b', content: 'new' }])]);
  registry.add('1', next);
  registry.requests.length = 0;
  expect(await store.pullImage(`${registry.host}/app:1`)).toContain(next.manifestDigest);
  expect(registry.count('GET', layer(made))).toBe(0);
  expect((await store.imageStatus(made.id))!.names).toEqual([`${registry.host}/app@${made.manifestDigest}`]);
});

test('broken downloads go on where they stopped; errors of a moment are tried again', async () => {
  const store = await world.open();
  const bytes = made.blobs.get(layer(made))!;
  let broken = 0;
  registry.intercept = (request, response) => {
    if (request.url!.endsWith(layer(made)) && broken++ < 4) {
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      response.writeHead(from ? 206 : 200, { 'content-length': bytes.length - from, ...(from ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}) });
      response.write(bytes.subarray(from, from + 300_000), () => setImmediate(() => response.destroy()));
      return true;
    }
    if (request.url!.endsWith('/manifests/1') && registry.count('GET', '/manifests/1') < 3) {
      response.writeHead(503).end();
      return true;
    }
    return false;
  };
  const events: PullProgress[] = [];
  await store.pullImage(`${registry.host}/app:1`, { progress: (event) => void events.push(event) });
  const ranges = registry.requests.filter(({ url }) => url.endsWith(layer(made))).map(({ headers }) => headers.range);
  expect(ranges).toHaveLength(5);
  expect(ranges[0]).toBeUndefined();
  expect(ranges.slice(1).every((range) => /^bytes=[1-9]\d*-$/.test(range!))).toBe(true);
  expect(events.filter(({ state }) => state === 'retrying').length).toBeGreaterThanOrEqual(6);
});

test('a server without ranges begins anew', async () => {
  const store = await world.open();
  let broken = false;
  registry.intercept = (request, response) => {
    if (!request.url!.endsWith(layer(made))) return false;
    const bytes = made.blobs.get(layer(made))!;
    response.writeHead(200, { 'content-length': bytes.length });
    if (broken) response.end(bytes);
    else response.write(bytes.subarray(0, 100_000), () => setImmediate(() => response.destroy()));
    broken = true;
    return true;
  };
  await store.pullImage(`${registry.host}/app:1`);
  expect(registry.count('GET', layer(made))).toBe(2);
});

test('what is wrong is refused and leaves nothing', async () => {
  const store = await world.open({ limits: { blobBytes: 10_000_000 } });
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const put = (tag: string, bytes: Buffer, said?: string): void => void registry.manifests.set(tag, { bytes, type: '', ...(said ? { digest: said } : {}) });
  const parsed = JSON.parse(made.manifest.toString()) as { readonly config: object; readonly layers: readonly object[] };
  put('schema1', json({ schemaVersion: 1, fsLayers: [] }));
  put('huge', Buffer.alloc(5 * 1024 ** 2, ' '));
  put('lied', made.manifest, digest('other'));
  put('layers', json({ ...parsed, layers: [parsed.layers[0]] }));
  put('big', json({ ...parsed, layers: [parsed.layers[0], { ...parsed.layers[1], size: 10_000_001 }] }));
  put('short', json({ ...parsed, layers: [parsed.layers[0], { ...parsed.layers[1], size: 5 }] }));
  put('missing', json({ ...parsed, layers: [parsed.layers[0], { ...parsed.layers[1], digest: digest('missing') }] }));
  put('path', json({ ...parsed, layers: [{ ...parsed.layers[0], digest: 'sha256:../../../../etc/passwd' }] }));
  put('html', Buffer.from('<html>'));
  put('windows', json({ schemaVersion: 2, manifests: [{ digest: made.manifestDigest, size: 1, platform: { os: 'windows', architecture: 'amd64' } }] }));
  const armed = imageOf(made.layers, { architecture: 'arm64' });
  registry.add('arm', armed);
  const loop = json({ schemaVersion: 2, manifests: [{ digest: digest('loop'), size: 1 }] });
  put('loop', loop);
  for (const [tag, message] of [
    ['none', `failed to pull and unpack image "${registry.host}/app:none": failed to resolve reference "${registry.host}/app:none": ${registry.host}/app:none: not found`],
    ['schema1', 'version 2 schema 1 are not supported'], ['huge', 'more than 4194304 bytes'], ['lied', 'has the wrong digest'], ['layers', 'has 1 layers, but its configuration has 2'], ['big', 'at most 10000000 are taken'],
    ['short', 'more than the 5 bytes'], ['missing', 'not found'], ['path', 'must be a sha256'], ['html', 'is not JSON'], ['windows', 'no match for platform in manifest: it has no image for linux/amd64, only windows/amd64'],
    ['arm', 'no match for platform in manifest: it is for linux/arm64'], ['loop', 'not found'],
  ] as const) await expect(store.pullImage(`${registry.host}/app:${tag}`)).rejects.toThrow(message);
  registry.blobs.set(layer(made, 1), Buffer.from('x'.repeat(made.blobs.get(layer(made, 1))!.length)));
  await expect(store.pullImage(`${registry.host}/app:1`)).rejects.toThrow('has the wrong digest');
  await expect(store.pullImage('Not/Ok')).rejects.toMatchObject({ code: 'KUBE_IMAGE_NAME' });
  await expect(store.pullImage('127.0.0.1:1/app:1')).rejects.toThrow(/failed to do request: GET "http:\/\/127\.0\.0\.1:1\/v2\/app\/manifests\/1": .*ECONNREFUSED/);
  await store.prune();
  for (const name of ['images', 'names', 'layers', 'tmp', 'leases']) expect([name, await world.list(name)]).toEqual([name, []]);
});

test('the right entry of an index', async () => {
  const arm = imageOf(made.layers, { architecture: 'arm64', variant: 'v8' });
  registry.add('arm', arm);
  const entry = (image: TestImage, platform: object): object => ({ mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: image.manifestDigest, size: image.manifest.length, platform });
  const index = Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [entry(arm, { os: 'linux', architecture: 'arm64', variant: 'v8' }), entry(arm, { os: 'unknown', architecture: 'unknown' }), entry(made, { os: 'linux', architecture: 'amd64' })] }));
  registry.manifests.set('multi', { bytes: index, type: 'application/vnd.oci.image.index.v1+json' });
  const [here, there] = [await world.open(), await world.open({ architecture: 'arm64', folder: `${world.folder}/arm` })];
  expect(await here.pullImage(`${registry.host}/app:multi`)).toBe(`${registry.host}/app@${digest(index)}`);
  expect((await here.imageStatus(`${registry.host}/app:multi`))!.id).toBe(made.id);
  await there.pullImage(`${registry.host}/app:multi`);
  expect((await there.imageStatus(`${registry.host}/app:multi`))!.id).toBe(arm.id);
});

test('mirrors come first, the registry last; credentials do not follow to another host', async () => {
  const mirror = await FakeRegistry.start();
  const other = await FakeRegistry.start();
  try {
    const store = await world.open({ registries: { [registry.host]: { mirrors: ['http://127.0.0.1:1', `http://${mirror.host}/prefix`], auth: { username: 'u', password: 'p' } } } });
    other.blobs.set(layer(made), made.blobs.get(layer(made))!);
    registry.intercept = (request, response) => {
      if (request.headers.authorization !== `Basic ${Buffer.from('u:p').toString('base64')}`) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
        return true;
      }
      if (!request.url!.endsWith(layer(made))) return false;
      response.writeHead(307, { location: `http://${other.host}/blobs/${layer(made)}` }).end();
      return true;
    };
    await store.pullImage(`${registry.host}/app:1`);
    expect(mirror.requests[0]!.url).toBe(`/prefix/v2/app/manifests/1?ns=${encodeURIComponent(registry.host)}`);
    expect(mirror.requests.some(({ headers }) => headers.authorization)).toBe(false);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    mirror.add('2', imageOf([await tarOf([{ name: 'm', content: 'm' }])]));
    await store.pullImage(`${registry.host}/app:2`);
    expect(registry.count('GET', '/manifests/2')).toBe(0);
    await expect(store.pullImage(`${registry.host}/app:3`, { auth: { username: 'u', password: 'wrong' } })).rejects.toThrow('pull access denied, repository does not exist or may require authorization');
  } finally {
    await mirror.stop();
    await other.stop();
  }
});

test('a pull is given up when all who wait for it give up, and a silent registry is not waited for', async () => {
  const store = await world.open({ idleMilliseconds: 50, retry: { attempts: 2, firstDelay: 1 } });
  registry.intercept = (request) => request.url!.includes('/silent/');
  await expect(store.pullImage(`${registry.host}/silent/app:1`)).rejects.toThrow('no answer for 0.05 s');
  const waiting = await world.open();
  const [one, two] = [new AbortController(), new AbortController()];
  const name = `${registry.host}/silent/app:2`;
  const pulls = [waiting.pullImage(name, { signal: one.signal }), waiting.pullImage(name, { signal: two.signal })];
  one.abort(new Error('first'));
  await expect(pulls[0]).rejects.toThrow('first');
  two.abort(new Error('second'));
  await expect(pulls[1]).rejects.toThrow('second');
  registry.intercept = () => false;
  await waiting.pullImage(name.replace(':2', ':1'));
});

describe('proxies', () => {
  let proxy: Server;
  let seen: string[];
  beforeEach(async () => {
    seen = [];
    proxy = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
      const { pathname, search } = new URL(request.url!);
      const [host, port] = registry.host.split(':');
      request.pipe(httpRequest({ host, port, path: pathname + search, method: request.method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      }));
    });
    proxy.on('connect', (request, socket: Socket) => {
      seen.push(`CONNECT ${request.url}`);
      const [host, port] = registry.host.split(':');
      const upstream = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      for (const each of [socket, upstream]) each.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  test('plain requests go through HTTP_PROXY, TLS through a tunnel of HTTPS_PROXY', async () => {
    const at = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const store = await world.open({ proxy: { http: `http://me:pw@${at}`, https: at, no: '.internal,10.0.0.0/8' }, registries: { 'registry.test': { mirrors: ['http://mirror.test'] }, 'tls.test': { insecure: true } }, retry: { attempts: 1 } });
    await store.pullImage('registry.test/app:1');
    expect(seen[0]).toBe(`GET http://mirror.test/v2/app/manifests/1?ns=registry.test Basic ${Buffer.from('me:pw').toString('base64')}`);
    // What is at the end of the tunnel speaks no TLS; an insecure registry may, and plain HTTP goes through the other proxy.
    await store.pullImage('tls.test/app:1');
    expect(seen.filter((line) => line.startsWith('CONNECT'))).toEqual(['CONNECT tls.test:443']);
    expect(seen.at(-1)).toContain('GET http://tls.test/v2/app/');
  });
});
