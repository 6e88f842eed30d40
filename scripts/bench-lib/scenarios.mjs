// What is measured: each scenario leaves its objects for the next ones and returns rows { name, value, unit, better }.
import { Connection, requestBytes } from './connection.mjs';
import { custom } from './custom.mjs';
import { workload } from './objects.mjs';
import { hammer, once } from './target.mjs';

const NAMESPACE = 'bench';
const row = (name, value, unit, better) => ({ name, value, unit, better });
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const configMap = (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { app: 'bench' } }, data: { text: 'x'.repeat(1000), more: 'y'.repeat(500) } });

const pod = (name, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'bench', ...labels }, annotations: { note: 'n'.repeat(300) } },
  spec: {
    containers: ['main', 'side'].map((container) => ({
      name: container,
      image: `registry.example/${container}:1.0`,
      args: ['--flag', 'value'],
      env: Array.from({ length: 5 }, (_, i) => ({ name: `VAR_${i}`, value: `value ${i}` })),
      resources: { requests: { cpu: '10m', memory: '10Mi' } },
      readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
    })),
  },
});

/** Makes the namespace and waits for what pods in it need; starts anew when it is there from an earlier run. */
export async function prepare(target) {
  const { status } = await once(target, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  if (status !== 201) throw new Error(`${target.label}: cannot create the namespace ${NAMESPACE}: ${status}; the bench wants a fresh server`);
  await once(target, 'POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
}

export const SCENARIOS = {
  async creates(target, scale) {
    const rows = [];
    // The first ones come to code that no compiler has optimized yet (ours) and to empty caches (both): they are told apart.
    for (const [clients, total, when] of [[1, 500, 'first'], [16, 3000, 'first'], [64, 6000, ''], [1, 1000, ''], [16, 3000, '']]) {
      const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
      const { perSecond, p99 } = await hammer(target, clients, total * scale, 201, (i) => requestBytes(target, 'POST', path, configMap(`cm-${clients}${when && `-${when}`}-${i}`)));
      rows.push(row(`${when ? `${when} ` : ''}config-map creates, ${clients} clients`, perSecond, '/s', 'more'), row(`  p99`, p99, 'ms', 'less'));
    }
    return rows;
  },

  async gets(target, scale) {
    const path = (i) => `/api/v1/namespaces/${NAMESPACE}/configmaps/cm-16-first-${i % 1000}`;
    const { perSecond } = await hammer(target, 16, 10_000 * scale, 200, (i) => requestBytes(target, 'GET', path(i)));
    return [row('gets, 16 clients', perSecond, '/s', 'more')];
  },

  async patches(target, scale) {
    const path = (i) => `/api/v1/namespaces/${NAMESPACE}/configmaps/cm-16-first-${i % 1000}`;
    const { perSecond } = await hammer(target, 16, 3000 * scale, 200, (i) =>
      requestBytes(target, 'PATCH', path(i), { metadata: { annotations: { turn: String(i) } } }, { contentType: 'application/merge-patch+json' }));
    return [row('merge patches, 16 clients', perSecond, '/s', 'more')];
  },

  async pods(target, scale) {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
    const { perSecond } = await hammer(target, 64, 5000 * scale, 201, (i) => requestBytes(target, 'POST', path, { ...pod(`pod-${i}`), spec: { ...pod('').spec, schedulerName: 'nobody' } }));
    return [row('pod creates, 64 clients', perSecond, '/s', 'more')];
  },

  async lists(target) {
    const timed = async (path, headers) => {
      const connection = await Connection.open(target);
      const times = [];
      let bytes = 0;
      for (let i = 0; i < 7; i++) {
        const begin = performance.now();
        const { status, body } = await connection.request(requestBytes(target, 'GET', path, undefined, headers));
        times.push(performance.now() - begin);
        bytes = body.length;
        if (status !== 200) throw new Error(`${target.label}: list answered ${status}`);
      }
      connection.close();
      return { time: median(times), bytes };
    };
    const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
    const all = await timed(path);
    const page = await timed(`${path}?limit=500`);
    const table = await timed(`${path}?limit=500`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    return [
      row(`list of all pods (${(all.bytes / 1e6).toFixed(1)} MB)`, all.time, 'ms', 'less'),
      row('page of 500', page.time, 'ms', 'less'),
      row('page of 500 as Table', table.time, 'ms', 'less'),
    ];
  },

  async watches(target, scale) {
    const watchers = 50;
    const changes = 2000 * scale;
    let bytesPerEvent = 0;
    let events = 0;
    const latencies = [];
    const connections = [];
    let allSeen;
    const seen = new Promise((resolve) => (allSeen = resolve));
    const list = await once(target, 'GET', `/api/v1/namespaces/${NAMESPACE}/configmaps?limit=1`);
    const since = list.body.metadata.resourceVersion;
    for (let w = 0; w < watchers; w++) {
      const connection = await Connection.open(target);
      connections.push(connection);
      connection.stream(requestBytes(target, 'GET', `/api/v1/namespaces/${NAMESPACE}/configmaps?watch=true&resourceVersion=${since}`), (chunk) => {
        let at = -1;
        while ((at = chunk.indexOf('"sent":"', at + 1)) >= 0) {
          events++;
          const stamp = Number(chunk.toString('latin1', at + 8, at + 28).split('"')[0]);
          if (w === 0 && stamp > 0) latencies.push(performance.now() - stamp);
        }
        bytesPerEvent += chunk.length;
        if (events >= watchers * changes) allSeen();
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    const begin = performance.now();
    await hammer(target, 16, changes, 200, (i) =>
      requestBytes(target, 'PATCH', `/api/v1/namespaces/${NAMESPACE}/configmaps/cm-16-first-${i % 1000}`, { data: { sent: String(performance.now()).slice(0, 16) } }, { contentType: 'application/merge-patch+json' }));
    await Promise.race([seen, new Promise((resolve) => setTimeout(resolve, 30_000))]);
    const seconds = (performance.now() - begin) / 1000;
    for (const connection of connections) connection.close();
    latencies.sort((a, b) => a - b);
    return [
      row(`watch events to ${watchers} watchers`, events / seconds, '/s', 'more'),
      row('  p99 of the delay', latencies[Math.floor(latencies.length * 0.99)] ?? NaN, 'ms', 'less'),
    ];
  },

  /** 10,000 config maps, 200 watchers of all of them, and the delay of small writes. */
  async crowd(target, scale) {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
    const total = 10_000 * scale;
    await hammer(target, 16, total, 201, (i) => requestBytes(target, 'POST', path, configMap(`crowd-${i}`)));
    const since = (await once(target, 'GET', `${path}?limit=1`)).body.metadata.resourceVersion;
    const watchers = [];
    for (let w = 0; w < 200; w++) {
      const connection = await Connection.open(target);
      connection.stream(requestBytes(target, 'GET', `${path}?watch=true&resourceVersion=${since}`), () => undefined);
      watchers.push(connection);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const delays = [];
    const writer = await Connection.open(target);
    for (let i = 0; i < 500; i++) {
      const begin = performance.now();
      await writer.request(requestBytes(target, 'PATCH', `${path}/crowd-${(i * 17) % total}`, { data: { turn: String(i) } }, { contentType: 'application/merge-patch+json' }));
      delays.push(performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    writer.close();
    for (const connection of watchers) connection.close();
    delays.sort((a, b) => a - b);
    return [
      row(`small writes beside ${total} config maps and 200 watchers, p50`, delays[250], 'ms', 'less'),
      row('  p99', delays[495], 'ms', 'less'),
    ];
  },

  /** Server-side apply: objects created by it, applied again unchanged, applied again with a change, and by a second manager. */
  async applies(target, scale) {
    const rows = [];
    const total = 2000 * scale;
    const contentType = 'application/apply-patch+yaml';
    const turns = [['create', 201, 0], ['unchanged', 200, 0], ['changed', 200, 1]];
    for (const [kind, path, make] of [
      ['config map', `/api/v1/namespaces/${NAMESPACE}/configmaps`, (name, turn) => ({ ...configMap(name), data: { text: 'x'.repeat(1000), more: 'y'.repeat(500), turn: String(turn) } })],
      ['Deployment', `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`, (name, turn) => workload('Deployment', 'apps/v1', name, turn)],
    ]) {
      for (const [turn, expected, value] of turns) {
        const { perSecond, p99 } = await hammer(target, 16, total, expected, (i) =>
          requestBytes(target, 'PATCH', `${path}/apply-${i}?fieldManager=bench`, make(`apply-${i}`, value), { contentType }));
        rows.push(row(`applies of a ${kind}, ${turn}, 16 clients`, perSecond, '/s', 'more'), row('  p99', p99, 'ms', 'less'));
      }
    }
    return rows;
  },

  /** Writes whose managed fields cost something beside the object: updates and writes of a status. After `pods`. */
  async updates(target, scale) {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
    const total = Math.min(2000 * scale, 5000);
    const status = (i, turn) => ({ status: { phase: 'Running', podIP: `10.0.${i % 250}.${turn}`, conditions: [{ type: 'Ready', status: turn % 2 ? 'True' : 'False' }] } });
    const patched = await hammer(target, 16, total, 200, (i) => requestBytes(target, 'PATCH', `${path}/pod-${i}/status`, status(i, 1), { contentType: 'application/strategic-merge-patch+json' }));
    const again = await hammer(target, 16, total, 200, (i) => requestBytes(target, 'PATCH', `${path}/pod-${i}/status`, status(i, 2), { contentType: 'application/strategic-merge-patch+json' }));
    const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
    const put = await hammer(target, 16, total, 200, (i) => requestBytes(target, 'PUT', `${maps}/cm-16-first-${i % 1000}`, { ...configMap(`cm-16-first-${i % 1000}`), data: { turn: String(i) } }));
    return [
      row('first status patches of pods, 16 clients', patched.perSecond, '/s', 'more'),
      row('further status patches of pods, 16 clients', again.perSecond, '/s', 'more'),
      row('updates of config maps, 16 clients', put.perSecond, '/s', 'more'),
    ];
  },

  /** A custom kind beside a built-in one of the same shape. */
  custom,

  /** Lists in protobuf, after `pods`: the first one, which finds nothing encoded, and those after it. */
  async protobuf(target) {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
    const connection = await Connection.open(target);
    const bytes = requestBytes(target, 'GET', path, undefined, { accept: 'application/vnd.kubernetes.protobuf' });
    const times = [];
    for (let i = 0; i < 7; i++) {
      const begin = performance.now();
      const { status } = await connection.request(bytes);
      times.push(performance.now() - begin);
      if (status !== 200) throw new Error(`${target.label}: list answered ${status}`);
    }
    connection.close();
    return [row('first list of all pods as protobuf', times[0], 'ms', 'less'), row('later lists of all pods as protobuf', median(times.slice(1)), 'ms', 'less')];
  },

  /** Needs a scheduler: 500 bare nodes, then pods at once, until all of them are bound. */
  async scheduling(target, scale) {
    const nodes = 500;
    const total = 3000 * scale;
    const node = (i) => ({
      apiVersion: 'v1', kind: 'Node', metadata: { name: `bench-${i}`, labels: { 'kubernetes.io/hostname': `bench-${i}` } },
      status: { capacity: { cpu: '16', memory: '64Gi', pods: '110' }, allocatable: { cpu: '16', memory: '64Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
    });
    await hammer(target, 16, nodes, 201, (i) => requestBytes(target, 'POST', '/api/v1/nodes', node(i)));
    const begin = performance.now();
    await hammer(target, 64, total, 201, (i) => requestBytes(target, 'POST', `/api/v1/namespaces/${NAMESPACE}/pods`, pod(`sched-${i}`, { turn: 'sched' })));
    const selector = 'labelSelector=turn%3Dsched&fieldSelector=spec.nodeName%3D&limit=1';
    for (;;) {
      const { body } = await once(target, 'GET', `/api/v1/namespaces/${NAMESPACE}/pods?${selector}`);
      if (body.items.length === 0) break;
      if (performance.now() - begin > 120_000) throw new Error(`${target.label}: pods are still not bound after 120 s`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return [row(`pods bound on ${nodes} nodes`, total / ((performance.now() - begin) / 1000), '/s', 'more')];
  },

  /** Needs nodes that run pods: a Deployment until all of its pods run. */
  async running(target, scale) {
    const replicas = 500 * scale;
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
    const begin = performance.now();
    const { status } = await once(target, 'POST', path, {
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'running' },
      spec: { replicas, selector: { matchLabels: { run: 'running' } }, template: { metadata: { labels: { run: 'running' } }, spec: { containers: [{ name: 'main', image: 'registry.example/main:1.0' }] } } },
    });
    if (status !== 201) throw new Error(`${target.label}: cannot create the deployment: ${status}`);
    for (;;) {
      const { body } = await once(target, 'GET', `${path}/running`);
      if (body.status?.availableReplicas === replicas) break;
      if (performance.now() - begin > 180_000) throw new Error(`${target.label}: only ${body.status?.availableReplicas ?? 0} of ${replicas} replicas are available after 180 s`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return [row(`pods of a Deployment until available (${replicas})`, replicas / ((performance.now() - begin) / 1000), '/s', 'more')];
  },
};
