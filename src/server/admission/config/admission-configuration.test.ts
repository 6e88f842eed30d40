import { readAdmissionConfiguration, type AdmissionConfiguration } from './admission-configuration.js';

/** Reads the configuration from files given as text; the first is the one that the flag names. */
function read(main: string, files: Readonly<Record<string, string>> = {}): Promise<AdmissionConfiguration> {
  return readAdmissionConfiguration('admission.yaml', async (path) => {
    const text = path === 'admission.yaml' ? main : files[path];
    if (text === undefined) throw new Error(`cannot read ${path}: there is no such file`);
    return Buffer.from(text);
  });
}

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n';
const inline = (name: string, configuration: unknown): string => `${head}- name: ${name}\n  configuration: ${JSON.stringify(configuration)}\n`;
const failure = (main: string, files?: Readonly<Record<string, string>>): Promise<string> => read(main, files).then(() => 'read', (error: unknown) => (error as Error).message);

test('every plugin that takes a configuration, inline or in a file', async () => {
  const configuration = await read(`${head}
- name: EventRateLimit
  configuration: { apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limits: [{ type: Server, qps: 5, burst: 10 }, { type: User, qps: 1, burst: 2, cacheSize: 7 }] }
- { name: PodNodeSelector, path: selectors.yaml }
- name: PodTolerationRestriction
  configuration: { apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1, kind: Configuration, default: [{ key: a, operator: Exists }] }
- name: ResourceQuota
  configuration: { apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: [{ resource: pods, matchScopes: [{ scopeName: PriorityClass, operator: In, values: [high] }] }] }
- name: PodSecurity
  configuration: { apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: { enforce: baseline, warn-version: v1.30 }, exemptions: { namespaces: [kube-system] } }
- name: ValidatingAdmissionWebhook
  configuration: { apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /etc/webhooks.yaml }
- { name: Priority, path: "" }
`, { 'selectors.yaml': 'podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: "zone=a"\n' });
  expect(configuration).toEqual({
    eventRateLimit: [{ type: 'Server', qps: 5, burst: 10, cacheSize: 0 }, { type: 'User', qps: 1, burst: 2, cacheSize: 7 }],
    podNodeSelector: { clusterDefaultNodeSelector: 'zone=a' },
    podTolerationRestriction: { default: [{ key: 'a', operator: 'Exists' }], whitelist: [] },
    limitedResources: [{ apiGroup: '', resource: 'pods', matchContains: [], matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] }],
    podSecurity: {
      defaults: { enforce: { level: 'baseline', version: 'latest' }, audit: { level: 'privileged', version: 'latest' }, warn: { level: 'privileged', version: 'v1.30' } },
      exemptions: { namespaces: ['kube-system'], usernames: [], runtimeClasses: [] },
    },
    validatingWebhooks: { kubeConfigFile: '/etc/webhooks.yaml' },
  });
});

test('older forms', async () => {
  expect(await read('podNodeSelectorPluginConfig: { ns: "a=b" }')).toEqual({ podNodeSelector: { ns: 'a=b' } });
  expect(await read('apiVersion: apiserver.k8s.io/v1alpha1\nkind: AdmissionConfiguration\nplugins: null')).toEqual({});
  const quota = { apiVersion: 'resourcequota.admission.k8s.io/v1beta1', kind: 'Configuration', limitedResources: [] };
  expect(await read(inline('ResourceQuota', quota))).toEqual({ limitedResources: [] });
  expect(await read(inline('PodSecurity', { apiVersion: 'pod-security.admission.config.k8s.io/v1beta1', kind: 'PodSecurityConfiguration' }))).toHaveProperty('podSecurity.defaults.enforce.level', 'privileged');
});

