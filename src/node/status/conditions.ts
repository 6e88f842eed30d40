import type { V1ContainerStatus, V1Pod, V1PodCondition, V1PodStatus } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';
import { isSidecar } from '../../api/helpers/pod-containers.js';
import { couldRestartAll } from './restart-rules.js';

type Verdict = Pick<V1PodCondition, 'status' | 'reason' | 'message'>;

/** Conditions that a node agent alone writes. */
export const AGENT_CONDITIONS: readonly string[] = [
  'PodScheduled', 'Ready', 'Initialized', 'ContainersReady', 'PodReadyToStartContainers', 'PodResizePending', 'PodResizeInProgress', 'AllContainersRestarting',
];

interface ConditionInput {
  readonly pod: V1Pod;
  /** Init and regular containers. */
  readonly statuses: readonly V1ContainerStatus[];
  readonly phase: string;
  readonly sandboxReady: boolean;
  readonly restartingAll: boolean;
  /** Whether Initialized was true before. */
  readonly wasInitialized: boolean;
  /** Conditions of others, for readiness gates. */
  readonly foreign: readonly V1PodCondition[];
}

const TRUE: Verdict = { status: 'True' };

/** The agent's conditions in upstream's order, without transition times. */
export function podConditions(input: ConditionInput): readonly V1PodCondition[] {
  const observedGeneration = input.pod.metadata?.generation;
  const containersReady = containersReadyVerdict(input);
  const list: (readonly [string, Verdict])[] = [
    ['PodReadyToStartContainers', { status: input.sandboxReady ? 'True' : 'False' }],
    ['Initialized', initializedVerdict(input)],
    ['Ready', readyVerdict(input, containersReady)],
    ['ContainersReady', containersReady],
    ['PodScheduled', TRUE],
  ];
  if (couldRestartAll(input.pod.spec!)) list.push(['AllContainersRestarting', restartingVerdict(input)]);
  return list.map(([type, verdict]) => ({ type, ...verdict, ...(observedGeneration === undefined ? {} : { observedGeneration }) }));
}

/** Takes the transition time of each condition from `old` where its status is the same; `now` is RFC 3339. */
export function withTransitionTimes(conditions: readonly V1PodCondition[], old: V1PodStatus | undefined, now: string): V1PodCondition[] {
  return conditions.map((condition) => {
    const before = findCondition(old?.conditions, condition.type);
    const kept = before?.status === condition.status ? before.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: kept ?? now };
  });
}

function names(list: readonly string[]): string {
  return `[${list.join(' ')}]`;
}

function ended(phase: string): Verdict {
  return { status: 'False', reason: phase === 'Failed' ? 'PodFailed' : 'PodCompleted' };
}

function containersReadyVerdict({ pod, statuses, phase }: ConditionInput): Verdict {
  const wanted = [...(pod.spec?.initContainers ?? []).filter(isSidecar), ...(pod.spec?.containers ?? [])];
  const unknown: string[] = [];
  const unready: string[] = [];
  for (const { name } of wanted) {
    const status = statuses.find((item) => item.name === name);
    if (!status) unknown.push(name);
    else if (!status.ready) unready.push(name);
  }
  if (phase === 'Failed' || (phase === 'Succeeded' && unknown.length === 0)) return ended(phase);
  const message = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${names(unknown)}`] : []),
    ...(unready.length > 0 ? [`containers with unready status: ${names(unready)}`] : []),
  ].join(', ');
  return message === '' ? TRUE : { status: 'False', reason: 'ContainersNotReady', message };
}

function readyVerdict({ pod, foreign }: ConditionInput, containersReady: Verdict): Verdict {
  if (containersReady.status !== 'True') return containersReady;
  const missing: string[] = [];
  for (const { conditionType } of pod.spec?.readinessGates ?? []) {
    const condition = findCondition(foreign, conditionType);
    if (!condition) missing.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    else if (condition.status !== 'True') missing.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`);
  }
  return missing.length === 0 ? TRUE : { status: 'False', reason: 'ReadinessGatesNotReady', message: missing.join(', ') };
}

function initializedVerdict({ pod, statuses, phase, wasInitialized }: ConditionInput): Verdict {
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of pod.spec?.initContainers ?? []) {
    const status = statuses.find((item) => item.name === container.name);
    if (!status) unknown.push(container.name);
    else if (isSidecar(container) ? status.started !== true : !status.ready) incomplete.push(container.name);
  }
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'True', reason: 'PodCompleted' };
  const started = pod.spec?.containers.some(({ name }) => {
    const state = statuses.find((item) => item.name === name)?.state;
    return state?.running !== undefined || state?.terminated !== undefined;
  });
  if (started || (unknown.length === 0 && incomplete.length === 0) || wasInitialized) return TRUE;
  const message = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${names(unknown)}`] : []),
    ...(incomplete.length > 0 ? [`containers with incomplete status: ${names(incomplete)}`] : []),
  ].join(', ');
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function restartingVerdict({ phase, restartingAll }: ConditionInput): Verdict {
  if (phase === 'Failed' || phase === 'Succeeded') return ended(phase);
  return restartingAll ? { status: 'True', reason: 'RestartAllContainersStarted' } : { status: 'False' };
}
