import { jest } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, startExecutable, type ExecutableCluster } from '../harness/executable.js';
import { startPrometheus, type DiscoveredTarget, type Prometheus } from '../harness/prometheus.js';

jest.setTimeout(120_000);

const ROLES = ['node', 'service', 'pod', 'endpoints', 'endpointslice', 'ingress'] as const;
const RIGHTS = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: prometheus, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: prometheus}
rules:
  - {apiGroups: [""], resources: [nodes, nodes/metrics, services, endpoints, pods], verbs: [get, list, watch]}
  - {apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [get, list, watch]}
  - {apiGroups: [networking.k8s.io], resources: [ingresses], verbs: [get, list, watch]}
  - {nonResourceURLs: [/metrics], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: prometheus}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: prometheus}
subjects: [{kind: ServiceAccount, name: prometheus, namespace: default}]
`;
const SHOP = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {prometheus.io/scrape: "true"}}
    spec: {containers: [{name: web, image: "web:1", ports: [{name: http, containerPort: 8080}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {tier: front}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec: {rules: [{host: shop.example.com, http: {paths: [{path: /cart, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}]}}]}
`;

let cluster: ExecutableCluster;
let prometheus: Prometheus;

beforeAll(async () => {
  cluster = await startExecutable(['--simulated-nodes', '2']);
  await cluster.kubectl('apply -f -', { input: RIGHTS });
  await cluster.kubectl('apply -f -', { input: SHOP });
  await cluster.kubectl('create serviceaccount stranger');
  await cluster.kubectl('rollout status deployment/web -n shop --timeout=60s');
  const authority = join(cluster.dataDir, 'authority.pem');
  await writeFile(authority, Buffer.from(await cluster.kubectl(['config', 'view', '--raw', '-o', 'jsonpath={.clusters[0].cluster.certificate-authority-data}']), 'base64'));
  const accessOf = async (account: string): Promise<string> => {
    const token = join(cluster.dataDir, `token-${account}`);
    await writeFile(token, (await cluster.kubectl(`create token ${account}`)).trim());
    return `authorization: {credentials_file: ${token}}, tls_config: {ca_file: ${authority}}`;
  };
  const [access, strangers] = [await accessOf('prometheus'), await accessOf('stranger')];
  const server = new URL(cluster.ready.server).host;
  const asking = (name: string, how: string): string => `  - {job_name: ${name}, scheme: https, ${how}, static_configs: [{targets: ["${server}"]}]}\n`;
  // Nothing of what is discovered in pods listens: those targets are dropped.
  const discovering = (role: string): string => `  - {job_name: ${role}, kubernetes_sd_configs: [{role: ${role}, api_server: "${cluster.ready.server}", ${access}}], relabel_configs: [{action: drop, regex: '.*', source_labels: [__address__]}]}\n`;
  const jobs = [asking('server', access), asking('stranger', strangers)];
  prometheus = await startPrometheus(join(cluster.dataDir, 'prometheus'), `global: {scrape_interval: 1s}\nscrape_configs:\n${[...jobs, ...ROLES.map(discovering)].join('')}`);
});
afterAll(async () => {
  await prometheus?.stop();
  await cluster?.remove();
});

const values = async (job: string, label: string): Promise<readonly string[]> => (await prometheus.targets(job)).map((target) => target.discoveredLabels[`__meta_kubernetes_${label}`] ?? '').sort();
/** Those of our namespace. */
const inShop = async (job: string): Promise<readonly Readonly<Record<string, string>>[]> => (await prometheus.targets(job)).map((target) => target.discoveredLabels).filter((labels) => labels['__meta_kubernetes_namespace'] === 'shop');
const found = (job: string, count: number) => eventually(async () => {
  const labels = await inShop(job);
  return labels.length === count && labels;
}, `${count} targets of ${job}`, 30_000);

