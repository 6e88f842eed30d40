import type { V1Pod, V1PodSpec } from '../../api/generated/types.js';
import { NAMESPACES, NODES, PODS, SERVICES } from '../../api/resource-refs.js';
import { attributesFor } from '../testing/attributes.js';
import { testContext } from '../testing/context.js';
import { runPlugin } from '../testing/run-plugin.js';
import { AlwaysPullImages } from './always-pull-images.js';
import { LimitPodHardAntiAffinityTopology } from './anti-affinity-topology.js';
import { DenyServiceExternalIPs } from './deny-external-ips.js';
import { ExtendedResourceToleration } from './extended-resource-toleration.js';
import { NodeDeclaredFeatureValidator } from './node-declared-features.js';
import type { AdmissionAttributes } from './plugin.js';
import { PodNodeSelector } from './pod-node-selector.js';
import { PodResizeValidator } from './pod-resize.js';
import { PodTolerationRestriction } from './pod-toleration-restriction.js';

const pod = (spec: Partial<V1PodSpec> = {}, metadata: V1Pod['metadata'] = {}): V1Pod => ({
  metadata: { namespace: 'ns', name: 'p', ...metadata }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const specOf = (a: AdmissionAttributes): V1PodSpec => (a.object as V1Pod).spec!;
const exists = (key: string, effect?: string) => ({ key, operator: 'Exists', ...(effect ? { effect } : {}) });

test('images are always pulled, also those of volumes; an update without a new image is left alone', async () => {
  const plugin = new AlwaysPullImages();
  const spec: Partial<V1PodSpec> = { initContainers: [{ name: 'i', image: 'x', imagePullPolicy: 'Never' }], volumes: [{ name: 'v', image: { reference: 'r', pullPolicy: 'IfNotPresent' } }] };
  const a = attributesFor(PODS, pod(spec));
  expect(await runPlugin(plugin, a)).toBeUndefined();
  expect(specOf(a)).toMatchObject({ containers: [{ imagePullPolicy: 'Always' }], initContainers: [{ imagePullPolicy: 'Always' }], volumes: [{ image: { pullPolicy: 'Always' } }] });
  const changed = pod({ containers: [{ name: 'c', image: 'new', imagePullPolicy: 'Never' }] });
  expect(() => plugin.validate(attributesFor(PODS, changed))).toThrow('pods "p" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"');
  const same = attributesFor(PODS, pod(spec), { operation: 'UPDATE', oldObject: pod(spec) });
  expect(await runPlugin(plugin, same)).toBeUndefined();
  expect(specOf(same).initContainers![0]!.imagePullPolicy).toBe('Never');
});

test('hard anti-affinity within nodes only', async () => {
  const term = (topologyKey: string): Partial<V1PodSpec> => ({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } } });
  const plugin = new LimitPodHardAntiAffinityTopology();
  expect(await runPlugin(plugin, attributesFor(PODS, pod(term('kubernetes.io/hostname'))))).toBeUndefined();
  expect(await runPlugin(plugin, attributesFor(PODS, pod(term('zone'))))).toBe(
    '403 pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed');
});

test('services keep their external addresses, and get no new ones', async () => {
  const service = (externalIPs: string[]) => ({ metadata: { namespace: 'ns', name: 's' }, spec: { externalIPs } });
  const update = (before: string[], after: string[]) => runPlugin(new DenyServiceExternalIPs(), attributesFor(SERVICES, service(after), { operation: 'UPDATE', oldObject: service(before) }));
  expect(await update(['192.0.2.1', '192.0.2.2'], ['192.0.2.2'])).toBeUndefined();
  expect(await update(['192.0.2.1'], ['192.0.2.2'])).toBe('403 services "s" is forbidden: Use of external IPs is denied by admission control');
});

test('who asks for a device tolerates its taint', async () => {
  const a = attributesFor(PODS, pod({ containers: [{ name: 'c', resources: { requests: { 'example.com/b': '1', cpu: '1' } } }], initContainers: [{ name: 'i', resources: { requests: { 'example.com/a': '1' } } }], tolerations: [exists('example.com/b', 'NoSchedule')] }));
  await runPlugin(new ExtendedResourceToleration(), a);
  expect(specOf(a).tolerations).toEqual([exists('example.com/b', 'NoSchedule'), exists('example.com/a', 'NoSchedule')]);
});

