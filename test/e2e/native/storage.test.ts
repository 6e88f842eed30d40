import { jest } from '@jest/globals';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type ExecutableCluster } from '../../harness/executable.js';
import { startNative } from '../../harness/native.js';
import { manifest, startApplication } from './kubectl-process.js';

jest.setTimeout(180_000);

let cluster: ExecutableCluster;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-storage-'));
  cluster = await startNative();
  await cluster.kubectl('apply -f -', { input: (await readFile(manifest('storage'), 'utf8')).replaceAll('HOST_FOLDER', folder) });
  await startApplication(cluster);
  await cluster.kubectl('wait -n data pod/volumes --for=condition=Ready --timeout=60s');
});
afterAll(async () => {
  await cluster.remove();
  await rm(folder, { recursive: true, force: true });
});

const get = (what: string, path: string): Promise<string> => cluster.kubectl(`get ${what} -o jsonpath={${path}}`);
const shell = (command: string, pod = 'data/volumes', container?: string): Promise<string> => {
  const [namespace, name] = pod.split('/') as [string, string];
  return cluster.kubectl(['exec', '-n', namespace, name, ...(container ? ['-c', container] : []), '--', 'sh', '-c', command]);
};
const store = (command: string, pod = 'store-0'): Promise<string> => shell(command, `shop/${pod}`);

test.concurrent('updates of ConfigMap and Secret show up in the files, and in nothing else', async () => {
  const pod = `shop/${(await get('pods -n shop -l app=web', '.items[0].metadata.name'))}`;
  expect(await shell('cat /settings/greeting /password/password; stat -L -c %a /password/password', pod)).toBe('helloopensesame400\n');
  await cluster.kubectl(['patch', 'configmap', 'web', '-n', 'shop', '-p', JSON.stringify({ data: { greeting: 'goodbye', added: 'new', 'default.conf': '# changed' } })]);
  await cluster.kubectl(['patch', 'secret', 'web', '-n', 'shop', '-p', JSON.stringify({ stringData: { password: 'changed' } })]);
  await eventually(async () => (await shell('cat /settings/greeting /settings/added /password/password', pod)) === 'goodbyenewchanged', 'the new data', 90_000);
  // Neither variables nor files of a subPath follow.
  expect(await shell('echo $GREETING $PASSWORD; head -1 /etc/nginx/conf.d/default.conf', pod)).toBe('hello opensesame\nserver {\n');
});

test.concurrent('emptyDir: in memory with its limit, on disk and shared', async () => {
  expect(await shell('grep " /memory " /proc/mounts')).toMatch(/^tmpfs \/memory tmpfs rw,.*size=8192k/);
  expect(await shell('dd if=/dev/zero of=/memory/full bs=1M count=16 2>&1; rm /memory/full')).toContain('No space left on device');
  await shell('echo shared > /disk/shared; echo mine > /mine/file; echo one > /part/file');
  expect(await shell('cat /disk/shared /disk/parts/volumes/file /disk/parts/one/file', 'data/volumes', 'beside')).toBe('shared\nmine\none\n');
});

test.concurrent('hostPath with its types', async () => {
  await shell('echo made > /created/by-pod; echo text > /file');
  expect(await readFile(join(folder, 'created/by-pod'), 'utf8')).toBe('made\n');
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('text\n');
  expect(((await stat(join(folder, 'created'))).mode & 0o777).toString(8)).toBe('755');
  expect(await shell('cat /present/created/by-pod; touch /present/no 2>&1 || true')).toMatch(/^made\n.*Read-only file system/);
  await eventually(async () => (await get('events -n data --field-selector=involvedObject.name=absent', '.items[*].message')).includes(`MountVolume.SetUp failed for volume "absent" : hostPath type check failed: ${folder}/absent is not a directory`), 'the event of a failed mount');
  expect(await get('pod absent -n data', '.status.containerStatuses[0].state.waiting.reason')).toBe('ContainerCreating');
});

