import { jest } from '@jest/globals';
import { createServer } from 'node:net';
import { CONFIG_MAPS, DEPLOYMENTS, PODS } from '../../../src/api/resource-refs.js';
import type { V1ConfigMap, V1Deployment } from '../../../src/api/generated/types.js';
import { SystemClock, type CancelTimer } from '../../../src/base/clock.js';
import { startCluster, type RunningCluster } from '../../../src/index.js';

jest.setTimeout(180_000);

const COUNT = 10;

const configMap = (name: string): V1ConfigMap => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { name } });
const deployment = (name: string): V1Deployment => ({
  apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' },
  spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } } },
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1200; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not happen within a minute');
}

/** The real clock, which knows who still waits. */
class WatchedClock extends SystemClock {
  private readonly waiting = new Map<object, string>();

  override setTimeout(fn: () => void, milliseconds: number, options?: { readonly unref?: boolean }): CancelTimer {
    const token = {};
    this.waiting.set(token, `${milliseconds} ms ${new Error('set').stack!.split('\n').slice(2, 5).join(' ')}`);
    const cancel = super.setTimeout(
      () => {
        this.waiting.delete(token);
        fn();
      },
      milliseconds,
      options,
    );
    return () => {
      this.waiting.delete(token);
      cancel();
    };
  }

  /** Timers that are set, by who set them. */
  get pending(): string[] {
    return [...this.waiting.values()];
  }
}

/** What keeps the process alive, by kind: sockets, servers, timers. */
function handles(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Handles that are there now and were not before; what closes in the next turns of the event loop is waited for. */
async function leaked(before: Readonly<Record<string, number>>): Promise<Record<string, number>> {
  let more: Record<string, number> = {};
  for (let i = 0; i < 200; i++) {
    more = Object.fromEntries(Object.entries(handles()).flatMap(([kind, count]) => (count > (before[kind] ?? 0) ? [[kind, count - (before[kind] ?? 0)]] : [])));
    if (Object.keys(more).length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return more;
}

/** The warnings that Node gives while `work` runs. */
async function warningsOf(work: () => Promise<void>): Promise<string[]> {
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}\n${warning.stack}`);
  process.on('warning', listen);
  await work().finally(() => process.off('warning', listen));
  return warnings.filter((text) => !text.startsWith('ExperimentalWarning'));
}

test('ten clusters run in one process, know nothing of each other, and leave no handle', async () => {
  // What Node itself makes once (its thread pool, the first DNS look-up) is not the clusters'.
  await (await startCluster()).stop();
  const before = handles();
  const clock = new WatchedClock();
  const warnings = await warningsOf(async () => {
    const clusters: RunningCluster[] = await Promise.all(Array.from({ length: COUNT }, () => startCluster({ environment: { clock } })));
    expect(new Set(clusters.map((cluster) => cluster.server)).size).toBe(COUNT);

    await Promise.all(clusters.map(async ({ client }, i) => {
      await client.resource(CONFIG_MAPS).create(configMap(`mine-${i}`));
      await client.resource(DEPLOYMENTS).create(deployment(`web-${i}`));
    }));
    await Promise.all(clusters.map(({ client }, i) => until(async () => (await client.resource(DEPLOYMENTS).get('default', `web-${i}`)).status?.availableReplicas === 2)));
    await Promise.all(clusters.map(async ({ client }, i) => {
      const maps = (await client.resource(CONFIG_MAPS).list('default')).items.map((map) => map.metadata!.name!);
      expect(maps.sort()).toEqual(['kube-root-ca.crt', `mine-${i}`]);
      const pods = (await client.resource(PODS).list('')).items;
      expect(pods.map((pod) => pod.metadata!.labels!['app'])).toEqual([`web-${i}`, `web-${i}`]);
    }));

    // One that stops takes nothing from the others.
    await clusters[0]!.stop();
    await clusters[1]!.client.resource(CONFIG_MAPS).create(configMap('after'));
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    await clusters[0]!.stop();
  });
  expect(clock.pending).toEqual([]);
  expect(warnings).toEqual([]);
  expect(await leaked(before)).toEqual({});
});

test('a cluster that cannot start leaves no handle', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const before = handles();
  await expect(startCluster({ settings: { server: { securePort: port } } })).rejects.toMatchObject({ code: 'KUBE_SERVER_LISTEN' });
  expect(await leaked(before)).toEqual({});
  await new Promise((resolve) => other.close(resolve));
});

test('a cluster that locks itself out says so and leaves no handle', async () => {
  const before = handles();
  await expect(startCluster({ settings: { server: { authorizationModes: ['AlwaysDeny'] } }, readyTimeoutMilliseconds: 3_000 })).rejects.toMatchObject({
    code: 'KUBE_NOT_STARTED',
    message: expect.stringMatching(/^the cluster has not started within 3 s: .*controllers.* are not up; the API says: .*User "system:kube-controller-manager" cannot list resource "nodes".*Everything is forbidden\.$/) as string,
  });
  expect(await leaked(before)).toEqual({});
});

test('a kubeconfig of one cluster is not accepted by another', async () => {
  const [one, other] = await Promise.all([startCluster({ nodes: 0 }), startCluster({ nodes: 0 })]);
  const { HttpTransport, connectionFromKubeconfig, createClient, parseKubeconfig } = await import('../../../src/client/index.js');
  const connection = await connectionFromKubeconfig(parseKubeconfig(one.kubeconfig, 'one'), '/');
  const own = new HttpTransport(connection);
  expect((await createClient(own).resource(CONFIG_MAPS).list('kube-system')).items.length).toBeGreaterThanOrEqual(0);
  await own.close();
  const foreign = new HttpTransport({ ...connection, server: other.server });
  await expect(createClient(foreign).resource(CONFIG_MAPS).list('kube-system')).rejects.toMatchObject({ code: 'KUBE_TRANSPORT_UNREACHABLE' });
  await foreign.close();
  await Promise.all([one.stop(), other.stop()]);
});
