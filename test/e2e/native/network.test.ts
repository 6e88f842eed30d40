import { jest } from '@jest/globals';
import { eventually, run, type ExecutableCluster } from '../../harness/executable.js';
import { startNative } from '../../harness/native.js';
import { manifest, startApplication } from './kubectl-process.js';

jest.setTimeout(180_000);

let cluster: ExecutableCluster;
let replicas: readonly string[];
beforeAll(async () => {
  cluster = await startNative();
  await startApplication(cluster);
  await cluster.kubectl(`apply -f ${manifest('network')}`);
  await cluster.kubectl('wait -n other pods --all --for=condition=Ready --timeout=60s');
  replicas = (await get('pods -n shop -l app=web', '.items[*].metadata.name')).split(' ').sort();
});
afterAll(() => cluster.remove());

const get = (what: string, path: string): Promise<string> => cluster.kubectl(`get ${what} -o jsonpath={${path}}`);
const inPod = (pod: string, ...command: readonly string[]): Promise<string> => {
  const [namespace, name] = pod.split('/') as [string, string];
  return cluster.kubectl(['exec', '-n', namespace, name, '--', ...command]);
};
const CLIENT = 'shop/client';
const VISITOR = 'other/visitor';
const dig = async (pod: string, ...question: readonly string[]): Promise<readonly string[]> => (await inPod(pod, 'dig', '+short', ...question)).trim().split('\n').filter((line) => line !== '').sort();
const podIPs = async (label: string): Promise<readonly string[]> => (await get(`pods -n shop -l app=${label}`, '.items[*].status.podIP')).split(' ').sort();

/** Asks until every replica has answered. */
async function answers(ask: () => Promise<string>, expected: readonly string[] = replicas): Promise<void> {
  const seen = new Set<string>();
  await eventually(async () => {
    for (const line of (await ask()).split('\n')) if (line !== '') seen.add(line);
    return expected.every((name) => seen.has(name));
  }, `answers of ${expected.join(' and ')}`, 30_000);
  expect([...seen].sort()).toEqual(expected);
}
const curl = (pod: string, url: string) => (): Promise<string> => inPod(pod, 'sh', '-c', `for i in 1 2 3 4 5 6; do curl -s -m 5 ${url}; done`);

test.concurrent.each([
  [CLIENT, 'web'], [CLIENT, 'web.shop'], [CLIENT, 'web.shop.svc'], [CLIENT, 'web.shop.svc.cluster.local'], [CLIENT, 'web.shop.svc.cluster.local.'], [CLIENT, 'elsewhere'],
  [VISITOR, 'web.shop'], [VISITOR, 'elsewhere.shop'], ['other/on-host', 'web.shop'],
])('%s reaches every replica at %s', (pod, name) => answers(curl(pod, `http://${name}/`)));

test.concurrent('a name of another namespace is not found without it', async () => {
  await expect(inPod(VISITOR, 'curl', '-s', '-m', '5', 'http://web/')).rejects.toThrow('exit code 6');
});

test.concurrent('a pod reaches its own service, and itself behind it', async () => {
  await answers(async () => inPod(`shop/${replicas[0]}`, 'sh', '-c', 'for i in 1 2 3 4 5 6; do wget -qO- http://web/; done'));
});

test.concurrent('headless services: all pods, each pod by its name, ports by SRV, addresses back to names', async () => {
  const ips = await podIPs('store');
  expect(await dig(CLIENT, 'store.shop.svc.cluster.local')).toEqual(ips);
  const first = await get('pod store-0 -n shop', '.status.podIP');
  expect(await dig(CLIENT, '+search', 'store-0.store')).toEqual([first]);
  expect(await dig(CLIENT, 'SRV', '_store._tcp.store.shop.svc.cluster.local')).toEqual(['0 50 7000 store-0.store.shop.svc.cluster.local.', '0 50 7000 store-1.store.shop.svc.cluster.local.']);
  expect(await dig(CLIENT, 'SRV', '_http._tcp.web.shop.svc.cluster.local')).toEqual(['0 100 80 web.shop.svc.cluster.local.']);
  expect(await dig(CLIENT, '-x', first)).toEqual(['store-0.store.shop.svc.cluster.local.']);
  expect(await dig(CLIENT, '-x', await get('service web -n shop', '.spec.clusterIP'))).toEqual(['web.shop.svc.cluster.local.']);
  expect(await dig(CLIENT, 'CNAME', 'elsewhere.shop.svc.cluster.local')).toEqual(['web.shop.svc.cluster.local.']);
  expect(await dig(CLIENT, '+tcp', 'web.shop.svc.cluster.local')).toEqual([await get('service web -n shop', '.spec.clusterIP')]);
  expect(await inPod(CLIENT, 'dig', 'nothing.shop.svc.cluster.local')).toContain('status: NXDOMAIN');
  expect(await inPod(CLIENT, 'sh', '-c', 'socat -T 5 - TCP:store-1.store:7000 </dev/null')).toBe('store-1\n');
});

test.concurrent('resolv.conf and the variables of services', async () => {
  const dns = await get('service kube-dns -n kube-system', '.spec.clusterIP');
  const resolv = await inPod(CLIENT, 'cat', '/etc/resolv.conf');
  expect(resolv).toContain('search shop.svc.cluster.local svc.cluster.local cluster.local');
  expect(resolv).toContain(`nameserver ${dns}\n`);
  expect(resolv).toContain('options ndots:5\n');
  const environment = await inPod(VISITOR, 'env');
  expect(environment).toContain(`KUBERNETES_SERVICE_HOST=${await get('service kubernetes', '.spec.clusterIP')}\n`);
  expect(environment).toContain('KUBERNETES_SERVICE_PORT_HTTPS=443\n');
  // A pod that comes after a service has its variables.
  await cluster.kubectl(['run', 'late', '-n', 'shop', '--image=kube.test/busybox:1', '--restart=Never', '--', 'env']);
  await cluster.kubectl('wait -n shop pod/late --for=jsonpath={.status.phase}=Succeeded --timeout=30s');
  const late = await cluster.kubectl('logs -n shop late');
  expect(late).toContain(`WEB_SERVICE_HOST=${await get('service web -n shop', '.spec.clusterIP')}\n`);
  expect(late).toContain('WEB_SERVICE_PORT_HTTP=80\n');
  expect(late).not.toContain('STORE_SERVICE_HOST');
});

