import { RESOURCES } from '../../../api/facts/resources.js';
import { KINDS } from '../../../api/kinds.js';
import type { V1ValidatingWebhook } from '../../../api/generated/types.js';
import { CONFIG_MAPS, EVENTS, HORIZONTAL_POD_AUTOSCALERS, NAMESPACES, NODES, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../api/resource-refs.js';
import { Scheme } from '../../../api/scheme/scheme.js';
import { attributesFor } from '../../testing/attributes.js';
import { FakeView } from '../../testing/fake-view.js';
import type { AdmissionAttributes } from '../plugin.js';
import { compileHooks } from './hook.js';
import { HookSource } from './hook-source.js';
import { selectorsMatch } from './selectors.js';

const scheme = new Scheme(KINDS, RESOURCES);
const webhook = (name: string, rule: Partial<NonNullable<V1ValidatingWebhook['rules']>[number]> = {}, more: Partial<V1ValidatingWebhook> = {}): V1ValidatingWebhook => ({
  name, clientConfig: { url: 'https://x' }, sideEffects: 'None', admissionReviewVersions: ['v1'], matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {},
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], ...rule }], ...more,
});
const map = attributesFor(CONFIG_MAPS, { metadata: { namespace: 'ns', name: 'm' } });

function sourceOf(view: FakeView): (a: AdmissionAttributes) => string[] {
  const source = new HookSource(view, VALIDATING_WEBHOOK_CONFIGURATIONS, () => scheme);
  return (a) => source.invocations(a).map(({ hook, kind }) => `${hook.configuration}/${hook.name} ${kind.group}/${kind.version}`);
}

test('configurations come in the order of their names, and count from the moment they are there', () => {
  const view = new FakeView();
  const names = sourceOf(view);
  expect(names(map)).toEqual([]);
  view.put(VALIDATING_WEBHOOK_CONFIGURATIONS, { metadata: { name: 'b' }, webhooks: [webhook('z'), webhook('y'), webhook('pods', { resources: ['pods'] })] });
  view.put(VALIDATING_WEBHOOK_CONFIGURATIONS, { metadata: { name: 'a' }, webhooks: [webhook('x')] });
  expect(names(map)).toEqual(['a/x /v1', 'b/z /v1', 'b/y /v1']);
  view.put(VALIDATING_WEBHOOK_CONFIGURATIONS, { metadata: { name: 'b' }, webhooks: [webhook('y')] });
  expect(names(map)).toEqual(['a/x /v1', 'b/y /v1']);
  view.remove(VALIDATING_WEBHOOK_CONFIGURATIONS, '', 'a');
  expect(names(map)).toEqual(['b/y /v1']);
  expect(names(attributesFor(VALIDATING_WEBHOOK_CONFIGURATIONS, { metadata: { name: 'b' } }))).toEqual([]);
  expect(names(attributesFor(NODES, { metadata: { name: 'n' } }))).toEqual(['b/y /v1']);
});

test('a rule about another version of the same objects matches, unless it wants to be exact', () => {
  const view = new FakeView();
  const v1 = { apiGroups: ['autoscaling'], apiVersions: ['v1'] };
  view.put(VALIDATING_WEBHOOK_CONFIGURATIONS, {
    metadata: { name: 'c' }, webhooks: [webhook('old', v1), webhook('exact', v1, { matchPolicy: 'Exact' }), webhook('new', { apiGroups: ['autoscaling'], apiVersions: ['v2'] }), webhook('events', { apiGroups: ['events.k8s.io'] })],
  });
  const names = sourceOf(view);
  expect(names(attributesFor(HORIZONTAL_POD_AUTOSCALERS, { metadata: { namespace: 'ns', name: 'h' } } as never))).toEqual(['c/old autoscaling/v1', 'c/new autoscaling/v2']);
  const event = attributesFor(EVENTS, { metadata: { namespace: 'ns', name: 'e' }, involvedObject: {} });
  expect(names(event)).toEqual(['c/events events.k8s.io/v1']);
});

test('selectors look at the namespace and at both states of the object', () => {
  const view = new FakeView().put(NAMESPACES, { metadata: { name: 'ns', labels: { team: 'a' } } });
  const [hook] = compileHooks({ metadata: { name: 'c' }, webhooks: [webhook('w', {}, { namespaceSelector: { matchLabels: { team: 'a' } }, objectSelector: { matchExpressions: [{ key: 'on', operator: 'Exists' }] } })] });
  const matches = (a: AdmissionAttributes): boolean => selectorsMatch(view, hook!, a, a.object as AdmissionAttributes['oldObject']);
  const labelled = { metadata: { namespace: 'ns', name: 'm', labels: { on: '' } } };
  expect(matches(map)).toBe(false);
  expect(matches(attributesFor(CONFIG_MAPS, labelled))).toBe(true);
  expect(matches(attributesFor(CONFIG_MAPS, undefined, { operation: 'DELETE', namespace: 'ns', oldObject: labelled }))).toBe(true);
  expect(matches(attributesFor(CONFIG_MAPS, { metadata: { ...map.object!.metadata, namespace: 'ns' } }, { operation: 'UPDATE', oldObject: labelled }))).toBe(true);
  expect(() => matches(attributesFor(CONFIG_MAPS, { metadata: { ...labelled.metadata, namespace: 'gone' } }))).toThrow('namespaces "gone" not found');
  // Cluster-scoped objects are in no namespace that could exempt them; of a namespace counts what is written.
  expect(matches(attributesFor(NODES, { metadata: { name: 'n', labels: { on: '' } } }))).toBe(true);
  const namespace = (labels: Record<string, string>): AdmissionAttributes => attributesFor(NAMESPACES, { metadata: { name: 'ns', labels: { on: '', ...labels } } }, { namespace: 'ns' });
  expect([matches(namespace({ team: 'a' })), matches(namespace({ team: 'b' }))]).toEqual([true, false]);
});
