import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { exists } from '../../../base/files.js';
import { createPodNetwork, listNetworkObjects, removeNetworkObjects } from '../index.js';
import type { PodNetwork } from '../pod-network.js';
import { networkRequest, NetworkLab } from '../testsuite/lab.js';
import { cniAddresses } from './chain.js';
import { atLeast, parseCniNetwork } from './config.js';

/** Real programs on a machine that may be busy. */
const PATIENCE = 60_000;
const A = 'aaaaaa11';
const DEBIAN_PLUGINS = '/usr/lib/cni';

/** Writes down each call as a line of JSON, and answers what the file `answer-<its name>` says; fails while that says so. */
const PLUGIN = `#!/bin/sh
here=$(dirname "$0"); name=$(basename "$0")
printf '{"plugin":"%s","command":"%s","id":"%s","netns":"%s","ifname":"%s","args":"%s","path":"%s","config":%s}\\n' "$name" "$CNI_COMMAND" "$CNI_CONTAINERID" "$CNI_NETNS" "$CNI_IFNAME" "$CNI_ARGS" "$CNI_PATH" "$(cat)" >> "$here/calls"
[ "$CNI_COMMAND" = ADD ] || exit 0
cat "$here/answer-$name"
! grep -q '"code"' "$here/answer-$name"
`;

interface Call {
  readonly plugin: string;
  readonly command: string;
  readonly netns: string;
  readonly config: Readonly<Record<string, unknown>>;
}