test.concurrent('UDP services answer', async () => {
  await eventually(async () => (await inPod(VISITOR, 'sh', '-c', 'echo hi | socat -T 1 - UDP:echo:53')) === 'echo\n', 'an answer over UDP');
});

test.concurrent('a pod reaches the API with its token', async () => {
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
  const ask = (path: string): Promise<string> => inPod(CLIENT, 'sh', '-c', `curl -s -m 10 --cacert ${folder}/ca.crt -H "Authorization: Bearer $(cat ${folder}/token)" https://kubernetes.default.svc${path}`);
  expect(JSON.parse(await ask('/version'))).toMatchObject({ major: '1' });
  expect(JSON.parse(await ask('/api/v1/namespaces/shop/pods'))).toMatchObject({ reason: 'Forbidden', message: expect.stringContaining('User "system:serviceaccount:shop:default" cannot list resource "pods"') });
  await cluster.kubectl('create rolebinding viewer -n shop --clusterrole=view --serviceaccount=shop:default');
  await eventually(async () => (JSON.parse(await ask('/api/v1/namespaces/shop/pods')) as { kind: string }).kind === 'PodList', 'the pods may be listed');
});

test.concurrent('a node port answers on the host and from outside', async () => {
  const port = await get('service web-node -n shop', '.spec.ports[0].nodePort');
  const node = await get('nodes', '.items[0].status.addresses[?(@.type=="InternalIP")].address');
  await answers(async () => (await fetch(`http://${node}:${port}/`, { headers: { connection: 'close' } })).text());
  await answers(curl('other/on-host', `http://${node}:${port}/`));
  await answers(curl(VISITOR, `http://${node}:${port}/`));

  const name = `kube-outside-${process.pid}`;
  const link = `kout${process.pid % 100000}`;
  const host = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await run('ip', args);
    if (code !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
  };
  await host('netns', 'add', name);
  try {
    await host('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    await host('address', 'add', '198.51.100.1/30', 'dev', link);
    await host('link', 'set', link, 'up');
    await host('-n', name, 'address', 'add', '198.51.100.2/30', 'dev', 'eth0');
    await host('-n', name, 'link', 'set', 'eth0', 'up');
    await host('-n', name, 'route', 'add', 'default', 'via', '198.51.100.1');
    const outside = async (url: string): Promise<string> => (await run('ip', ['netns', 'exec', name, 'curl', '-s', '-m', '5', url])).stdout;
    await answers(() => outside(`http://${node}:${port}/`));
  } finally {
    await run('ip', ['link', 'delete', link]);
    await run('ip', ['netns', 'delete', name]);
  }
});

test.concurrent('a host port answers at the host, and another pod cannot have it', async () => {
  const node = await get('pod host-port -n other', '.status.hostIP');
  expect((await run('socat', ['-T', '5', '-', `TCP:${node}:18765`])).stdout).toBe('host-port\n');
  const overrides = JSON.stringify({ spec: { containers: [{ name: 'second', image: 'kube.test/busybox:1', command: ['sleep', '60'], ports: [{ containerPort: 1, hostPort: 18765 }] }] } });
  await cluster.kubectl(['run', 'second', '-n', 'other', '--image=kube.test/busybox:1', `--overrides=${overrides}`]);
  await eventually(async () => (await get('pod second -n other', '.status.conditions[0].message')).includes("free ports for the requested pod ports"), 'it is unschedulable');
  await cluster.kubectl('delete pod second -n other');
});

describe('in order', () => {
  test('a pod whose readiness fails leaves the service and comes back', async () => {
    const [gone, stays] = replicas as [string, string];
    const ready = async (): Promise<readonly string[]> => {
      const slices = await get('endpointslices -n shop -l kubernetes.io/service-name=web', '.items[*].endpoints');
      return (JSON.parse(slices) as readonly { targetRef: { name: string }; conditions: { ready: boolean } }[]).filter(({ conditions }) => conditions.ready).map(({ targetRef }) => targetRef.name).sort();
    };
    expect(await ready()).toEqual(replicas);
    await inPod(`shop/${gone}`, 'touch', '/tmp/unready');
    await eventually(async () => (await ready()).join() === stays, 'one endpoint is left', 10_000);
    await eventually(async () => new Set((await curl(CLIENT, 'http://web/')()).trim().split('\n')).size === 1, 'one replica answers', 10_000);
    for (let round = 0; round < 5; round++) expect(new Set((await curl(CLIENT, 'http://web/')()).trim().split('\n'))).toEqual(new Set([stays]));
    expect(await get(`pod ${gone} -n shop`, '.status.conditions[?(@.type=="Ready")].reason')).toBe('ContainersNotReady');
    expect(await get(`pod ${gone} -n shop`, '.status.containerStatuses[0].restartCount')).toBe('0');
    await inPod(`shop/${gone}`, 'rm', '/tmp/unready');
    await eventually(async () => (await ready()).join() === replicas.join(), 'both endpoints', 10_000);
    await answers(curl(CLIENT, 'http://web/'));
  });
});
