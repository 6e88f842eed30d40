import type { V1FlowSchema, V1PriorityLevelConfiguration } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, type Changes } from '../scheme/testing.js';
import { flowSchema } from './flow-schema.js';
import { priorityLevelConfiguration } from './priority-level-configuration.js';

const schema: V1FlowSchema = {
  metadata: { name: 'f' },
  spec: {
    priorityLevelConfiguration: { name: 'workload-low' },
    rules: [{ subjects: [{ kind: 'Group', group: { name: 'g' } }], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }] }],
  },
};
const level: V1PriorityLevelConfiguration = { metadata: { name: 'p' }, spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } } };

test('defaults', () => {
  expect(created(flowSchema, schema).spec!.matchingPrecedence).toBe(1000);
  expect(created(priorityLevelConfiguration, level).spec!.limited).toEqual({
    nominalConcurrencyShares: 30, lendablePercent: 0, limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
  });
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['a precedence', { 'spec/matchingPrecedence': 10001 }, ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000']],
  ['no level', { 'spec/priorityLevelConfiguration/name': '' }, ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level']],
  ['no subject', { 'spec/rules/0/subjects': [] }, ['spec.rules[0].subjects: Required value: subjects must contain at least one value']],
  ['no rule', { 'spec/rules/0/nonResourceRules': [] }, ['spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty']],
  ['a relative URL', { 'spec/rules/0/nonResourceRules/0/nonResourceURLs/0': 'healthz' }, [
    "spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: \"healthz\": must start with slash",
  ]],
])('flow schema with %s', (_what, changes, expected) => {
  expect(createErrors(flowSchema, changed(schema, changes))).toEqual(expected);
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['a type', { 'spec/type': 'Free' }, ['spec.type: Unsupported value: "Free": supported values: "Exempt", "Limited"']],
  ['no limits', { 'spec/limited': undefined }, ['spec.limited: Required value: must not be empty when type is Limited']],
  ['queues for rejected requests', { 'spec/limited/limitResponse/type': 'Reject' }, [
    'spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited',
  ]],
  ['a hand that is too large', { 'spec/limited/limitResponse/queuing': { queues: 4, handSize: 5, queueLengthLimit: 1 } }, [
    'spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)',
  ]],
])('priority level with %s', (_what, changes, expected) => {
  expect(createErrors(priorityLevelConfiguration, changed(level, changes))).toEqual(expected);
});

test('cells', () => {
  expect(cellsOf(flowSchema, created(flowSchema, schema))).toEqual(['f', 'workload-low', 1000, '<none>', '<unknown>', '?']);
  expect(cellsOf(priorityLevelConfiguration, created(priorityLevelConfiguration, level))).toEqual(['p', 'Limited', 30, 64, 8, 50, '<unknown>']);
});
