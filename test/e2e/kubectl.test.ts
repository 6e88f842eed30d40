import { jest } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, startExecutable, type ExecutableCluster } from '../harness/executable.js';

jest.setTimeout(240_000);

const manifest = (name: string): string => join(import.meta.dirname, 'manifests', `${name}.yaml`);

describe.each([35, 32] as const)('kubectl 1.%i', (version) => {
  let cluster: ExecutableCluster;
  const kubectl = (args: string, options: { input?: string; fails?: boolean; environment?: Record<string, string> } = {}): Promise<string> => cluster.kubectl(args.split(' '), { version, ...options });
  const path = (resource: string, jsonpath: string): Promise<string> => kubectl(`get ${resource} -n shop -o jsonpath={${jsonpath}}`);

  beforeAll(async () => {
    cluster = await startExecutable(['--simulated-nodes', '3']);
    for (const name of ['base', 'workloads', 'around']) await kubectl(`apply -f ${manifest(name)}`);
  });
  afterAll(() => cluster.remove());

  test('every workload gets to where its manifest wants it', async () => {
    await kubectl('rollout status deployment/web -n shop --timeout=60s');
    await kubectl('rollout status statefulset/queue -n shop --timeout=60s');
    await kubectl('rollout status daemonset/agent -n shop --timeout=60s');
    await kubectl('wait -n shop --for=condition=Complete job/migrate --timeout=60s');
    await kubectl('wait -n shop --for=condition=Ready pod/single --timeout=60s');
    await eventually(async () => (await path('rs/bare', '.status.availableReplicas')) === '2', 'the bare replica set is available');
    await eventually(async () => (await path('rc/old', '.status.availableReplicas')) === '1', 'the replication controller is available');
    expect(await path('daemonset/agent', '.status.numberReady')).toBe('3');
    expect(await path('pods -l app=queue', '.items[*].metadata.name')).toBe('queue-0 queue-1');
    await eventually(async () => (await path('endpoints/web', '.subsets[0].addresses[*].ip')).split(' ').length === 3, 'the service has three endpoints');
  });

  test('applying again changes nothing, but for what kubectl always sends again', async () => {
    const changed: string[] = [];
    for (const name of ['base', 'workloads', 'around']) {
      const output = await kubectl(`apply -f ${manifest(name)}`);
      changed.push(...output.split('\n').filter((line) => line !== '' && !line.endsWith('unchanged') && !line.startsWith('Warning')));
    }
    // Lists without merge keys in which the server fills in defaults; against upstream kubectl says the same of the same five.
    expect(changed).toEqual([
      'poddisruptionbudget.policy/web configured', 'networkpolicy.networking.k8s.io/web configured', 'endpoints/database configured',
      'endpointslice.discovery.k8s.io/by-hand configured', 'validatingwebhookconfiguration.admissionregistration.k8s.io/shop configured',
    ]);
  });

  test('get in all forms', async () => {
    expect(await kubectl('get deployments -n shop')).toMatch(/NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +3\/3 +3 +3/);
    expect(await kubectl('get pods -A -o wide')).toMatch(/NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES/);
    expect(await kubectl('get service web -n shop -o yaml')).toContain('kind: Service');
    expect(JSON.parse(await kubectl('get pods -n shop -o json --chunk-size=2'))).toMatchObject({ kind: 'List' });
    expect(await kubectl('get pods -n shop -l app=single -o custom-columns=N:.metadata.name,I:.spec.containers[*].image')).toMatch(/N +I\nsingle +main:1,second:1/);
    expect(await kubectl('get pod single -n shop --no-headers')).toMatch(/^single +3\/3 +Running/);
    expect(await kubectl('get all -n shop')).toContain('job.batch/migrate');
    expect(await kubectl('get deploy,svc -n shop -o name')).toContain('service/web\n');
    expect(await kubectl('get pods -n shop --field-selector=status.phase=Running --sort-by=.metadata.name -o name')).toContain('pod/single');
    expect(await kubectl('get pod nothing -n shop', { fails: true })).toContain('Error from server (NotFound): pods "nothing" not found');
    expect(await kubectl('get --raw /healthz')).toBe('ok');
  });

  test('get -w shows changes', async () => {
    const watching = kubectl('get configmap settings -n shop -w --output-watch-events --request-timeout=4s').catch((error: Error) => error.message);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await kubectl('annotate configmap settings -n shop seen=yes --overwrite');
    expect(await watching).toMatch(/ADDED[\s\S]*MODIFIED/);
  });

  test('describe and explain', async () => {
    expect(await kubectl('describe deployment web -n shop')).toMatch(/Replicas: +3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavailable/);
    const pod = await kubectl('describe pod single -n shop');
    expect(pod).toMatch(/Status: +Running/);
    expect(pod).toContain('Successfully assigned shop/single to node-');
    expect(await kubectl('describe node node-1')).toMatch(/Allocated resources/);
    expect(await kubectl('describe quota quota -n shop')).toMatch(/pods +\d+ +100/);
    expect(await kubectl('describe service web -n shop')).toMatch(/Endpoints: +\d+\./);
    expect(await kubectl('explain deployment.spec.strategy')).toContain('rollingUpdate');
    expect(await kubectl('explain pods --recursive')).toContain('terminationGracePeriodSeconds');
  });

  test('labels, annotations, patches, edits', async () => {
    await kubectl('label pod single -n shop tier=one');
    expect(await kubectl('label pod single -n shop tier=two', { fails: true })).toContain('--overwrite');
    await kubectl('label pod single -n shop tier=two --overwrite');
    expect(await path('pod/single', '.metadata.labels.tier')).toBe('two');
    await kubectl('label pod single -n shop tier-');
    await kubectl('annotate pod single -n shop note=text');
    await cluster.kubectl(['patch', 'configmap', 'settings', '-n', 'shop', '--type=merge', '-p', '{"data":{"color":"green"}}'], { version });
    await cluster.kubectl(['patch', 'configmap', 'settings', '-n', 'shop', '--type=json', '-p', '[{"op":"add","path":"/data/size","value":"big"}]'], { version });
    await cluster.kubectl(['patch', 'deployment', 'web', '-n', 'shop', '-p', '{"spec":{"template":{"spec":{"containers":[{"name":"web","env":[{"name":"EXTRA","value":"1"}]}]}}}}'], { version });
    expect(await path('configmap/settings', '.data')).toBe('{"color":"green","nested.yaml":"a: 1\\n","size":"big"}');
    expect(await path('deployment/web', '.spec.template.spec.containers[0].env[*].name')).toBe('EXTRA COLOR');
    await cluster.kubectl(['set', 'image', 'deployment/web', 'web=web:2', '-n', 'shop'], { version });
    expect(await path('deployment/web', '.spec.template.spec.containers[0].image')).toBe('web:2');
    // An editor that is a command: kubectl writes back what it left in the file.
    await kubectl('edit configmap settings -n shop', { environment: { KUBE_EDITOR: 'sed -i s/big/huge/' } });
    expect(await path('configmap/settings', '.data.size')).toBe('huge');
  });

  test('rollouts', async () => {
    await kubectl('rollout status deployment/web -n shop --timeout=60s');
    const before = await path('deployment/web', '.metadata.annotations.deployment\\.kubernetes\\.io/revision');
    await kubectl('set image deployment/web web=web:3 -n shop');
    await kubectl('rollout status deployment/web -n shop --timeout=60s');
    expect(Number(await path('deployment/web', '.metadata.annotations.deployment\\.kubernetes\\.io/revision'))).toBe(Number(before) + 1);
    expect(await kubectl('rollout history deployment/web -n shop')).toContain('REVISION');
    await kubectl('rollout undo deployment/web -n shop');
    await kubectl('rollout status deployment/web -n shop --timeout=60s');
    expect(await path('deployment/web', '.spec.template.spec.containers[0].image')).toBe('web:2');
    await kubectl('rollout pause deployment/web -n shop');
    await kubectl('set image deployment/web web=web:4 -n shop');
    expect(await kubectl('rollout undo deployment/web -n shop', { fails: true })).toContain('paused');
    await kubectl('rollout resume deployment/web -n shop');
    await kubectl('rollout restart deployment/web -n shop');
    await kubectl('rollout status deployment/web -n shop --timeout=60s');
    await kubectl('rollout restart statefulset/queue -n shop');
    await kubectl('rollout status statefulset/queue -n shop --timeout=60s');
    await kubectl('rollout restart daemonset/agent -n shop');
    await kubectl('rollout status daemonset/agent -n shop --timeout=60s');
    expect(await kubectl('rollout history daemonset/agent -n shop')).toContain('2');
  });

  test('create, run, expose, scale, autoscale', async () => {
    for (const args of [
      'create namespace made', 'create configmap c -n made --from-literal=a=b', 'create secret generic s -n made --from-literal=a=b', 'create serviceaccount sa -n made',
      'create deployment d -n made --image=d:1 --replicas=2', 'create service clusterip cs -n made --tcp=80', 'create service nodeport ns -n made --tcp=80', 'create job j -n made --image=j:1',
      'create cronjob cj -n made --image=cj:1 --schedule=@daily', 'create role r -n made --verb=get --resource=pods', 'create rolebinding rb -n made --role=r --serviceaccount=made:sa',
      'create clusterrole made-cr --verb=get --resource=nodes', 'create clusterrolebinding made-crb --clusterrole=made-cr --serviceaccount=made:sa', 'create quota q -n made --hard=pods=20',
      'create poddisruptionbudget p -n made --selector=app=d --min-available=1', 'create priorityclass made-pc --value=5', 'create ingress i -n made --rule=a.b/=cs:80', 'create token sa -n made',
      'run alone -n made --image=alone:1 --labels=app=alone', 'expose deployment d -n made --port=80', 'expose pod alone -n made --port=80 --name=alone', 'autoscale deployment d -n made --min=2 --max=4',
    ]) await kubectl(args);
    await kubectl('wait -n made --for=condition=Available deployment/d --timeout=60s');
    await kubectl('scale deployment d -n made --replicas=4');
    await eventually(async () => (await kubectl('get deployment d -n made -o jsonpath={.status.availableReplicas}')) === '4', 'four replicas');
    expect(await kubectl('scale deployment d -n made --replicas=1 --current-replicas=9', { fails: true })).toContain('Expected replicas to be 9');
    await kubectl('scale deployment d -n made --replicas=1');
    await kubectl('wait -n made --for=condition=Complete job/j --timeout=60s');
    await kubectl('create job again -n made --from=cronjob/cj');
    await kubectl('wait -n made --for=condition=Complete job/again --timeout=60s');
    // With one replica this budget would rightly keep its node from being drained.
    await kubectl('delete poddisruptionbudget p -n made');
    expect(await kubectl('get events -n made')).toContain('ScalingReplicaSet');
    expect(await kubectl('events -n made')).toContain('SuccessfulCreate');
  });

  test('access', async () => {
    expect(await kubectl('auth whoami')).toContain('kubernetes-admin');
    expect(await kubectl('auth can-i create pods')).toBe('yes\n');
    expect(await kubectl('auth can-i list pods -n shop --as=system:serviceaccount:shop:worker')).toBe('yes\n');
    expect(await kubectl('auth can-i delete pods -n shop --as=system:serviceaccount:shop:worker', { fails: true })).toContain('no');
    expect(await kubectl('auth can-i --list -n shop --as=system:serviceaccount:shop:worker')).toContain('configmaps');
    expect(await kubectl('get secrets -n shop --as=system:serviceaccount:shop:worker', { fails: true })).toContain('Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:shop:worker" cannot list resource "secrets" in API group "" in the namespace "shop"');
    const token = (await kubectl('create token worker -n shop')).trim();
    expect(await kubectl(`get pods -n shop -o name --token=${token} --kubeconfig=/dev/null --server=${cluster.ready.server} --insecure-skip-tls-verify`)).toContain('pod/single');
  });

  test('what is served', async () => {
    expect(await kubectl('version')).toContain('Server Version: v1.36');
    expect(await kubectl('cluster-info')).toContain('Kubernetes control plane');
    const resources = await kubectl('api-resources');
    for (const text of ['deployments', 'leases', 'endpointslices', 'resourceclaims']) expect(resources).toContain(text);
    expect(await kubectl('api-versions')).toContain('apps/v1\n');
    expect(await kubectl('config view --minify')).toContain('name: kube');
    expect(await kubectl('config current-context')).toBe('kube\n');
  });

  test('logs and exec answer', async () => {
    expect(await kubectl('logs single -n shop -c main')).not.toBe('');
    expect(await kubectl('logs single -n shop', { fails: false })).toContain('');
    expect(await cluster.kubectl(['exec', 'single', '-n', 'shop', '-c', 'main', '--', 'echo', 'hello'], { version })).toBe('hello\n');
    expect(await cluster.kubectl(['exec', 'single', '-n', 'shop', '-c', 'main', '--', 'sh', '-c', 'exit 7'], { version, fails: true })).toContain('exit code 7');
  });

  test('a webhook that cannot be reached keeps shut what it guards, until it is gone', async () => {
    const guard = {
      apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'guard' },
      webhooks: [{ name: 'guard.example.com', clientConfig: { url: 'https://127.0.0.1:1/ask' }, sideEffects: 'None', admissionReviewVersions: ['v1'], rules: [{ operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/exec'] }] }],
    };
    await kubectl('apply -f -', { input: JSON.stringify(guard) });
    expect(await kubectl('exec single -n shop -c main -- echo open', { fails: true })).toContain('failed calling webhook "guard.example.com": failed to call webhook: Post "https://127.0.0.1:1/ask?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused');
    await kubectl('delete validatingwebhookconfiguration guard');
    expect(await kubectl('exec single -n shop -c main -- echo open')).toBe('open\n');
  });

  test('cordon, drain, taint', async () => {
    await kubectl('cordon node-1');
    expect(await kubectl('get node node-1')).toContain('SchedulingDisabled');
    await kubectl('drain node-1 --ignore-daemonsets --force --delete-emptydir-data --timeout=60s');
    const left = await kubectl('get pods -A --field-selector=spec.nodeName=node-1 -o jsonpath={.items[*].metadata.ownerReferences[0].kind}');
    expect(new Set(left.trim().split(' '))).toEqual(new Set(['DaemonSet']));
    await kubectl('uncordon node-1');
    await kubectl('taint node node-2 key=value:NoSchedule');
    expect(await kubectl('get node node-2 -o jsonpath={.spec.taints[*].key}')).toBe('key');
    await kubectl('taint node node-2 key-');
    await kubectl('rollout status deployment/web -n shop --timeout=60s');
  });

  test('bad input is told as upstream tells it', async () => {
    expect(await kubectl('create -f -', { fails: true, input: 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: A_, image: i}]}\n' })).toContain('spec.containers[0].name: Invalid value: "A_"');
    expect(await kubectl('create -f -', { fails: true, input: 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {replicaz: 1}\n' })).toContain('unknown field "spec.replicaz"');
    expect(await kubectl('apply -f -', { fails: true, input: 'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {clusterIP: 1.2.3.4, ports: [{port: 80}]}\n' })).toContain('spec.clusterIPs[0]: Invalid value');
    expect(await kubectl('delete ns default', { fails: true })).toContain('this namespace may not be deleted');
  });

  test('delete in all cascades', async () => {
    await kubectl('delete deployment d -n made --cascade=orphan');
    expect(await kubectl('get rs -n made -o name')).toContain('replicaset');
    await kubectl('delete rs -n made --all --cascade=foreground');
    await eventually(async () => !(await kubectl('get pods -n made -l app=d -o name')).includes('pod/d-'), 'the pods are gone');
    await kubectl('delete job migrate -n shop --cascade=background');
    await kubectl('delete pod single -n shop --grace-period=1 --ignore-not-found');
    await kubectl('delete pod alone -n made --force --grace-period=0 --ignore-not-found');
    await kubectl('delete ns made --timeout=60s');
    expect(await kubectl('get ns made', { fails: true })).toContain('not found');
    for (const name of ['around', 'workloads', 'base']) await kubectl(`delete -f ${manifest(name)} --ignore-not-found --timeout=90s`);
    expect((await kubectl('get ns -o name')).trim().split('\n').sort()).toEqual(['namespace/default', 'namespace/kube-node-lease', 'namespace/kube-public', 'namespace/kube-system']);
  });
});

test('the manifests cover every workload kind', async () => {
  const text = (await Promise.all(['base', 'workloads', 'around'].map((name) => readFile(manifest(name), 'utf8')))).join('\n---\n');
  const kinds = [...text.matchAll(/^kind: (\w+)$/gm)].map((match) => match[1]);
  expect(kinds.length).toBeGreaterThanOrEqual(30);
  for (const kind of ['Pod', 'ReplicaSet', 'ReplicationController', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob']) expect(kinds).toContain(kind);
});
