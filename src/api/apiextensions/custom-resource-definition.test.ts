import type { V1CustomResourceDefinition } from '../generated/types.js';
import { changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { customResourceDefinition as crd } from './custom-resource-definition.js';

const widgets: V1CustomResourceDefinition = {
  metadata: { name: 'widgets.a.example', generation: 1, resourceVersion: '1' },
  spec: {
    group: 'a.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { color: { type: 'string' } } } } } } }],
  },
};
const stored = created(crd, widgets);
const established = changed(stored, { 'status/conditions': [{ type: 'Established', status: 'True' }] });
const DNS_1035 = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

test('defaults and what is known of stored versions', () => {
  expect(stored.spec).toMatchObject({ names: { listKind: 'WidgetList', singular: 'widget' }, conversion: { strategy: 'None' } });
  expect(stored.status!.storedVersions).toEqual(['v1']);
  const next = updated(crd, stored, changed(stored, { 'spec/versions/0/storage': false, 'spec/versions/1': { ...stored.spec.versions[0], name: 'v2' } }));
  expect(next.status!.storedVersions).toEqual(['v1', 'v2']);
});

test('formats that nothing is checked by are warned of once, when they come', () => {
  const withFormats = (...formats: [string, string][]): V1CustomResourceDefinition =>
    changed(stored, { 'spec/versions/0/schema/openAPIV3Schema/properties/spec/properties': Object.fromEntries(formats.map(([type, format], i) => [`f${i}`, { type, format }])) });
  const odd = withFormats(['string', 'weird'], ['string', 'weird'], ['string', 'date-time'], ['integer', 'int32'], ['number', 'int32'], ['boolean', 'yes']);
  expect(crd.warnings!(odd, undefined)).toEqual(['unrecognized format "weird"', 'unrecognized format "int32"', 'unrecognized format "yes"']);
  expect(crd.warnings!(odd, withFormats(['string', 'weird'], ['object', 'yes']))).toEqual(['unrecognized format "int32"']);
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['another name', { 'metadata/name': 'gadgets.a.example' }, ['metadata.name: Invalid value: "gadgets.a.example": must be spec.names.plural+"."+spec.group']],
  ['a group without dot', { 'spec/group': 'a', 'metadata/name': 'widgets.a' }, ['spec.group: Invalid value: "a": should be a domain with at least one dot']],
  ['a scope', { 'spec/scope': 'World' }, ['spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"']],
  ['a version', { 'spec/versions/0/name': 'V1' }, [`spec.versions[0].name: Invalid value: "V1": ${DNS_1035}`, `spec.version: Invalid value: "V1": ${DNS_1035}`]],
  ['no schema', { 'spec/versions/0/schema': undefined }, ['spec.versions[0].schema.openAPIV3Schema: Required value']],
  ['a kind like its list', { 'spec/names/listKind': 'Widget' }, ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same']],
  ['a protected group', { 'spec/group': 'a.k8s.io', 'metadata/name': 'widgets.a.k8s.io' }, [
    'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
  ]],
  ['a webhook without client', { 'spec/conversion': { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } } }, [
    'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
  ]],
  ['a column type', { 'spec/versions/0/additionalPrinterColumns': [{ name: 'A', type: 'text', jsonPath: '.spec.a' }] }, [
    'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
  ]],
  ['a scale without dots', { 'spec/versions/0/subresources/scale': { specReplicasPath: 'spec.replicas', statusReplicasPath: '.status.replicas' } }, [
    'spec.subresources.scale.specReplicasPath: Invalid value: "spec.replicas": must be a simple json path starting with .',
  ]],
  ['selectable fields', { 'spec/versions/0/selectableFields': [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }, { jsonPath: '.spec' }] }, [
    'spec.selectableFields[1].jsonPath: Invalid value: ".spec.size": is an invalid path: does not refer to a valid field',
    'spec.selectableFields[2].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ]],
])('create with %s', (_what, changes, expected) => {
  expect(createErrors(crd, changed(widgets, changes))).toEqual(expected);
});

test('scope and names are fixed once the definition is established', () => {
  const wanted = changed(stored, { 'spec/scope': 'Cluster', 'spec/names/kind': 'Gadget', 'spec/names/listKind': 'GadgetList' });
  expect(updateErrors(crd, stored, wanted)).toEqual([]);
  expect(updateErrors(crd, established, wanted)).toEqual(['spec.scope: Invalid value: "Cluster": field is immutable', 'spec.names.kind: Invalid value: "Gadget": field is immutable']);
});

test('a version that may be stored stays', () => {
  const old = changed(stored, { 'status/storedVersions': ['v0', 'v1'] });
  expect(updateErrors(crd, old, old)).toEqual([
    'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
  ]);
});

test('conditions that are stored as null', () => {
  const old = changed(stored, { 'status/conditions': null });
  expect(updateErrors(crd, old, widgets)).toEqual([]);
});
