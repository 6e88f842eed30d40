import type { V1ValidatingWebhookConfiguration } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updateErrors, type Changes } from '../scheme/testing.js';
import { validatingWebhookConfiguration } from './validating-webhook-configuration.js';

const configuration: V1ValidatingWebhookConfiguration = {
  metadata: { name: 'w', generation: 1 },
  webhooks: [{
    name: 'a.b.c',
    clientConfig: { url: 'https://example.com/x' },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }],
};

test('defaults of a webhook', () => {
  expect(created(validatingWebhookConfiguration, configuration).webhooks![0]).toMatchObject({
    failurePolicy: 'Fail', matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {}, timeoutSeconds: 10, rules: [{ scope: '*' }],
  });
  const service = changed(configuration, { 'webhooks/0/clientConfig': { service: { name: 's', namespace: 'n' } } });
  expect(created(validatingWebhookConfiguration, service).webhooks![0]!.clientConfig.service).toEqual({ name: 's', namespace: 'n', port: 443 });
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['a short name', { 'webhooks/0/name': 'a' }, ['webhooks[0].name: Invalid value: "a": should be a domain with at least three segments separated by dots']],
  ['no side effects', { 'webhooks/0/sideEffects': undefined }, ['webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun']],
  ['a failure policy', { 'webhooks/0/failurePolicy': 'Retry' }, ['webhooks[0].failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"']],
  ['a timeout', { 'webhooks/0/timeoutSeconds': 31 }, ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds']],
  ['no client', { 'webhooks/0/clientConfig': {} }, ['webhooks[0].clientConfig: Required value: exactly one of url or service is required']],
  ['a plain URL', { 'webhooks/0/clientConfig/url': 'http://example.com' }, [
    "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
  ]],
  ['an operation', { 'webhooks/0/rules/0/operations': ['READ'] }, [
    'webhooks[0].rules[0].operations[0]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
  ]],
  ['all operations and one', { 'webhooks/0/rules/0/operations': ['*', 'CREATE'] }, [
    "webhooks[0].rules[0].operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must not specify other operations",
  ]],
  ['the same webhook twice', { 'webhooks/1': configuration.webhooks![0] }, ['webhooks[1].name: Duplicate value: "a.b.c"']],
  ['unknown review versions', { 'webhooks/0/admissionReviewVersions': ['v9'] }, [
    'webhooks[0].admissionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
  ]],
  ['a condition without expression', { 'webhooks/0/matchConditions': [{ name: 'x', expression: '' }] }, ['webhooks[0].matchConditions[0].expression: Required value']],
])('create with %s', (_what, changes, expected) => {
  expect(createErrors(validatingWebhookConfiguration, changed(configuration, changes))).toEqual(expected);
});

test('a rule that the stored configuration breaks already is let pass', () => {
  const old = created(validatingWebhookConfiguration, changed(configuration, { 'webhooks/0/admissionReviewVersions': ['v9'] }));
  expect(updateErrors(validatingWebhookConfiguration, old, changed(old, { 'webhooks/0/timeoutSeconds': 5 }))).toEqual([]);
});

test('cells', () => {
  expect(cellsOf(validatingWebhookConfiguration, configuration)).toEqual(['w', 1, '<unknown>']);
});