test('every role finds what is there', async () => {
  await eventually(async () => (await values('node', 'node_name')).join() === 'node-1,node-2', 'both nodes');
  expect((await prometheus.targets('node'))[0]?.discoveredLabels).toMatchObject({ __meta_kubernetes_node_label_kubernetes_io_hostname: expect.stringMatching(/^node-/), __address__: expect.stringMatching(/:\d+$/) });
  expect(await found('service', 1)).toEqual([expect.objectContaining({ __meta_kubernetes_service_name: 'web', __meta_kubernetes_service_label_tier: 'front', __meta_kubernetes_service_port_name: 'http', __address__: 'web.shop.svc:80' })]);
  const pods = await found('pod', 2);
  for (const pod of pods) {
    expect(pod).toMatchObject({
      __meta_kubernetes_pod_label_app: 'web', __meta_kubernetes_pod_annotation_prometheus_io_scrape: 'true', __meta_kubernetes_pod_phase: 'Running', __meta_kubernetes_pod_ready: 'true',
      __meta_kubernetes_pod_controller_kind: 'ReplicaSet', __meta_kubernetes_pod_container_port_number: '8080', __address__: `${pod['__meta_kubernetes_pod_ip']}:8080`,
    });
  }
  for (const endpoint of await found('endpoints', 2)) expect(endpoint).toMatchObject({ __meta_kubernetes_endpoints_name: 'web', __meta_kubernetes_endpoint_ready: 'true', __meta_kubernetes_endpoint_address_target_kind: 'Pod', __meta_kubernetes_service_label_tier: 'front' });
  for (const endpoint of await found('endpointslice', 2)) expect(endpoint).toMatchObject({ __meta_kubernetes_endpointslice_address_type: 'IPv4', __meta_kubernetes_endpointslice_endpoint_conditions_ready: 'true', __meta_kubernetes_service_name: 'web', __meta_kubernetes_pod_label_app: 'web' });
  expect(await found('ingress', 1)).toEqual([expect.objectContaining({ __meta_kubernetes_ingress_name: 'web', __meta_kubernetes_ingress_host: 'shop.example.com', __meta_kubernetes_ingress_path: '/cart', __meta_kubernetes_ingress_scheme: 'http' })]);
});

test('what changes is followed', async () => {
  await cluster.kubectl('scale deployment web -n shop --replicas=4');
  await Promise.all([found('pod', 4), found('endpoints', 4), found('endpointslice', 4)]);
  await cluster.kubectl('label service web -n shop tier=back --overwrite');
  await eventually(async () => (await inShop('service'))[0]?.['__meta_kubernetes_service_label_tier'] === 'back', 'the label of the service', 30_000);
  await cluster.kubectl('delete ingress web -n shop');
  await cluster.kubectl('scale deployment web -n shop --replicas=1');
  await Promise.all([found('ingress', 0), found('pod', 1), found('endpoints', 1), found('endpointslice', 1)]);
  await cluster.kubectl('delete node node-2');
  await eventually(async () => (await values('node', 'node_name')).includes('node-1'), 'the node that stays', 30_000);
});

test('the metrics of the server are read with the token of a service account, and by nobody without rights', async () => {
  const target = async (job: string): Promise<DiscoveredTarget | undefined> => (await prometheus.targets(job))[0];
  await eventually(async () => (await target('server'))?.health === 'up', 'the server is asked', 30_000);
  expect(await eventually(async () => (await target('stranger'))?.lastError, 'the stranger is refused', 30_000)).toContain('403 Forbidden');
  expect(await prometheus.value('scrape_samples_scraped{job="server"}')).toBeGreaterThan(50);
  await eventually(async () => (await prometheus.value('sum(apiserver_request_total{job="server",resource="deployments",verb="GET"})')) > 0, 'the requests of the controllers are counted', 30_000);
  // Prometheus complains of what it may not see or cannot read.
  expect(prometheus.log()).not.toMatch(/level=(error|warn)/);
});
