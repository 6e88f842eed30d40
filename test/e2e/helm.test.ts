import { jest } from '@jest/globals';
import { join } from 'node:path';
import { startExecutable, type ExecutableCluster } from '../harness/executable.js';
import { helmOf, type Helm } from '../harness/helm.js';

jest.setTimeout(120_000);

const CHART = join(import.meta.dirname, 'manifests/chart');
/** Helm 3 rolls back by another flag's name. */
const ROLL_BACK = { 4: '--rollback-on-failure', 3: '--atomic' } as const;

let cluster: ExecutableCluster;
beforeAll(async () => {
  cluster = await startExecutable(['--simulated-nodes', '2']);
});
afterAll(() => cluster.remove());

const kubectl = (args: string): Promise<string> => cluster.kubectl(args);
const get = (namespace: string, what: string, path: string): Promise<string> => kubectl(`get ${what} -n ${namespace} -o jsonpath={${path}}`);

/** Kinds and names that a release left in its namespace, but for what every namespace has. */
async function left(namespace: string): Promise<readonly string[]> {
  const names = await kubectl(`get deploy,sts,ds,rs,rc,jobs,cronjobs,pods,svc,ing,netpol,pdb,hpa,pvc,gadgets,cm,secrets,sa,roles,rolebindings -n ${namespace} -o name`);
  return names.trim().split('\n').filter((name) => name !== '' && !/\/(kube-root-ca.crt|default)$/.test(name)).sort();
}

