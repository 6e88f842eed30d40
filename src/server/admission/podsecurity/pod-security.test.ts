import type { V1PodSpec } from '../../../api/generated/types.js';
import { DEPLOYMENTS, NAMESPACES, PODS } from '../../../api/resource-refs.js';
import { attributesFor } from '../../testing/attributes.js';
import { testContext } from '../../testing/context.js';
import { DEFAULT_POD_SECURITY } from '../config/pod-security.js';
import { PodSecurity } from './pod-security.js';
import { policyOf, violations, violationText } from './policy.js';

const policyWith = (labels: Record<string, string>) => {
  const { policy, errors } = policyOf(labels, DEFAULT_POD_SECURITY.defaults);
  return { ...policy, errors };
};
const bare: V1PodSpec = { containers: [{ name: 'c', image: 'i' }] };
const strict: V1PodSpec = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [{ name: 'c', image: 'i', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
};
const text = (level: 'baseline' | 'restricted', spec: V1PodSpec, version = 'latest'): string => violationText(violations({ level, version }, spec, {}));

test('restricted, in upstream\'s words', () => {
  expect(text('restricted', strict)).toBe('');
  expect(text('restricted', bare)).toBe(
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
    'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
    'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
    'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")');
  expect(text('restricted', { ...strict, volumes: [{ name: 'v', hostPath: { path: '/' } }, { name: 'n', nfs: { server: 's', path: '/' } }] })).toBe(
    'restricted volume types (volumes "v", "n" use restricted volume types "hostPath", "nfs")');
  expect(text('restricted', { ...bare, hostUsers: false })).not.toContain('runAsNonRoot');
  expect(text('restricted', { ...bare, hostUsers: false }, 'v1.34')).toContain('runAsNonRoot');
});

test('baseline', () => {
  expect(text('baseline', bare)).toBe('');
  expect(text('baseline', {
    hostNetwork: true, hostPID: true, volumes: [{ name: 'v', hostPath: { path: '/' } }], securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }, { name: 'net.ipv4.tcp_rmem', value: '1' }] },
    containers: [{ name: 'a', ports: [{ containerPort: 1, hostPort: 80 }], securityContext: { privileged: true, capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } } }, { name: 'b', ports: [{ containerPort: 1, hostPort: 81 }] }],
  })).toBe(
    'non-default capabilities (container "a" must not include "SYS_ADMIN" in securityContext.capabilities.add), host namespaces (hostNetwork=true, hostPID=true), ' +
    'hostPath volumes (volume "v"), hostPort (containers "a", "b" use hostPorts 80, 81), privileged (container "a" must not set securityContext.privileged=true), forbidden sysctls (kernel.msgmax)');
});

test('labels: defaults, warnings that follow, nonsense', () => {
  expect(policyWith({})).toMatchObject({ enforce: { level: 'privileged' }, warn: { level: 'privileged' }, errors: [] });
  expect(policyWith({ 'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/enforce-version': 'v1.30' })).toMatchObject({ warn: { level: 'baseline', version: 'v1.30' } });
  const nonsense = policyWith({ 'pod-security.kubernetes.io/enforce': 'strict', 'pod-security.kubernetes.io/warn-version': '1' });
  expect(nonsense.enforce.level).toBe('restricted');
  expect(nonsense.errors.map((error) => `${error.field}: ${error.message}`)).toEqual([
    'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
    'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1": must be "latest" or "v1.x"',
  ]);
});