test('mistakes in the file itself: where, what, and the rule', async () => {
  expect(await failure('apiVersion: v2\nkind: Foo\nplugin: []')).toBe(
    'admission.yaml: apiVersion: Unsupported value: "v2": supported values: "apiserver.config.k8s.io/v1", "apiserver.config.k8s.io/v1alpha1", "apiserver.k8s.io/v1alpha1"; ' +
    'kind: Unsupported value: "Foo": supported values: "AdmissionConfiguration"; plugin: Invalid value: []: unknown field');
  expect(await failure(`${head}- { name: Foo }\n- {}\n- { name: PodSecurity }\n- { name: PodSecurity }\n- { name: Priority, configuration: {} }\n- { name: EventRateLimit, path: none.yaml }\n- 5`)).toBe(
    'admission.yaml: plugins[6]: Invalid value: 5: must be an object; plugins[0].name: Not found: "Foo"; plugins[1].name: Required value; plugins[3].name: Duplicate value: "PodSecurity"; ' +
    'plugins[4].configuration: Invalid value: {}: Priority takes no configuration; plugins[5].path: Invalid value: "none.yaml": cannot read none.yaml: there is no such file; plugins[6].name: Required value');
  expect(await failure('a: b: c')).toBe('admission.yaml: yaml: mapping values are not allowed in this context');
  expect(await failure('kind: a\nkind: b')).toContain('admission.yaml: yaml: unmarshal errors:\n  line 2: key "kind" already set in map');
});

test('mistakes in the configuration of a plugin', async () => {
  const rates = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration' };
  expect(await failure(inline('EventRateLimit', rates))).toBe('admission.yaml: plugins[0].configuration.limits: Invalid value: []: must not be empty');
  expect(await failure(`${head}- { name: EventRateLimit, path: rates.yaml }`, { 'rates.yaml': JSON.stringify({ ...rates, limits: [{ type: 'Cluster', qps: 0, burst: 1.5, cachesize: 1 }, { type: 'User', qps: '1', burst: 1, cacheSize: -1 }] }) })).toBe(
    'admission.yaml: plugins[0].path: rates.yaml: limits[0].burst: Invalid value: 1.5: must be a whole number of 32 bits; limits[0].type: Unsupported value: "Cluster": supported values: "Namespace", "Server", "SourceAndObject", "User"; ' +
    'limits[0].burst: Invalid value: 0: must be positive; limits[0].qps: Invalid value: 0: must be positive; limits[0].cachesize: Invalid value: 1: unknown field; ' +
    'limits[1].qps: Invalid value: "1": must be a number; limits[1].qps: Invalid value: 0: must be positive; limits[1].cacheSize: Invalid value: -1: must not be negative');
  const security = { apiVersion: 'pod-security.admission.config.k8s.io/v1', kind: 'PodSecurityConfiguration' };
  expect(await failure(inline('PodSecurity', { ...security, defaults: { enforce: 'strict', 'audit-version': '1.30' }, exemptions: { namespaces: ['A', 'a', 'a'], usernames: [''] } }))).toMatch(
    /^admission.yaml: plugins\[0\].configuration.defaults.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted; plugins\[0\].configuration.defaults.audit-version: Invalid value: "1.30": must be "latest" or "v1.x"; .*namespaces\[0\]: Invalid value: "A": .*namespaces\[2\]: Duplicate value: "a"; .*usernames\[0\]: Invalid value: "": username must not be empty$/);
  expect(await failure(inline('PodNodeSelector', { podNodeSelectorPluginConfig: { ns: 'a' } }))).toBe('admission.yaml: plugins[0].configuration.podNodeSelectorPluginConfig[ns]: Invalid value: "a": invalid selector: [a]');
  const tolerations = { apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1', kind: 'Configuration', whitelist: [{ key: 'a', operator: 'Maybe' }] };
  expect(await failure(inline('PodTolerationRestriction', tolerations))).toBe('admission.yaml: plugins[0].configuration.whitelist[0].operator: Unsupported value: "Maybe": supported values: "Equal", "Exists"');
  expect(await failure(inline('ResourceQuota', { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration', limitedResources: [{}] }))).toBe(
    'admission.yaml: plugins[0].configuration.limitedResources[0].resource: Required value');
  expect(await failure(inline('MutatingAdmissionWebhook', { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration', kubeConfigFile: 'here' }))).toBe(
    'admission.yaml: plugins[0].configuration.kubeConfigFile: Invalid value: "here": must be an absolute file path');
});
