import { jest } from '@jest/globals';
import {
  ApiException, AppsV1Api, CoreV1Api, CustomObjectsApi, KubeConfig, KubernetesObjectApi, makeInformer, PatchStrategy, setHeaderOptions, Watch, type KubernetesListObject, type KubernetesObject, type V1ConfigMap,
} from '@kubernetes/client-node';
import { join } from 'node:path';
import { eventually, startExecutable, type ExecutableCluster } from '../harness/executable.js';

jest.setTimeout(90_000);


let cluster: ExecutableCluster;
const config = new KubeConfig();
let core: CoreV1Api;
beforeAll(async () => {
  cluster = await startExecutable(['--simulated-nodes', '1']);
  config.loadFromFile(cluster.ready.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  await cluster.kubectl(['apply', '-f', join(import.meta.dirname, 'manifests/chart/crds/gadgets.yaml')]);
  await cluster.kubectl('wait --for=condition=Established crd/gadgets.shop.example.com --timeout=10s');
  await eventually(async () => core.readNamespacedServiceAccount({ name: 'default', namespace: 'default' }), 'the service account of the namespace');
});
afterAll(() => cluster.remove());

const map = (name: string, data: Record<string, string>, labels: Record<string, string> = {}): V1ConfigMap => ({ metadata: { name, labels }, data });

/** An informer that notes what it is told, and starts again after errors, as its documentation advises. */
function follow<T extends KubernetesObject>(path: string, list: () => Promise<KubernetesListObject<T>>, selector?: string) {
  const informer = makeInformer<T>(config, path, list, selector);
  const seen: string[] = [];
  let stopped = false;
  for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, (object) => seen.push(`${verb} ${object.metadata?.name}`));
  informer.on('error', () => {
    // The timer belongs to the informer that is being tried.
    setTimeout(() => {
      if (!stopped) void informer.start().catch(() => undefined);
    }, 200);
  });
  return {
    informer,
    seen,
    saw: (what: string) => eventually(async () => seen.includes(what), `${what} is told`),
    stop: async () => {
      stopped = true;
      await informer.stop();
    },
  };
}

test('informers: additions, changes, deletions, selectors, a restart of the server', async () => {
  await core.createNamespacedConfigMap({ namespace: 'default', body: map('before', { a: '1' }, { watch: 'me' }) });
  const list = (labelSelector?: string) => () => core.listNamespacedConfigMap({ namespace: 'default', ...(labelSelector === undefined ? {} : { labelSelector }) });
  const all = follow('/api/v1/namespaces/default/configmaps', list());
  const some = follow('/api/v1/namespaces/default/configmaps', list('watch=me'), 'watch=me');
  await Promise.all([all.informer.start(), some.informer.start()]);
  try {
    await all.saw('add before');
    await some.saw('add before');
    await core.createNamespacedConfigMap({ namespace: 'default', body: map('after', { a: '1' }) });
    await all.saw('add after');
    expect(some.seen).not.toContain('add after');
    // An object that leaves the selector is deleted for those who look through it, and comes back by an addition.
    const patch = (body: object) => core.patchNamespacedConfigMap({ namespace: 'default', name: 'before', body }, setHeaderOptions('Content-Type', PatchStrategy.MergePatch));
    await patch({ metadata: { labels: { watch: null } } });
    await all.saw('update before');
    await some.saw('delete before');
    await patch({ metadata: { labels: { watch: 'me' } } });
    await eventually(async () => some.seen.filter((line) => line === 'add before').length === 2, 'it comes back');
    expect(all.informer.get('before', 'default')?.metadata?.labels).toEqual({ watch: 'me' });
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'after' });
    await all.saw('delete after');
    expect(all.informer.get('after', 'default')).toBeUndefined();

    await cluster.stop();
    await cluster.start();
    await eventually(async () => core.createNamespacedConfigMap({ namespace: 'default', body: map('later', {}, { watch: 'me' }) }), 'the server is back');
    await Promise.all([all.saw('add later'), some.saw('add later')]);
    expect(all.informer.list('default').map((item) => item.metadata?.name).sort()).toEqual(['before', 'kube-root-ca.crt', 'later']);
  } finally {
    await Promise.all([all.stop(), some.stop()]);
  }
});

