import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1StatefulSet } from '../../../src/api/generated/types.js';
import { NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STATEFUL_SETS } from '../../../src/api/resource-refs.js';
import { SystemClock } from '../../../src/base/clock.js';
import { silentLogger } from '../../../src/base/log.js';
import { SystemRandom } from '../../../src/base/random.js';
import { createInformerFactory } from '../../../src/client/index.js';
import { CONTROLLERS, ensureDefaultStorageClass, type Controller } from '../../../src/controllers/index.js';
import { createEventRecorder } from '../../../src/reconcile/index.js';
import { startCluster, type RunningCluster } from '../../../src/run/start-cluster.js';

let cluster: RunningCluster;
let folder: string;
const endings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-claims-'));
  cluster = await startCluster();
  const { client } = cluster;
  await ensureDefaultStorageClass(client);
  const environment = { client, clock: new SystemClock(), random: new SystemRandom(), log: silentLogger };
  const informers = createInformerFactory(environment);
  const recorder = createEventRecorder({ ...environment, component: 'test' });
  const [node] = (await client.resource(NODES).list('')).items;
  // Simulated nodes have no files: the provisioner of the cluster itself is off.
  const provisioner: Controller = await CONTROLLERS.find(({ name }) => name === 'local-path-provisioner')!.start({
    ...environment, informers, recorder,
    options: {
      clusterName: 'test', serviceClusterIpRange: '', clusterCidr: '', nodeCidrMaskSize: 24, allocateNodeCidrs: false, rootCa: '', nodeMonitorGracePeriodSeconds: 40, terminatedPodGcThreshold: 0,
      localPathFolder: folder, localPathNodes: [node!.metadata!.name!],
    },
  });
  informers.start();
  endings.push(() => provisioner.stop(), () => recorder.stop(1000), () => informers.stop());
}, 60_000);

afterAll(async () => {
  for (const end of endings) await end();
  await cluster?.stop();
  await rm(folder, { recursive: true });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Mi' } } };
const set: V1StatefulSet = {
  metadata: { namespace: 'default', name: 'db' },
  spec: {
    replicas: 2, serviceName: 'db', selector: { matchLabels: { app: 'db' } },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: {
        containers: [{ name: 'db', image: 'db', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }],
      },
    },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
  },
};

test('a stateful set with claims runs; its data outlives its pods, and goes with the claims', async () => {
  const sets = cluster.client.resource(STATEFUL_SETS);
  const claims = cluster.client.resource(PERSISTENT_VOLUME_CLAIMS);
  const volumes = cluster.client.resource(PERSISTENT_VOLUMES);
  await sets.create(set);
  await until(async () => (await sets.get('default', 'db')).status?.readyReplicas === 2);
  const { items } = await claims.list('default');
  expect(items.map(({ metadata, spec, status }) => [metadata?.name, spec?.storageClassName, status?.phase])).toEqual(['data-db-0', 'data-db-1', 'db-0-scratch', 'db-1-scratch'].map((name) => [name, 'local-path', 'Bound']));
  expect(await readdir(folder)).toHaveLength(4);
  await sets.delete('default', 'db');
  // The claims of ephemeral volumes belong to the pods.
  await until(async () => (await volumes.list('')).items.length === 2);
  expect((await readdir(folder)).map((name) => name.replace(/^pvc-[0-9a-f-]+_/, '')).sort()).toEqual(['default_data-db-0', 'default_data-db-1']);
  await claims.deleteCollection('default');
  await until(async () => (await volumes.list('')).items.length === 0);
  expect(await readdir(folder)).toEqual([]);
}, 60_000);
