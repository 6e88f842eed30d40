import type { V1Pod, V1PodDisruptionBudget } from '../../api/generated/types.js';
import { DISRUPTION_TARGET, podCondition } from '../../api/helpers/pod-state.js';
import type { Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import type { Random } from '../../base/random.js';
import type { Lister } from '../../client/index.js';
import { PodInfo } from '../cache/pod-info.js';
import type { Extender } from '../extender.js';
import { Action } from '../framework/cluster-event.js';
import { fitErrorMessage, nodeRejection, type Diagnosis } from '../framework/fit-error.js';
import type { PostFilterPlugin, PostFilterResult, PreEnqueuePlugin } from '../framework/plugin.js';
import type { PodCycle } from '../framework/pod-cycle.js';
import { unresolvable, type Rejection } from '../framework/rejection.js';
import type { DefaultPreemptionArgs } from '../options.js';
import type { Nominator } from '../queue/nominator.js';
import type { PreemptionExecutor } from './preemption-executor.js';
import { pickCandidate } from './preemption-pick.js';
import { selectVictims, type Victims } from './preemption-victims.js';
import { nextTurn } from '../../base/steps.js';

const NAME = 'DefaultPreemption';
const NOT_HELPFUL = unresolvable(NAME, 'Preemption is not helpful for scheduling');
/** The search for victims may take long; the event loop gets its turn after so long. */
const SLICE_MILLISECONDS = 5;
const RUNNING = unresolvable(NAME, 'waiting for the preemption for this pod to be finished');

export interface DefaultPreemptionContext {
  readonly args: DefaultPreemptionArgs;
  readonly clock: Clock;
  readonly random: Random;
  readonly pods: Lister<V1Pod>;
  readonly budgets: Lister<V1PodDisruptionBudget>;
  readonly nominator: Nominator;
  readonly executor: PreemptionExecutor;
  readonly extenders: readonly Extender[];
  /** One attempt was made; `victims` were chosen, none: it failed. */
  readonly observe: (victims: number) => void;
}

/** When a pod fits nowhere: finds the node where removing pods of lower priority makes room at the least cost, removes them and nominates the node. */
export function defaultPreemptionPlugin(context: DefaultPreemptionContext): PostFilterPlugin & PreEnqueuePlugin {
  return {
    name: NAME,
    // The gate listens so that it is looked at again; whether the pod is worth trying is for the plugins that rejected it.
    interests: [{ resource: 'Pod', actions: Action.Delete, hint: () => false }],
    preEnqueue: (pod) => (context.executor.isRunningFor(pod.metadata?.uid ?? '') ? RUNNING : undefined),
    postFilter: async (cycle, diagnosis) => {
      const result = await preempt(context, cycle, diagnosis);
      return result.message === '' ? result : { ...result, message: `preemption: ${result.message}` };
    },
  };
}

const failed = (message: string, nominatedNode?: string): PostFilterResult => ({ nominatedNode, message, success: false });

async function preempt(context: DefaultPreemptionContext, cycle: PodCycle, diagnosis: Diagnosis): Promise<PostFilterResult> {
  const current = context.pods.get(cycle.pod.namespace, cycle.pod.name);
  if (!current) {
    context.observe(0);
    return failed(`pod "${cycle.pod.name}" not found`);
  }
  const pod = new PodInfo(current);
  const ineligible = whyNotEligible(pod, cycle, diagnosis);
  if (ineligible !== undefined) {
    context.observe(0);
    return failed(ineligible);
  }
  const { candidates, rejections } = await findCandidates(context, pod, cycle, diagnosis);
  if (candidates.length === 0) {
    context.observe(0);
    const message = fitErrorMessage({ nodeCount: diagnosis.nodeCount, nodes: rejections, absent: NOT_HELPFUL, preFilterMessage: '', postFilterMessage: '' });
    return failed(message, '');
  }
  let chosen: Victims | undefined;
  try {
    chosen = pickCandidate(await askExtenders(context, pod, candidates, cycle), context.clock.now());
  } catch (error) {
    context.observe(0);
    return failed(errorMessage(error));
  }
  if (!chosen) {
    context.observe(0);
    return failed('no candidate node for preemption');
  }
  context.observe(chosen.pods.length);
  context.executor.start(pod, chosen, context.nominator.lowerPriority(chosen.nodeName, pod.priority));
  return { nominatedNode: chosen.nodeName, message: '', success: true };
}

function whyNotEligible(pod: PodInfo, { snapshot }: PodCycle, diagnosis: Diagnosis): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = pod.pod.status?.nominatedNodeName ?? '';
  if (nominated === '' || nodeRejection(diagnosis, nominated)?.code === 'UnschedulableAndUnresolvable') return undefined;
  const leaving = snapshot.get(nominated)?.pods.some((one) => one.priority < pod.priority && isBeingPreempted(one));
  return leaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

function isBeingPreempted({ pod, terminating }: PodInfo): boolean {
  const condition = terminating ? podCondition(pod, DISRUPTION_TARGET) : undefined;
  return condition?.status === 'True' && condition.reason === 'PreemptionByScheduler';
}

async function findCandidates(
  context: DefaultPreemptionContext,
  pod: PodInfo,
  { snapshot, filters }: PodCycle,
  diagnosis: Diagnosis,
): Promise<{ readonly candidates: readonly Victims[]; readonly rejections: ReadonlyMap<string, Rejection> }> {
  const positions: number[] = [];
  snapshot.nodes.forEach(({ name }, position) => {
    if (nodeRejection(diagnosis, name)?.code === 'Unschedulable') positions.push(position);
  });
  const rejections = new Map<string, Rejection>();
  const breaking: Victims[] = [];
  const clean: Victims[] = [];
  const count = positions.length;
  const wanted = Math.min(count, Math.max(Math.trunc((count * (context.args.minCandidateNodesPercentage ?? 10)) / 100), context.args.minCandidateNodesAbsolute ?? 100));
  const offset = Math.floor(context.random.float() * count);
  const search = {
    pod,
    filters: [...filters.values()],
    budgets: context.budgets.list(),
    nominated: (nodeName: string) => context.nominator.competing(nodeName, pod),
    now: context.clock.now(),
  };
  let sliceEnd = context.clock.monotonic() + SLICE_MILLISECONDS;
  for (let i = 0; i < count; i++) {
    if (context.clock.monotonic() > sliceEnd) {
      await nextTurn();
      sliceEnd = context.clock.monotonic() + SLICE_MILLISECONDS;
    }
    const position = positions[(offset + i) % count]!;
    const node = snapshot.nodes[position]!;
    const found = selectVictims(search, node, position);
    if ('code' in found) rejections.set(node.name, found);
    else (found.budgetViolations === 0 ? clean : breaking).push(found);
    if (clean.length > 0 && clean.length + breaking.length >= wanted) break;
  }
  return { candidates: [...clean, ...breaking], rejections };
}

async function askExtenders(context: DefaultPreemptionContext, pod: PodInfo, candidates: readonly Victims[], cycle: PodCycle): Promise<readonly Victims[]> {
  let left = candidates;
  for (const extender of context.extenders) {
    if (!extender.preempt || !extender.isInterested(pod.pod) || left.length === 0) continue;
    try {
      const answer = await extender.preempt(pod, left, cycle.snapshot);
      const empty = answer.find((one) => one.pods.length === 0);
      if (empty && !extender.ignorable) throw new Error(`expected at least one victim pod on node "${empty.nodeName}"`);
      left = answer.filter((one) => one.pods.length > 0);
    } catch (error) {
      if (!extender.ignorable) throw error;
    }
  }
  return left;
}