describe('CNI plugins', () => {
  let lab: NetworkLab;
  let folder: string;
  const calls = async (): Promise<Call[]> => (await readFile(`${folder}/calls`, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Call);
  const forget = (): Promise<void> => rm(`${folder}/calls`, { force: true });
  const answer = (plugin: string, value: object): Promise<void> => writeFile(`${folder}/answer-${plugin}`, JSON.stringify(value));
  const configure = (value: object, name = '10-test.conflist'): Promise<void> => writeFile(lab.path(`conf/${name}`), JSON.stringify(value));
  const make = async (live: readonly string[] = [], more: object = {}): Promise<PodNetwork> => {
    const network = createPodNetwork({ host: lab.host(), clusterCidr: '10.9.0.0/16', serviceClusterIpRange: '10.96.0.0/16', cniConfDir: lab.path('conf'), cniBinDirs: [lab.path('none'), folder], ...more }, lab.tools());
    await network.start(new Set(live));
    await network.setPodCidr('10.9.8.0/24');
    return network;
  };

  beforeEach(async () => {
    lab = await NetworkLab.make();
    folder = lab.path('bin');
    await mkdir(folder);
    await mkdir(lab.path('conf'));
    for (const name of ['one', 'two']) {
      await writeFile(`${folder}/${name}`, PLUGIN);
      await chmod(`${folder}/${name}`, 0o755);
    }
    await answer('one', { cniVersion: '1.0.0', interfaces: [{ name: 'eth0', sandbox: '/x' }], ips: [{ address: '10.9.8.7/24', interface: 0 }] });
    await answer('two', { cniVersion: '1.0.0', interfaces: [{ name: 'eth0', sandbox: '/x' }], ips: [{ address: '10.9.8.7/24', interface: 0 }], changed: true });
  });
  afterEach(() => lab.close());

  const TWO = { cniVersion: '1.0.0', name: 'net', plugins: [{ type: 'one', capabilities: { ipRanges: true } }, { type: 'two', setting: 5, capabilities: { portMappings: true, bandwidth: true } }] };

  test('ADD in order with the result handed on, capabilities; CHECK at the next start; DEL in reverse without namespace and configuration', async () => {
    await configure(TWO);
    const network = await make();
    expect(network.status()).toEqual({ ready: true, message: '' });
    const namespace = await lab.pod('a');
    const request = networkRequest(A, namespace, { portMappings: [{ protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIp: '' }], annotations: { 'kubernetes.io/ingress-bandwidth': '1M' } });
    expect(await network.attach(request)).toEqual({ ips: ['10.9.8.7'] });
    const args = `IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=pod-${A};K8S_POD_INFRA_CONTAINER_ID=${A};K8S_POD_UID=uid-${A}`;
    const common = { command: 'ADD', id: A, netns: namespace, ifname: 'eth0', args, path: `${lab.path('none')}:${folder}` };
    const added = await calls();
    expect(added).toEqual([
      { ...common, plugin: 'one', config: { type: 'one', name: 'net', cniVersion: '1.0.0', runtimeConfig: { ipRanges: [[{ subnet: '10.9.8.0/24' }]] } } },
      {
        ...common, plugin: 'two',
        config: {
          type: 'two', name: 'net', cniVersion: '1.0.0', setting: 5,
          runtimeConfig: { portMappings: [{ hostPort: 8080, containerPort: 80, protocol: 'tcp' }], bandwidth: { ingressRate: 1_000_000, ingressBurst: 2 ** 31 - 1 } },
          prevResult: JSON.parse(await readFile(`${folder}/answer-one`, 'utf8')) as object,
        },
      },
    ]);
    expect(await lab.sh('a', 'ip -o link show lo')).toContain('LOOPBACK,UP');
    expect(await lab.sh('host', 'nft list ruleset')).not.toContain('10.9.8.0/24');

    await forget();
    const second = await make([A]);
    expect(second.attached(A)).toEqual({ ips: ['10.9.8.7'] });
    const result = JSON.parse(await readFile(`${folder}/answer-two`, 'utf8')) as object;
    expect((await calls()).map((call) => [call.command, call.plugin, call.config['prevResult']])).toEqual([['CHECK', 'one', result], ['CHECK', 'two', result]]);

    await forget();
    await lab.removePod('a');
    await rm(lab.path('conf/10-test.conflist'));
    await second.detach(A);
    expect((await calls()).map((call) => [call.command, call.plugin, call.netns, call.config['prevResult']])).toEqual([['DEL', 'two', '', result], ['DEL', 'one', '', result]]);
    // Without a configuration the routed network is back.
    expect(await second.attach(networkRequest(A, await lab.pod('b')))).toEqual({ ips: ['10.9.8.2'] });
    expect(await lab.sh('host', 'nft list ruleset')).toContain('10.9.8.0/24');
  }, PATIENCE);

  test('a plugin\'s error is the pod\'s; all are told to delete', async () => {
    await configure(TWO);
    await answer('two', { cniVersion: '1.0.0', code: 11, msg: 'no more room', details: 'try later' });
    const network = await make();
    await expect(network.attach(networkRequest(A, await lab.pod('a')))).rejects.toThrow('plugin type="two" failed (add): no more room; try later');
    expect((await calls()).map((call) => `${call.command} ${call.plugin}`).slice(0, 4)).toEqual(['ADD one', 'ADD two', 'DEL two', 'DEL one']);
    expect(network.attached(A)).toBeUndefined();
    await answer('two', { cniVersion: '1.0.0' });
    await expect(network.attach(networkRequest(A, await lab.pod('b')))).rejects.toThrow('CNI network net: its plugins gave the pod no address');
    await configure({ cniVersion: '1.0.0', name: 'net', plugins: [{ type: 'three' }] });
    await expect(network.attach(networkRequest(A, await lab.pod('c')))).rejects.toThrow(`failed to find plugin "three" in path [${lab.path('none')} ${folder}]`);
  }, PATIENCE);

  test('what a run that was killed had begun is deleted by the next, or by a reset', async () => {
    await configure(TWO);
    await (await make()).attach(networkRequest(A, await lab.pod('a')));
    await forget();
    await make();
    expect((await calls()).map((call) => `${call.command} ${call.plugin}`)).toEqual(['DEL two', 'DEL one']);
    await (await make()).attach(networkRequest(A, await lab.pod('b')));
    expect(await listNetworkObjects(lab.host(), lab.commands())).toContainEqual({ kind: 'cni-attachment', name: A });
    await forget();
    expect(await removeNetworkObjects(lab.host(), lab.tools())).toEqual([]);
    expect((await calls()).map((call) => `${call.command} ${call.plugin}`)).toEqual(['DEL two', 'DEL one']);
  }, PATIENCE);

  test('the first file by name counts; `never` looks at none; a wrong one is told', async () => {
    await configure({ cniVersion: '0.3.1', name: 'single', type: 'one' }, '05-single.conf');
    await configure({ cniVersion: '1.0.0', name: 'empty', plugins: [] }, '01-empty.conflist');
    await writeFile(lab.path('conf/00-notes.txt'), 'x');
    await configure(TWO);
    const network = await make();
    await network.attach(networkRequest(A, await lab.pod('a')));
    expect((await calls()).map((call) => call.config)).toEqual([{ type: 'one', name: 'single', cniVersion: '0.3.1' }]);
    const never = createPodNetwork({ host: lab.host('99999999'), clusterCidr: '10.8.0.0/16', serviceClusterIpRange: '10.96.0.0/16', cni: 'never', cniConfDir: lab.path('conf') }, lab.tools());
    await never.start(new Set());
    await never.setPodCidr('10.8.1.0/24');
    expect(await never.attach(networkRequest(A, await lab.pod('b')))).toEqual({ ips: ['10.8.1.2'] });
    await writeFile(lab.path('conf/02-wrong.conf'), '{');
    await expect(network.attach(networkRequest('bbbbbb22', await lab.pod('c')))).rejects.toThrow(`CNI configuration ${lab.path('conf/02-wrong.conf')}: not JSON`);
    expect(network.status()).toMatchObject({ ready: false });
  }, PATIENCE);

  test('configurations that are wrong name the field', () => {
    const parse = (value: unknown) => (): unknown => parseCniNetwork(JSON.stringify(value), 'f');
    expect(parse({ cniVersion: '1.0.0', plugins: [] })).toThrow('CNI configuration f: name: undefined has to begin with a letter or a digit');
    expect(parse({ cniVersion: 'new', name: 'n', plugins: [] })).toThrow('cniVersion: "new" has to be a version such as 1.0.0');
    expect(parse({ cniVersion: '1.0.0', name: 'n', plugins: [{}, { type: '../x' }] })).toThrow('plugins[0].type: undefined has to be the name of a program');
    expect(parse([])).toThrow('has to be an object');
    expect([atLeast('0.4.0', '0.4.0'), atLeast('0.3.1', '0.4.0'), atLeast('1.0.0', '0.4.0')]).toEqual([true, false, true]);
  });

  test('addresses of results old and new, of the pod\'s interface only', () => {
    expect(cniAddresses({ interfaces: [{ name: 'br0' }, { name: 'eth0', sandbox: '/x' }], ips: [{ address: 'fd00::2/64', interface: 1 }, { address: '10.0.0.1/24', interface: 0 }, { address: '10.0.0.2/24', interface: 1 }] })).toEqual(['10.0.0.2', 'fd00::2']);
    expect(cniAddresses({ ip4: { ip: '10.0.0.3/24' } })).toEqual(['10.0.0.3']);
    expect(cniAddresses({ ips: [{ version: '4', address: '10.0.0.4/24' }] })).toEqual(['10.0.0.4']);
    expect(cniAddresses({})).toEqual([]);
  });

  test('with the plugins of Debian\'s package, where it is installed', async () => {
    if (!(await exists(`${DEBIAN_PLUGINS}/ptp`))) return;
    await configure({ cniVersion: '1.0.0', name: 'real', plugins: [{ type: 'ptp', ipam: { type: 'host-local', dataDir: lab.path('ipam'), ranges: [[{ subnet: '10.9.8.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] } }] });
    const before = await lab.snapshot();
    const network = await make([], { cniBinDirs: [DEBIAN_PLUGINS] });
    const { ips } = await network.attach(networkRequest(A, await lab.pod('a')));
    expect(ips).toEqual(['10.9.8.2']);
    await lab.serve('a', 80);
    expect(await lab.ask('host', ips[0]!, 80)).toMatch(/^a /);
    const again = await make([A], { cniBinDirs: [DEBIAN_PLUGINS] });
    await again.detach(A);
    expect(await removeNetworkObjects(lab.host(), lab.tools())).toEqual([]);
    expect(await lab.snapshot()).toEqual(before);
  }, PATIENCE);
});
