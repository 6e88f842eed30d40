import { jest } from '@jest/globals';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, run, startExecutable, type ExecutableCluster } from '../harness/executable.js';

jest.setTimeout(120_000);

const ROOT = join(import.meta.dirname, '../..');
let cluster: ExecutableCluster;
beforeAll(async () => {
  cluster = await startExecutable(['--simulated-nodes', '2']);
  await cluster.kubectl(['apply', '-f', join(import.meta.dirname, 'manifests/chart/crds/gadgets.yaml')]);
  await cluster.kubectl('wait --for=condition=Established crd/gadgets.shop.example.com --timeout=10s');
});
afterAll(() => cluster.remove());

const map = (name: string, part: string, value: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: {part: ${part}}}\ndata: {a: "${value}"}\n`;
const gadget = (name: string, spec: string): string => `apiVersion: shop.example.com/v1\nkind: Gadget\nmetadata: {name: ${name}}\nspec: {${spec}}\n`;
const deployment = (image: string, replicas: number): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "${image}"}]}
`;

describe.each([35, 32] as const)('kubectl 1.%i', (version) => {
  const namespace = `n${version}`;
  interface Options {
    readonly input?: string;
    /** The exit code that is expected; 0 unless it is said. */
    readonly code?: number;
    readonly environment?: Readonly<Record<string, string>>;
  }
  /** What it wrote to stdout, with stderr behind it when it fails or warns. */
  async function kubectl(args: string | readonly string[], { input = '', code: expected = 0, environment = {} }: Options = {}): Promise<string> {
    const list = typeof args === 'string' ? args.split(' ') : args;
    const env = { ...process.env, KUBECONFIG: cluster.ready.kubeconfig, HOME: cluster.dataDir, KUBECACHEDIR: join(cluster.dataDir, `cache-${version}`), ...environment };
    const { code, stdout, stderr } = await run(join(ROOT, `.cache/tools/v${version}/kubectl`), ['-n', namespace, ...list], { env, input });
    if (code !== expected) throw new Error(`kubectl ${list.join(' ')} ended with code ${code}: ${stderr}${stdout}`);
    return stdout + stderr;
  }
  const get = (what: string, path: string): Promise<string> => kubectl(`get ${what} -o jsonpath={${path}}`);

  beforeAll(async () => {
    await kubectl(`create namespace ${namespace}`);
  });

  test('apply --server-side: conflicts, force, migration from client-side apply', async () => {
    expect(await kubectl('apply --server-side -f -', { input: deployment('web:1', 2) })).toBe('deployment.apps/web serverside-applied\n');
    const conflict = await kubectl('apply --server-side --field-manager=other -f -', { input: deployment('web:2', 3), code: 1 });
    expect(conflict).toContain('Apply failed with 2 conflicts: conflicts with "kubectl":\n- .spec.replicas\n- .spec.template.spec.containers[name="web"].image\n');
    expect(conflict).toContain('Please review the fields above');
    expect(await kubectl('apply --server-side --field-manager=other --force-conflicts -f -', { input: deployment('web:2', 3) })).toContain('serverside-applied');
    expect(await kubectl('apply --server-side -f -', { input: deployment('web:1', 2), code: 1 })).toContain('conflicts with "other"');
    expect(await kubectl('apply --server-side --dry-run=server -f -', { input: map('dry', 'x', '1') })).toContain('serverside-applied (server dry run)');
    expect(await kubectl('get cm dry --ignore-not-found')).toBe('');
    await kubectl('apply -f -', { input: map('moved', 'x', '1') });
    await kubectl('apply --server-side -f -', { input: map('moved', 'x', '2') });
    expect(await get('cm/moved --show-managed-fields', '.metadata.managedFields[*].manager')).toBe('kubectl-last-applied kubectl');
    expect(await get('cm/moved', '.data.a')).toBe('2');
    // Custom resources alike, with the keys of their lists.
    await kubectl('apply --server-side -f -', { input: gadget('one', 'color: red, parts: [{name: wheel, count: 2}]') });
    const custom = await kubectl('apply --server-side --field-manager=other -f -', { input: gadget('one', 'color: blue, parts: [{name: wheel, count: 3}, {name: bell}]'), code: 1 });
    expect(custom).toContain('Apply failed with 2 conflicts: conflicts with "kubectl":\n- .spec.color\n- .spec.parts[name="wheel"].count\n');
    expect(await kubectl('apply --server-side -f -', { input: gadget('one', 'color: purple'), code: 1 })).toContain('The Gadget "one" is invalid: spec.color: Unsupported value: "purple": supported values: "red", "green", "blue"');
    expect(await kubectl('apply --server-side -f -', { input: gadget('one', 'colour: red, color: red'), code: 1 })).toContain('.spec.colour: field not declared in schema');
  });

  test('apply --prune by labels and by a set', async () => {
    const prune = ['apply', '--prune', '-l', 'part=p', '--prune-allowlist=core/v1/ConfigMap', '-f', '-'];
    await kubectl(prune, { input: `${map('p1', 'p', '1')}---\n${map('p2', 'p', '1')}` });
    expect(await kubectl(prune, { input: map('p1', 'p', '1') })).toContain('configmap/p2 pruned');
    const set = { environment: { KUBECTL_APPLYSET: 'true' } };
    await kubectl('apply --prune --applyset=set1 -f -', { input: `${map('s1', 's', '1')}---\n${gadget('s2', 'color: red')}`, ...set });
    expect(await get('secret/set1', '.metadata.annotations.applyset\\.kubernetes\\.io/contains-group-kinds')).toBe('ConfigMap,Gadget.shop.example.com');
    expect(await kubectl('apply --prune --applyset=set1 -f -', { input: map('s1', 's', '1'), ...set })).toContain('gadget.shop.example.com/s2 pruned');
    expect(await kubectl('get cm,gadgets -l part -o name')).not.toContain('s2');
  });

  test('diff says by its exit code whether something would change', async () => {
    const changed = await kubectl('diff -f -', { input: map('moved', 'x', '9'), code: 1 });
    expect(changed).toMatch(/^-  a: "2"$/m);
    expect(changed).toMatch(/^\+  a: "9"$/m);
    expect(await kubectl('diff -f -', { input: map('moved', 'x', '2') })).toBe('');
    expect(await kubectl('diff --server-side -f -', { input: map('moved', 'x', '9'), code: 1 })).toContain('+  a: "9"');
    expect(await kubectl('diff -f -', { input: map('fresh', 'x', '9'), code: 1 })).toContain('+kind: ConfigMap');
    expect(await kubectl('diff -f -', { input: gadget('one', 'color: purple'), code: 2 })).toContain('Unsupported value');
    const custom = await kubectl('diff -f -', { input: gadget('one', 'color: green'), code: 1 });
    expect(custom.split('\n').filter((line) => /^[-+] /.test(line)).map((line) => line.replace(/\s+/g, ' '))).toEqual(expect.arrayContaining(['- color: red', '+ color: green']));
    expect(custom).not.toContain('annotations');
  });

  test('replace, delete and create again', async () => {
    const uid = await get('cm/s1', '.metadata.uid');
    expect(await kubectl('replace -f -', { input: map('s1', 's', '3') })).toBe('configmap/s1 replaced\n');
    expect(await get('cm/s1', '.metadata.uid')).toBe(uid);
    expect(await kubectl('replace --force -f -', { input: map('s1', 's', '4') })).toContain('configmap/s1 replaced');
    expect(await get('cm/s1', '.metadata.uid')).not.toBe(uid);
    expect(await kubectl('replace -f -', { input: map('none', 's', '3'), code: 1 })).toContain('Error from server (NotFound): error when replacing "STDIN": configmaps "none" not found');
    expect(await kubectl('create -f -', { input: map('s1', 's', '3'), code: 1 })).toContain('Error from server (AlreadyExists): error when creating "STDIN": configmaps "s1" already exists');
  });

  test('explain on custom kinds', async () => {
    const text = await kubectl('explain gadgets.spec');
    expect(text).toMatch(/GROUP: +shop\.example\.com\nKIND: +Gadget\nVERSION: +v1\n/);
    expect(text).toContain('FIELD: spec <Object>');
    expect(text).toMatch(/color\t<string> -required-\n {2}enum: red, green, blue\n {4}Color of the gadget\./);
    expect(text).toMatch(/parts\t<\[\]Object>/);
    const all = await kubectl('explain gadgets --recursive');
    for (const field of ['  spec\t<Object> -required-', '    color\t<string> -required-', '      count\t<integer>', '    conditions\t<[]Object>', '  metadata\t<ObjectMeta>']) expect(all).toContain(field);
    const old = await kubectl('explain gadgets.spec --output=plaintext-openapiv2');
    expect(old).toContain('RESOURCE: spec <Object>');
    expect(old).toContain('color\t<string> -required-');
    expect(await kubectl('explain gadgets.nothing', { code: 1 })).toContain('field "nothing" does not exist');
    expect(await kubectl('explain gadgets --api-version=shop.example.com/v9', { code: 1 })).toContain("couldn't find resource for");
  });

  test('auth reconcile, can-i, whoami', async () => {
    const roles = (verbs: string, role = 'reader'): string => `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: ${namespace}}
rules: [{apiGroups: [""], resources: [pods], verbs: [${verbs}]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: ${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${role}}
subjects: [{kind: User, name: jane}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: health-${version}}
rules: [{nonResourceURLs: [/healthz/*], verbs: [get]}]
`;
    await kubectl('auth reconcile -f -', { input: roles('get, list') });
    const more = await kubectl('auth reconcile -f -', { input: roles('get, watch') });
    expect(more).toContain('reconciled');
    expect(await get('role/reader', '.rules[*].verbs[*]')).toBe('get list watch');
    await kubectl('auth reconcile --remove-extra-permissions -f -', { input: roles('get') });
    expect(await get('role/reader', '.rules[*].verbs[*]')).toBe('get');
    // A binding to another role is made anew.
    expect(await kubectl('auth reconcile -f -', { input: roles('get', 'other') })).toContain('reconciled');
    expect(await get('rolebinding/reader', '.roleRef.name')).toBe('other');
    await kubectl('auth reconcile -f -', { input: roles('get') });
    expect(await kubectl('auth can-i get pods --as=jane')).toBe('yes\n');
    expect(await kubectl('auth can-i get pods --subresource=log --as=jane', { code: 1 })).toContain('no');
    expect(await kubectl('auth can-i list gadgets --as=jane', { code: 1 })).toContain('no');
    expect(await kubectl('auth can-i --list --as=jane')).toMatch(/pods +\[\] +\[\] +\[get\]/);
    expect(await kubectl('auth whoami --as=jane --as-group=devs --as-uid=7')).toMatch(/Username +jane\nUID +7\nGroups +\[devs system:authenticated\]/);
    expect(await kubectl('create role r --verb=list --resource=secrets --as=jane', { code: 1 })).toContain('Error from server (Forbidden): roles.rbac.authorization.k8s.io is forbidden: User "jane" cannot create resource "roles"');
  });

  test('create token: duration, audience, bound object; the token is somebody', async () => {
    await kubectl('create sa bot');
    const token = (await kubectl('create token bot --duration=700s')).trim();
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { exp: number; iat: number; sub: string };
    expect(claims.exp - claims.iat).toBe(700);
    expect(claims.sub).toBe(`system:serviceaccount:${namespace}:bot`);
    const identity = ['--kubeconfig=/dev/null', `--server=${cluster.ready.server}`, '--insecure-skip-tls-verify', `--token=${token}`];
    expect(await kubectl(['auth', 'whoami', ...identity])).toContain(`system:serviceaccount:${namespace}:bot`);
    expect(await kubectl(['get', 'pods', ...identity], { code: 1 })).toContain(`User "system:serviceaccount:${namespace}:bot" cannot list resource "pods"`);
    expect(await kubectl('create token bot --duration=10s', { code: 1 })).toContain('may not specify a duration less than 10 minutes');
    expect(await kubectl('create token none', { code: 1 })).toContain('serviceaccounts "none" not found');
    await kubectl('create secret generic holder');
    const bound = (await kubectl('create token bot --bound-object-kind=Secret --bound-object-name=holder')).trim();
    const asBound = ['auth', 'whoami', '--kubeconfig=/dev/null', `--server=${cluster.ready.server}`, '--insecure-skip-tls-verify', `--token=${bound}`];
    expect(await kubectl(asBound)).toContain('bot');
    await kubectl('delete secret holder');
    await eventually(async () => (await kubectl(asBound, { code: 1 })).includes('Unauthorized'), 'the token ends with its secret');
    expect(await kubectl(['get', 'pods', '--kubeconfig=/dev/null', `--server=${cluster.ready.server}`, '--insecure-skip-tls-verify', '--token=x'], { code: 1 })).toMatch(/logged in|Unauthorized/);
  });

  test('certificates: a request is approved, signed and used; another one denied', async () => {
    const folder = join(cluster.dataDir, namespace);
    await mkdir(folder, { recursive: true });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = join(folder, 'key.pem');
    await writeFile(key, createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({ type: 'pkcs8', format: 'pem' }));
    const made = await run('openssl', ['req', '-new', '-key', key, '-subj', '/O=devs/CN=jane']);
    expect(made.code).toBe(0);
    const request = (name: string): string => JSON.stringify({
      apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name },
      spec: { request: Buffer.from(made.stdout).toString('base64'), signerName: 'kubernetes.io/kube-apiserver-client', expirationSeconds: 3600, usages: ['client auth'] },
    });
    const [good, bad] = [`jane-${version}`, `bad-${version}`];
    await kubectl('create -f -', { input: request(good) });
    await kubectl('create -f -', { input: request(bad) });
    expect(await kubectl(`get csr ${good}`)).toMatch(/NAME +AGE +SIGNERNAME +REQUESTOR +REQUESTEDDURATION +CONDITION\n\S+ +\S+ +kubernetes\.io\/kube-apiserver-client +kubernetes-admin +60m +Pending/);
    expect(await kubectl(`certificate approve ${good}`)).toContain(`certificatesigningrequest.certificates.k8s.io/${good} approved`);
    expect(await kubectl(`certificate deny ${bad}`)).toContain('denied');
    expect(await kubectl(`certificate approve ${bad}`, { code: 1 })).toContain('is already Denied');
    const certificate = await eventually(async () => get(`csr/${good}`, '.status.certificate'), 'the certificate is issued');
    const file = join(folder, 'certificate.pem');
    await writeFile(file, Buffer.from(certificate, 'base64'));
    const identity = ['--kubeconfig=/dev/null', `--server=${cluster.ready.server}`, '--insecure-skip-tls-verify', `--client-certificate=${file}`, `--client-key=${key}`];
    expect(await kubectl(['auth', 'whoami', ...identity])).toMatch(/Username +jane\nGroups +\[devs system:authenticated\]/);
    expect(await kubectl(['get', 'gadgets', ...identity], { code: 1 })).toContain('User "jane" cannot list resource "gadgets" in API group "shop.example.com"');
    expect(await kubectl(`get csr ${bad} ${good}`)).toMatch(/Denied[\s\S]*Approved,Issued/);
    expect(await kubectl(`describe csr ${good}`)).toContain('Common Name:    jane');
    expect(await kubectl('certificate approve nothing', { code: 1 })).toContain('not found');
  });

  test('get --watch on a custom kind, with its columns', async () => {
    const env = { ...process.env, KUBECONFIG: cluster.ready.kubeconfig, HOME: cluster.dataDir };
    const child = spawn(join(ROOT, `.cache/tools/v${version}/kubectl`), ['get', 'gadgets', '-n', namespace, '--watch', '-o', 'wide', '--output-watch-events'], { env });
    let seen = '';
    child.stdout.on('data', (chunk) => (seen += String(chunk)));
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      await eventually(async () => /ADDED +one/.test(seen), 'the first row');
      await kubectl('create -f -', { input: gadget('two', 'color: blue, replicas: 2') });
      await kubectl(['patch', 'gadget', 'two', '--subresource=status', '--type=merge', '-p', '{"status":{"phase":"Fine","replicas":2,"conditions":[{"type":"Ready","status":"True"}]},"spec":{"color":"green"}}']);
      await kubectl('delete gadget two');
      await eventually(async () => /DELETED +two/.test(seen), 'the row of the deletion');
    } finally {
      child.kill();
      await ended;
    }
    const rows = seen.trim().split('\n').map((line) => line.trim().split(/ +/));
    expect(rows[0]).toEqual(['EVENT', 'NAME', 'COLOR', 'REPLICAS', 'PHASE']);
    // The spec that came with the status was not taken.
    expect(rows.filter((row) => row[1] === 'two')).toEqual([['ADDED', 'two', 'blue', '2'], ['MODIFIED', 'two', 'blue', '2', 'Fine'], ['DELETED', 'two', 'blue', '2', 'Fine']]);
    expect(await kubectl('get gadgets --field-selector spec.color=red -o name')).toBe('gadget.shop.example.com/one\n');
    expect(await kubectl('get gadgets --field-selector spec.replicas=1', { code: 1 })).toContain('field label not supported: spec.replicas');
    expect(await kubectl('get all')).toContain('gadget.shop.example.com/one');
  });

  test('scale, status, wait, edit, label of a custom resource', async () => {
    expect(await kubectl('scale gadget one --replicas=3')).toBe('gadget.shop.example.com/one scaled\n');
    expect(await kubectl('scale gadget one --replicas=99', { code: 1 })).toContain('spec.replicas');
    expect(await kubectl('scale gadget one --replicas=4 --current-replicas=7', { code: 1 })).toContain('Expected replicas to be 7, was 3');
    expect(await kubectl('get gadget one --subresource=scale')).toMatch(/NAME +DESIRED +AVAILABLE +AGE\none +3 +0/);
    const waiting = kubectl('wait gadget/one --for=condition=Ready --timeout=30s');
    await kubectl(['patch', 'gadget', 'one', '--subresource=status', '--type=merge', '-p', '{"status":{"phase":"Fine","conditions":[{"type":"Ready","status":"True"}]}}']);
    expect(await waiting).toContain('condition met');
    expect(await kubectl('wait gadget/one --for=jsonpath={.status.phase}=Fine --timeout=5s')).toContain('condition met');
    expect(await kubectl('wait gadget/one --for=jsonpath={.status.phase}=Bad --timeout=1s', { code: 1 })).toContain('timed out waiting for the condition on gadgets/one');
    expect(await kubectl(['patch', 'gadget', 'one', '-p', '{"spec":{"color":"green"}}'], { code: 1 })).toContain('application/strategic-merge-patch+json is not supported by shop.example.com/v1, Kind=Gadget');
    expect(await kubectl(['patch', 'gadget', 'one', '--type=json', '-p', '[{"op":"test","path":"/spec/color","value":"blue"}]'], { code: 1 })).toContain('the server rejected our request due to an error in our request');
    await kubectl('edit gadget one', { environment: { KUBE_EDITOR: 'sed -i s/red/blue/' } });
    await kubectl('edit gadget one --subresource=status', { environment: { KUBE_EDITOR: 'sed -i s/Fine/Finer/' } });
    expect(await get('gadget/one', '.spec.color')).toBe('blue');
    expect(await get('gadget/one', '.status.phase')).toBe('Finer');
    expect(await kubectl('edit gadget one', { environment: { KUBE_EDITOR: 'true' } })).toContain('no changes made');
    await kubectl('label gadget one tier=a');
    expect(await kubectl('label gadget one tier=b', { code: 1 })).toContain('--overwrite is false');
    expect(await kubectl(['label', 'gadget', 'one', 'tier=b c', '--overwrite'], { code: 1 })).toContain('invalid label value');
    await kubectl(['annotate', 'gadget', 'one', 'note=some text']);
    expect(await kubectl('describe gadget one')).toContain('some text');
  });

  test('validation: strict, warn, ignore', async () => {
    const bad = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, foo: bar}\ndatas: {a: b}\ndata: {a: b}\n';
    const strict = await kubectl('create --dry-run=server --validate=strict -f -', { input: bad, code: 1 });
    expect(strict).toContain('Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "datas", unknown field "metadata.foo"');
    expect(await kubectl('create --dry-run=server --validate=warn -f -', { input: bad })).toContain('Warning: unknown field "datas"');
    expect(await kubectl('create --dry-run=server --validate=ignore -f -', { input: bad })).toBe('configmap/v created (server dry run)\n');
    expect(await kubectl('create --validate=strict -f -', { input: gadget('v', 'color: red, colour: red'), code: 1 })).toContain('unknown field "spec.colour"');
    expect(await kubectl('create -f -', { input: 'apiVersion: v1\nkind: Pud\nmetadata: {name: x}\n', code: 1 })).toContain('no matches for kind "Pud" in version "v1"');
  });

  test('raw requests, discovery, kustomize', async () => {
    expect(JSON.parse(await kubectl('get --raw /apis/shop.example.com'))).toMatchObject({ kind: 'APIGroup', preferredVersion: { version: 'v1' } });
    expect(await kubectl('get --raw /readyz/ping')).toBe('ok');
    expect(await kubectl('get --raw /apis/nothing', { code: 1 })).toContain('the server could not find the requested resource');
    expect(await kubectl('get --raw /livez?verbose')).toContain('[+]ping ok');
    expect(await kubectl('api-resources --api-group=shop.example.com -o wide')).toMatch(/gadgets +gdg +shop\.example\.com\/v1 +true +Gadget +create,delete,deletecollection,get,list,patch,update,watch +all|gadgets +gdg +shop\.example\.com\/v1 +true +Gadget +\[?delete/);
    expect(await kubectl('api-versions')).toContain('shop.example.com/v1\n');
    const folder = join(cluster.dataDir, `kustomize-${version}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'kustomization.yaml'), 'namePrefix: k-\nlabels: [{pairs: {via: kustomize}}]\nresources: [map.yaml]\nconfigMapGenerator: [{name: made, literals: [a=b]}]\n');
    await writeFile(join(folder, 'map.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {x: y}\n');
    expect(await kubectl(`apply -k ${folder}`)).toMatch(/configmap\/k-made-\w+ created\nconfigmap\/k-plain created/);
    expect((await kubectl('get cm -l via=kustomize -o name')).trim().split('\n').length).toBe(2);
    expect(await kubectl(`delete -k ${folder}`)).toContain('configmap "k-plain" deleted');
  });

  test('debug, events, top, drain of what is not there', async () => {
    await kubectl('run busy --image=busy:1 --restart=Never --annotations=sim.kube.dev/exit-after=1h');
    await kubectl('wait pod/busy --for=condition=Ready --timeout=30s');
    await kubectl('debug busy --image=tools:1 --container=helper --attach=false -- sleep 1');
    expect(await get('pod/busy', '.spec.ephemeralContainers[*].name')).toBe('helper');
    await eventually(async () => (await get('pod/busy', '.status.ephemeralContainerStatuses[0].name')) === 'helper', 'the ephemeral container is told of');
    await kubectl('debug busy --image=tools:1 --copy-to=copy --attach=false');
    expect(await get('pod/copy', '.spec.containers[*].image')).toBe('busy:1 tools:1');
    expect(await kubectl('debug nothing --image=x', { code: 1 })).toContain('pods "nothing" not found');
    await eventually(async () => (await kubectl('events --for pod/busy')).includes('Scheduled'), 'the event of scheduling');
    expect(await kubectl('events --types=Warning')).toContain('No events found');
    expect(await kubectl('top pods', { code: 1 })).toContain('error: Metrics API not available');
    expect(await kubectl('drain nothing', { code: 1 })).toContain('nodes "nothing" not found');
    expect(await kubectl('logs nothing', { code: 1 })).toContain('pods "nothing" not found');
    expect(await kubectl('port-forward pod/nothing 80', { code: 1 })).toContain('pods "nothing" not found');
  });

  test('the namespace goes with all that is in it', async () => {
    await kubectl(`delete namespace ${namespace} --timeout=60s`);
    expect(await kubectl('get gadgets')).toContain('No resources found');
    expect(await readFile(cluster.ready.kubeconfig, 'utf8')).toContain('client-key-data');
  });
});