test('node selectors of the namespace, of the cluster, and the labels that a namespace may use', async () => {
  const context = testContext({ admissionConfiguration: { podNodeSelector: { clusterDefaultNodeSelector: 'zone=a', listed: 'zone=a,disk=ssd' } } });
  const namespace = (name: string, selector?: string) => ({ metadata: { name, ...(selector === undefined ? {} : { annotations: { 'scheduler.alpha.kubernetes.io/node-selector': selector } }) } });
  context.view.put(NAMESPACES, namespace('ns'), namespace('own', ' env = test'), namespace('listed'), namespace('bad', 'a=b=c'));
  const plugin = new PodNodeSelector(context);
  const run = async (ns: string, nodeSelector?: Record<string, string>): Promise<unknown> => {
    const a = attributesFor(PODS, pod(nodeSelector ? { nodeSelector } : {}, { namespace: ns }));
    return (await runPlugin(plugin, a)) ?? specOf(a).nodeSelector;
  };
  expect(await run('ns', { x: 'y' })).toEqual({ zone: 'a', x: 'y' });
  expect(await run('ns', { zone: 'b' })).toBe('403 pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector');
  expect(await run('own')).toEqual({ env: 'test' });
  expect(await run('listed', { disk: 'ssd' })).toEqual({ zone: 'a', disk: 'ssd' });
  expect(await run('listed', { disk: 'hdd' })).toBe('403 pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist');
  expect(await run('bad')).toBe('500 invalid selector: [a b c]');
  expect(await run('none')).toBe('404 namespaces "none" not found');
});

test('tolerations by default, and those that are allowed; annotations go before the configuration', async () => {
  const context = testContext({ admissionConfiguration: { podTolerationRestriction: { default: [exists('d')], whitelist: [exists('d'), { key: 'w', operator: 'Equal', value: 'v' }, exists('node.kubernetes.io/memory-pressure')] } } });
  const prefix = 'scheduler.alpha.kubernetes.io/';
  context.view.put(NAMESPACES, { metadata: { name: 'ns' } }, { metadata: { name: 'own', annotations: { [`${prefix}defaultTolerations`]: '[{"key":"o","operator":"Exists"}]', [`${prefix}tolerationsWhitelist`]: '[{"key":"o","operator":"Exists"}]' } } },
    { metadata: { name: 'bad', annotations: { [`${prefix}defaultTolerations`]: '[{"key":1}]' } } });
  const plugin = new PodTolerationRestriction(context);
  const run = async (namespace: string, spec: Partial<V1PodSpec> = {}): Promise<unknown> => {
    const a = attributesFor(PODS, pod(spec, { namespace }));
    return (await runPlugin(plugin, a)) ?? specOf(a).tolerations;
  };
  const conflict = (scope: string): string => `500 pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;
  expect(await run('ns', { tolerations: [{ key: 'w', operator: 'Equal', value: 'v' }] })).toEqual([{ key: 'w', operator: 'Equal', value: 'v' }, exists('d')]);
  expect(await run('ns', { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] })).toEqual([exists('d'), exists('node.kubernetes.io/memory-pressure', 'NoSchedule')]);
  expect(await run('ns', { tolerations: [exists('w')] })).toBe(conflict('cluster'));
  expect(await run('own')).toEqual([exists('o')]);
  expect(await run('own', { tolerations: [exists('d')] })).toBe(conflict('namespace'));
  expect(await run('bad')).toBe('500 json: cannot unmarshal number into Go struct field Toleration.key of type string');
});

test('pods grow only as far as their node can, and only in ways that it knows', async () => {
  const context = testContext();
  const sized = (cpu: string, generation: number, spec: Partial<V1PodSpec> = {}): V1Pod => pod({ nodeName: 'n', containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec }, { generation });
  const resize = (before: V1Pod, after: V1Pod): AdmissionAttributes => attributesFor(PODS, after, { operation: 'UPDATE', subresource: 'resize', oldObject: before });
  const plugin = new PodResizeValidator(context);
  expect(await runPlugin(plugin, resize(sized('1', 1), sized('2', 2)))).toBe('403 pods "p" is forbidden: node "n" not found');
  context.view.put(NODES, { metadata: { name: 'n' }, status: { allocatable: { cpu: '2', memory: '1Gi' } } });
  expect(await runPlugin(plugin, resize(sized('1', 1), sized('2', 2)))).toBeUndefined();
  expect(await runPlugin(plugin, resize(sized('1', 1), sized('3', 2)))).toBe(`403 pods "p" is forbidden: node didn't have enough allocatable resources: cpu, requested: 3000, allocatable: 2000`);
  expect(() => plugin.validate(resize(sized('1', 1), sized('3', 2)))).toThrow(expect.objectContaining({ status: expect.objectContaining({ details: { name: 'p', kind: 'pods', causes: [{ reason: 'NodeCapacity' }] } }) }));
  const features = new NodeDeclaredFeatureValidator(context);
  const levelled = resize(sized('1', 1, { resources: { requests: { cpu: '1' } } }), sized('1', 2, { resources: { requests: { cpu: '2' } } }));
  expect(await runPlugin(features, levelled)).toBe('403 pods "p" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "n"');
  context.view.put(NODES, { metadata: { name: 'n' }, status: { declaredFeatures: ['InPlacePodLevelResourcesVerticalScaling'] } });
  expect(await runPlugin(features, levelled)).toBeUndefined();
  context.view.put(NODES, { metadata: { name: 'n', labels: { 'kubernetes.io/os': 'windows' } } });
  expect(await runPlugin(plugin, resize(sized('1', 1), sized('2', 2)))).toContain('pod resize is only supported on linux nodes, node "n" is "windows"');
});