describe.each([4, 3] as const)('Helm %i', (version) => {
  const namespace = `helm${version}`;
  let helm: Helm;
  beforeAll(() => {
    helm = helmOf(cluster, version);
  });

  test('lint, then install with definitions and hooks, and wait', async () => {
    expect(await helm(`lint ${CHART} --strict`)).toContain('0 chart(s) failed');
    const told = await helm(`install shop ${CHART} -n ${namespace} --create-namespace --wait --wait-for-jobs --timeout 60s`);
    expect(told).toContain('STATUS: deployed');
    expect(told).toMatch(/shop blue on Kubernetes v1\.36\.\S+ with budgets/);
    expect(await get(namespace, 'deploy/shop-web', '.status.availableReplicas')).toBe('2');
    expect(await get(namespace, 'sts/shop-queue', '.status.readyReplicas')).toBe('2');
    expect(await get(namespace, 'ds/shop-agent', '.status.numberReady')).toBe('2');
    expect(await get(namespace, 'job/shop-migrate-1', '.status.succeeded')).toBe('2');
    expect(await get(namespace, 'pod/shop-single', '.status.phase')).toBe('Running');
    expect(await get(namespace, 'pvc/shop-data', '.status.phase')).toBe('Bound');
    // The schema's defaults are in what the chart did not say.
    expect(await get(namespace, 'gadget/shop', '.spec')).toBe('{"color":"blue","parts":[{"count":4,"name":"wheel"},{"count":1,"name":"bell"}],"replicas":1}');
    // Hooks that succeeded and are to go are gone; those that stay until the next time stay.
    const jobs = await kubectl(`get jobs -n ${namespace} -o name`);
    expect(jobs).not.toContain('shop-pre-install');
    expect(jobs).toContain('shop-post-install');
    expect(await get(namespace, 'deploy/shop-web', '.metadata.managedFields[?(@.operation=="Apply")].manager')).toBe(version === 4 ? 'helm' : '');
  });

  test('upgrade, a foreign change, history and rollback', async () => {
    await helm(`upgrade shop ${CHART} -n ${namespace} --set tag=2,color=red,replicas=3 --wait --timeout 60s`);
    expect(await get(namespace, 'deploy/shop-web', '.spec.template.spec.containers[0].image')).toBe('shop:2');
    expect(await get(namespace, 'deploy/shop-web', '.status.availableReplicas')).toBe('3');
    expect(await get(namespace, 'gadget/shop', '.spec.color')).toBe('red');
    await cluster.kubectl(['patch', 'cm', 'shop-settings', '-n', namespace, '--type=merge', '--field-manager=somebody', '-p', '{"data":{"color":"green","foreign":"kept"}}']);
    if (version === 4) {
      const conflict = await helm(`upgrade shop ${CHART} -n ${namespace} --set tag=2,color=blue,replicas=3 --timeout 60s`, { fails: true });
      expect(conflict).toContain(`conflict occurred while applying object ${namespace}/shop-settings /v1, Kind=ConfigMap: Apply failed with 1 conflict: conflict with "somebody" using v1: .data.color`);
    }
    await helm(`upgrade shop ${CHART} -n ${namespace} --set tag=2,color=blue,replicas=3 --wait --timeout 60s${version === 4 ? ' --force-conflicts' : ''}`);
    expect(await get(namespace, 'cm/shop-settings', '.data.color')).toBe('blue');
    expect(await get(namespace, 'cm/shop-settings', '.data.foreign')).toBe('kept');
    await helm(`rollback shop 1 -n ${namespace} --wait --timeout 60s`);
    expect(await get(namespace, 'deploy/shop-web', '.spec.template.spec.containers[0].image')).toBe('shop:1');
    expect(await get(namespace, 'deploy/shop-web', '.spec.replicas')).toBe('2');
    const history = JSON.parse(await helm(`history shop -n ${namespace} -o json`)) as { status: string; description: string }[];
    expect(history.map((entry) => entry.status)).toEqual(['superseded', 'superseded', ...(version === 4 ? ['failed'] : []), 'superseded', 'deployed']);
    expect(history.at(-1)?.description).toBe('Rollback to 1');
  });

  test('test, status, get, list', async () => {
    expect(await helm(`test shop -n ${namespace} --timeout 60s`)).toMatch(/TEST SUITE: +shop-test[\s\S]*Phase: +Succeeded/);
    expect(await helm(`status shop -n ${namespace}`)).toContain('STATUS: deployed');
    expect(await helm(`get values shop -n ${namespace} --revision 2`)).toContain('color: red');
    expect(await helm(`get manifest shop -n ${namespace}`)).toContain('kind: StatefulSet');
    expect(await helm(`get hooks shop -n ${namespace}`)).toContain('helm.sh/hook: post-rollback');
    expect(await helm(`get notes shop -n ${namespace}`)).toContain('with budgets');
    expect(JSON.parse(await helm(`get metadata shop -n ${namespace} -o json`))).toMatchObject({ name: 'shop', status: 'deployed', namespace });
    expect((JSON.parse(await helm(`list -n ${namespace} -o json`)) as { name: string }[]).map((release) => release.name)).toEqual(['shop']);
    expect(await get(namespace, 'secrets -l owner=helm,status=deployed', '.items[*].type')).toBe('helm.sh/release.v1');
  });

  test('a hook that fails rolls back, or takes away what was installed', async () => {
    const told = await helm(`upgrade shop ${CHART} -n ${namespace} --set hookExitCode=1,color=green ${ROLL_BACK[version]} --timeout 30s`, { fails: true });
    expect(told).toMatch(/post-upgrade hooks failed/);
    expect(await get(namespace, 'cm/shop-settings', '.data.color')).toBe('blue');
    expect(await get(namespace, 'job/shop-post-upgrade', '.status.conditions[?(@.type=="Failed")].reason')).toBe('BackoffLimitExceeded');
    expect(await helm(`install bad ${CHART} -n ${namespace}-bad --create-namespace --set hookExitCode=1 ${ROLL_BACK[version]} --timeout 30s`, { fails: true })).toContain('post-install');
    expect(await helm(`list -n ${namespace}-bad -q${version === 3 ? ' -a' : ''}`)).toBe('');
    expect((await left(`${namespace}-bad`)).filter((name) => !name.startsWith('pod/bad-post-'))).toEqual(['configmap/bad-before', 'job.batch/bad-post-delete', 'job.batch/bad-post-install']);
  });

  test('dry runs, what the schema refuses, ownership', async () => {
    expect(await helm(`install other ${CHART} -n ${namespace} --dry-run=server`)).toContain('other blue on Kubernetes v1.36');
    expect(await helm(`list -n ${namespace} -q`)).toBe('shop\n');
    const refused = await helm(`upgrade shop ${CHART} -n ${namespace} --set color=purple --timeout 30s`, { fails: true });
    expect(refused).toContain('Gadget.shop.example.com "shop" is invalid: spec.color: Unsupported value: "purple": supported values: "red", "green", "blue"');
    await kubectl(`create cm taken -n ${namespace} --from-literal=from=hand`);
    expect(await helm(`upgrade shop ${CHART} -n ${namespace} --set extra=taken --timeout 30s`, { fails: true })).toContain('invalid ownership metadata');
    await helm(`upgrade shop ${CHART} -n ${namespace} --set extra=taken --take-ownership --timeout 30s${version === 4 ? ' --force-conflicts' : ''}`);
    expect(await get(namespace, 'cm/taken', '.data.from')).toBe('chart');
    // What a chart no longer has goes with the next upgrade.
    await helm(`upgrade shop ${CHART} -n ${namespace} --reset-values --timeout 30s`);
    expect(await kubectl(`get cm taken -n ${namespace} --ignore-not-found`)).toBe('');
  });

  test('uninstall leaves hooks and definitions, nothing else', async () => {
    if (version === 3) {
      // The release of Helm 3 is taken over by Helm 4, by client-side and by server-side apply.
      const newer = helmOf(cluster, 4);
      await newer(`upgrade shop ${CHART} -n ${namespace} --set color=red --wait --timeout 60s`);
      expect(await get(namespace, 'cm/shop-settings', '.data.color')).toBe('red');
      await newer(`upgrade shop ${CHART} -n ${namespace} --set color=green,tag=3 --server-side=true --force-conflicts --wait --timeout 60s`);
      expect(await get(namespace, 'cm/shop-settings', '.data.color')).toBe('green');
      expect(await get(namespace, 'deploy/shop-web', '.metadata.managedFields[?(@.operation=="Apply")].manager')).toBe('helm');
      expect(await helm(`history shop -n ${namespace}`)).toContain('deployed');
    }
    expect(await helm(`uninstall shop -n ${namespace} --wait --timeout 60s`)).toContain('release "shop" uninstalled');
    const rest = (await left(namespace)).filter((name) => !name.startsWith('pod/shop-post-'));
    expect(rest).toEqual([
      'configmap/shop-before', 'job.batch/shop-post-delete', 'job.batch/shop-post-install', 'job.batch/shop-post-rollback', 'job.batch/shop-post-upgrade', 'pod/shop-test',
    ]);
    expect(await kubectl('get crd gadgets.shop.example.com -o name')).toContain('gadgets');
    expect(await kubectl('get clusterrole,clusterrolebinding,pv -o name')).not.toContain('shop-');
  });
});