test.concurrent('downward API in variables and files; files follow', async () => {
  const [ip, node] = [await get('pod volumes -n data', '.status.podIP'), await get('pod volumes -n data', '.spec.nodeName')];
  expect(await shell('echo $POD $POD_IP $NODE $LIMIT $BOTH')).toBe(`volumes ${ip} ${node} ${64 << 20} volumes-at-${node}-$(POD)\n`);
  expect(await shell('cat /about/labels; echo; cat /about/note; echo; cat /about/memory')).toBe('color="green"\nfirst\n64');
  await cluster.kubectl('annotate pod volumes -n data note=second --overwrite');
  await cluster.kubectl('label pod volumes -n data color=red --overwrite');
  await eventually(async () => (await shell('cat /about/note /about/labels')) === 'secondcolor="red"', 'the new annotation and label', 90_000);
});

test.concurrent('projected: name, token for its audience, certificate', async () => {
  expect(await shell('cat /together/name')).toBe('volumes');
  const payload = JSON.parse(Buffer.from((await shell('cat /together/token')).split('.')[1]!, 'base64url').toString()) as { aud: string[]; 'kubernetes.io': { pod: { name: string } } };
  expect(payload).toMatchObject({ aud: ['somebody'], 'kubernetes.io': { namespace: 'data', pod: { name: 'volumes' } } });
  expect(await shell('cat /together/ca.crt')).toContain('BEGIN CERTIFICATE');
});

test.concurrent('a pod waits for its ConfigMap', async () => {
  await eventually(async () => (await get('events -n data --field-selector=involvedObject.name=no-map', '.items[*].message')).includes('MountVolume.SetUp failed for volume "later" : configmap "later" not found'), 'the event of a failed mount');
  await cluster.kubectl('create configmap later -n data --from-literal=key=came');
  await cluster.kubectl('wait -n data pod/no-map --for=jsonpath={.status.phase}=Succeeded --timeout=150s');
  expect(await cluster.kubectl('logs -n data no-map')).toBe('came');
});

test.concurrent('an image as a volume', async () => {
  await cluster.kubectl('wait -n data pod/image-volume --for=jsonpath={.status.phase}=Succeeded --timeout=60s');
  expect(await cluster.kubectl('logs -n data image-volume')).toContain('Welcome to nginx!');
});

describe('in order', () => {
  test("a claim's data survives its pod, the cluster's stop and start, and its stateful set", async () => {
    const claims = await get('pvc -n shop', '.items[*].spec.volumeName');
    for (const pod of ['store-0', 'store-1']) await store(`echo ${pod} > /data/name`, pod);
    const uid = await get('pod store-0 -n shop', '.metadata.uid');
    await cluster.kubectl('delete pod -n shop store-0');
    await eventually(async () => (await get('pod store-0 -n shop', '.metadata.uid')) !== uid, 'a new pod');
    await cluster.kubectl('wait -n shop pod/store-0 --for=condition=Ready --timeout=60s');
    expect(await store('cat /data/name')).toBe('store-0\n');

    await cluster.stop();
    await cluster.start();
    await eventually(async () => (await store('cat /data/name', 'store-1')) === 'store-1\n', 'the data of the second pod after the start');
    await cluster.kubectl('rollout status -n shop statefulset/store --timeout=60s');
    expect(await store('cat /data/name')).toBe('store-0\n');

    await cluster.kubectl('scale -n shop statefulset/store --replicas=0');
    await eventually(async () => (await get('pods -n shop -l app=store', '.items[*].metadata.name')) === '', 'no pods');
    expect(await get('pvc -n shop', '.items[*].spec.volumeName')).toBe(claims);
    await cluster.kubectl('scale -n shop statefulset/store --replicas=2');
    await cluster.kubectl('rollout status -n shop statefulset/store --timeout=60s');
    expect(await store('cat /data/name', 'store-1')).toBe('store-1\n');
  });

  test('a deleted claim takes its volume and its data along, once nobody uses it', async () => {
    const volume = await get('pvc data-store-1 -n shop', '.spec.volumeName');
    const path = await get(`pv ${volume}`, '.spec.hostPath.path');
    expect((await stat(path)).isDirectory()).toBe(true);
    await cluster.kubectl('delete pvc -n shop data-store-1 --wait=false');
    expect(await get('pvc data-store-1 -n shop', '.metadata.finalizers')).toContain('kubernetes.io/pvc-protection');
    await cluster.kubectl('scale -n shop statefulset/store --replicas=1');
    await eventually(async () => (await cluster.kubectl('get pv -o name')).includes(volume) === false, 'the volume is gone');
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });
});