test('pods are refused, controllers are warned about, namespaces tell of what is there', () => {
  const context = testContext();
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  context.view.put(NAMESPACES, { metadata: { name: 'ns', labels } });
  const plugin = new PodSecurity(context);
  const pod = { metadata: { namespace: 'ns', name: 'p' }, spec: bare };
  expect(() => plugin.validate(attributesFor(PODS, pod))).toThrow('pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false');
  expect(() => plugin.validate(attributesFor(PODS, { ...pod, spec: strict }))).not.toThrow();
  const warnings: string[] = [];
  const warn = (line: string): void => void warnings.push(line);
  plugin.validate(attributesFor(DEPLOYMENTS, { metadata: { namespace: 'ns', name: 'd' }, spec: { selector: {}, template: { spec: bare } } }, { warn }));
  expect(warnings[0]).toMatch(/^would violate PodSecurity "restricted:latest": allow/);
  context.view.put(PODS, pod, { ...pod, metadata: { namespace: 'ns', name: 'o' } });
  warnings.length = 0;
  plugin.validate(attributesFor(NAMESPACES, { metadata: { name: 'ns', labels } }, { operation: 'UPDATE', oldObject: { metadata: { name: 'ns' } }, warn }));
  expect(warnings).toEqual([
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "restricted:latest"',
    'o (and 1 other pod): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile',
  ]);
});

test('defaults and exemptions of the configuration', () => {
  const level = (name: 'privileged' | 'baseline' | 'restricted') => ({ level: name, version: 'latest' });
  const podSecurity = { defaults: { enforce: level('baseline'), audit: level('privileged'), warn: level('restricted') }, exemptions: { usernames: ['operator'], namespaces: ['free'], runtimeClasses: ['vm'] } };
  const context = testContext({ admissionConfiguration: { podSecurity } });
  context.view.put(NAMESPACES, { metadata: { name: 'ns' } }, { metadata: { name: 'free' } }, { metadata: { name: 'open', labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } });
  const plugin = new PodSecurity(context);
  const tried = (namespace: string, spec: V1PodSpec, overrides: Parameters<typeof attributesFor>[2] = {}): string => {
    const warnings: string[] = [];
    try {
      plugin.validate(attributesFor(PODS, { metadata: { namespace, name: 'p' }, spec }, { warn: (line) => void warnings.push(line), ...overrides }));
    } catch (error) {
      return (error as Error).message;
    }
    return warnings.map((line) => line.slice(0, 46)).join();
  };
  const host = { ...bare, hostNetwork: true };
  expect(tried('ns', host)).toBe('pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)');
  expect(tried('ns', bare)).toBe('would violate PodSecurity "restricted:latest":');
  expect(tried('open', host)).toBe('would violate PodSecurity "restricted:latest":');
  expect([tried('free', host), tried('ns', { ...host, runtimeClassName: 'vm' }), tried('ns', host, { user: { name: 'operator', uid: '', groups: [], extra: {} } })]).toEqual(['', '', '']);
  const warnings: string[] = [];
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/warn': 'privileged' };
  plugin.validate(attributesFor(NAMESPACES, { metadata: { name: 'free', labels } }, { namespace: 'free', warn: (line) => void warnings.push(line) }));
  expect(warnings).toEqual(['namespace "free" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored']);
});

test('of a running pod only new images are looked at', () => {
  const context = testContext();
  context.view.put(NAMESPACES, { metadata: { name: 'ns', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } });
  const plugin = new PodSecurity(context);
  const pod = (spec: Partial<V1PodSpec>) => ({ metadata: { namespace: 'ns', name: 'p' }, spec: { ...bare, ...spec } });
  const update = (after: Partial<V1PodSpec>, subresource = '') => () => plugin.validate(attributesFor(PODS, pod(after), { operation: 'UPDATE', subresource, oldObject: pod({}) }));
  expect(update({ tolerations: [{ operator: 'Exists' }] })).not.toThrow();
  expect(update({ containers: [{ name: 'c', image: 'new' }] })).toThrow('violates PodSecurity');
  expect(update({ ephemeralContainers: [{ name: 'debug', image: 'i' }] }, 'ephemeralcontainers')).toThrow('violates PodSecurity');
  expect(update({ containers: [{ name: 'c', image: 'new' }] }, 'status')).not.toThrow();
});
