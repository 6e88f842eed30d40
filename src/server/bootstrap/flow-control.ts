import type { FlowcontrolV1Subject, V1FlowSchema, V1LimitedPriorityLevelConfiguration, V1PolicyRulesWithSubjects, V1PriorityLevelConfiguration } from '../../api/generated/types.js';
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '../../api/resource-refs.js';
import type { PostStartHook } from '../server-context.js';
import { covers } from './covers.js';
import { ensure } from './ensure.js';
import { FlowSchemaStatus } from './flow-schema-status.js';

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1';
/** With the value `true`: the spec is put back at each start of the server. */
const AUTOUPDATE = 'apf.kubernetes.io/autoupdate-spec';

const PRODUCER = { fieldManager: 'api-priority-and-fairness-config-producer-v1' };

const user = (name: string): FlowcontrolV1Subject => ({ kind: 'User', user: { name } });
const group = (name: string): FlowcontrolV1Subject => ({ kind: 'Group', group: { name } });
const accountsOf = (namespace: string): FlowcontrolV1Subject => ({ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace } });

const EVERYBODY = [group('system:unauthenticated'), group('system:authenticated')];

type Rules = Omit<V1PolicyRulesWithSubjects, 'subjects'>;

const ANYTHING: Rules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const PROBES: Rules = { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] };
const LEADER_ELECTION: Rules = {
  resourceRules: [{ verbs: ['get', 'create', 'update'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] }],
};
const NODE_HEARTBEATS: Rules = {
  resourceRules: [
    { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
    { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] },
  ],
};

function schema(name: string, level: string, matchingPrecedence: number, distinguisher: 'ByUser' | 'ByNamespace' | undefined, subjects: readonly FlowcontrolV1Subject[], rules = ANYTHING): V1FlowSchema {
  return {
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: { name, annotations: { [AUTOUPDATE]: 'true' } },
    spec: {
      matchingPrecedence,
      priorityLevelConfiguration: { name: level },
      ...(distinguisher ? { distinguisherMethod: { type: distinguisher } } : {}),
      rules: [{ subjects, ...rules }],
    },
  };
}

/** The flow schemas that are always there. */
const DEFAULT_FLOW_SCHEMAS: readonly V1FlowSchema[] = [
  schema('exempt', 'exempt', 1, undefined, [group('system:masters')]),
  schema('probes', 'exempt', 2, undefined, EVERYBODY, PROBES),
  schema('system-leader-election', 'leader-election', 100, 'ByUser', [user('system:kube-controller-manager'), user('system:kube-scheduler'), accountsOf('kube-system')], LEADER_ELECTION),
  schema('system-node-high', 'node-high', 400, 'ByUser', [group('system:nodes')], NODE_HEARTBEATS),
  schema('system-nodes', 'system', 500, 'ByUser', [group('system:nodes')]),
  schema('kube-controller-manager', 'workload-high', 800, 'ByNamespace', [user('system:kube-controller-manager')]),
  schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', [user('system:kube-scheduler')]),
  schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', [accountsOf('kube-system')]),
  schema('service-accounts', 'workload-low', 9000, 'ByUser', [group('system:serviceaccounts')]),
  schema('global-default', 'global-default', 9900, 'ByUser', EVERYBODY),
  schema('catch-all', 'catch-all', 10000, 'ByUser', EVERYBODY),
];

function level(name: string, spec: V1PriorityLevelConfiguration['spec']): V1PriorityLevelConfiguration {
  return { apiVersion: API_VERSION, kind: 'PriorityLevelConfiguration', metadata: { name, annotations: { [AUTOUPDATE]: 'true' } }, spec };
}

function limited(name: string, nominalConcurrencyShares: number, lendablePercent: number, queues?: { queues: number; handSize: number }): V1PriorityLevelConfiguration {
  const limitResponse: V1LimitedPriorityLevelConfiguration['limitResponse'] = queues
    ? { type: 'Queue', queuing: { ...queues, queueLengthLimit: 50 } }
    : { type: 'Reject' };
  return level(name, { type: 'Limited', limited: { nominalConcurrencyShares, lendablePercent, limitResponse } });
}

/** The priority levels that are always there. */
const DEFAULT_PRIORITY_LEVELS: readonly V1PriorityLevelConfiguration[] = [
  level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  limited('catch-all', 5, 0),
  limited('global-default', 20, 50, { queues: 128, handSize: 6 }),
  limited('leader-election', 10, 0, { queues: 16, handSize: 4 }),
  limited('node-high', 40, 25, { queues: 64, handSize: 6 }),
  limited('system', 30, 33, { queues: 64, handSize: 6 }),
  limited('workload-high', 40, 50, { queues: 128, handSize: 6 }),
  limited('workload-low', 100, 90, { queues: 128, handSize: 6 }),
];

/** The stored object with the wanted spec, when it still asks for that and differs. Its own defaults (missing in ours) do not count. */
function withSpec<T extends V1FlowSchema | V1PriorityLevelConfiguration>(stored: T, wanted: T): T | undefined {
  if (stored.metadata?.annotations?.[AUTOUPDATE] !== 'true' || covers(stored.spec, wanted.spec)) return undefined;
  return { ...stored, spec: wanted.spec };
}

export const flowControl: PostStartHook = {
  name: 'priority-and-fairness-config-producer',
  run: async (context, signal) => {
    await Promise.all([
      ...DEFAULT_PRIORITY_LEVELS.map((wanted) => ensure(context, PRIORITY_LEVEL_CONFIGURATIONS, wanted, (stored) => withSpec(stored, wanted), PRODUCER)),
      ...DEFAULT_FLOW_SCHEMAS.map((wanted) => ensure(context, FLOW_SCHEMAS, wanted, (stored) => withSpec(stored, wanted), PRODUCER)),
    ]);
    await new FlowSchemaStatus(context, signal).start();
  },
};