test('an informer of a custom kind', async () => {
  const custom = config.makeApiClient(CustomObjectsApi);
  const of = { group: 'shop.example.com', version: 'v1', namespace: 'default', plural: 'gadgets' };
  interface Gadget extends KubernetesObject {
    readonly spec: { readonly color: string; readonly replicas?: number };
  }
  const { informer, saw, stop } = follow<Gadget>('/apis/shop.example.com/v1/namespaces/default/gadgets', async () => (await custom.listNamespacedCustomObject(of)) as KubernetesListObject<Gadget>);
  await informer.start();
  try {
    const body = { apiVersion: 'shop.example.com/v1', kind: 'Gadget', metadata: { name: 'one' }, spec: { color: 'red' } };
    await custom.createNamespacedCustomObject({ ...of, body });
    await saw('add one');
    expect(informer.get('one', 'default')?.spec).toEqual({ color: 'red', replicas: 1 });
    await custom.patchNamespacedCustomObjectStatus({ ...of, name: 'one', body: { status: { phase: 'Fine' } } }, setHeaderOptions('Content-Type', PatchStrategy.MergePatch));
    await saw('update one');
    await custom.deleteNamespacedCustomObject({ ...of, name: 'one' });
    await saw('delete one');
    expect(informer.list('default')).toEqual([]);
  } finally {
    await stop();
  }
});

test('a watch from a version that is gone ends with 410', async () => {
  const error = await new Promise<unknown>((resolve, reject) => {
    void new Watch(config).watch('/api/v1/configmaps', { resourceVersion: '1' }, (type, object) => (type === 'ERROR' ? resolve(object) : undefined), (failure) => (failure ? resolve(failure) : reject(new Error('ended without an error'))));
  });
  expect(error).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/) });
});

test('errors are those of the API', async () => {
  const failure = async (attempt: Promise<unknown>): Promise<{ readonly code: number; readonly body: { readonly reason?: string; readonly message?: string } }> => {
    const error: unknown = await attempt.then(() => new Error('it succeeded'), (reason: unknown) => reason);
    if (!(error instanceof ApiException)) throw error;
    const { code, body } = error as ApiException<unknown>;
    return { code, body: (typeof body === 'string' ? JSON.parse(body) : body) as { reason?: string; message?: string } };
  };
  expect(await failure(core.readNamespacedConfigMap({ namespace: 'default', name: 'none' }))).toMatchObject({ code: 404, body: { reason: 'NotFound', message: 'configmaps "none" not found' } });
  expect(await failure(core.createNamespacedConfigMap({ namespace: 'default', body: map('before', {}) }))).toMatchObject({ code: 409, body: { reason: 'AlreadyExists' } });
  expect(await failure(core.createNamespacedConfigMap({ namespace: 'none', body: map('x', {}) }))).toMatchObject({ code: 404, body: { message: 'namespaces "none" not found' } });
  expect(await failure(core.createNamespacedConfigMap({ namespace: 'default', body: map('X_', {}) }))).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
  expect(await failure(core.replaceNamespacedConfigMap({ namespace: 'default', name: 'before', body: { metadata: { name: 'before', resourceVersion: '1' } } }))).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
});

test('objects of any kind, server-side apply, pages, scale, eviction', async () => {
  const objects = KubernetesObjectApi.makeApiClient(config);
  const deployment = {
    apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
  };
  const applied: KubernetesObject = await objects.patch(deployment, undefined, undefined, 'client-node', true, PatchStrategy.ServerSideApply);
  expect(applied.metadata?.managedFields).toEqual([expect.objectContaining({ manager: 'client-node', operation: 'Apply' })]);
  const apps = config.makeApiClient(AppsV1Api);
  await apps.patchNamespacedDeploymentScale({ name: 'web', namespace: 'default', body: { spec: { replicas: 3 } } }, setHeaderOptions('Content-Type', PatchStrategy.MergePatch));
  const pods = await eventually(async () => {
    const { items } = await core.listNamespacedPod({ namespace: 'default', labelSelector: 'app=web', fieldSelector: 'status.phase=Running' });
    return items.length === 3 && items;
  }, 'three pods run');
  await core.createNamespacedPodEviction({ namespace: 'default', name: pods[0]!.metadata!.name!, body: { metadata: { name: pods[0]!.metadata!.name! } } });
  const page = await core.listNamespacedPod({ namespace: 'default', limit: 1 });
  expect(page.items.length).toBe(1);
  const next = await core.listNamespacedPod({ namespace: 'default', limit: 500, _continue: page.metadata!._continue! });
  expect(next.items.map((pod) => pod.metadata?.name)).not.toContain(page.items[0]?.metadata?.name);
  expect((await objects.list('apps/v1', 'Deployment', 'default')).items.map((item) => item.metadata?.name)).toEqual(['web']);
  await objects.delete(deployment, undefined, undefined, undefined, undefined, 'Foreground');
  await eventually(async () => (await core.listNamespacedPod({ namespace: 'default', labelSelector: 'app=web' })).items.length === 0, 'the pods are gone');
});
