import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Random } from '../base/random.js';
import type { Snapshot } from './cache/snapshot.js';
import type { Extender } from './extender.js';
import { feasibleNodesToFind, findFeasibleNodes, pickBest, prepareFilters, rejectedEverywhere, scoreNodes, type StageObserver } from './framework/choose-node.js';
import { FitError, NoNodesError } from './framework/fit-error.js';
import { EXTENDER_NAME } from './framework/profile.js';
import type { PodCycle } from './framework/pod-cycle.js';
import { unresolvable, unschedulable, type Rejection } from './framework/rejection.js';
import { MAX_NODE_SCORE } from './framework/plugin.js';
import type { SchedulerMetrics } from './metrics.js';
import type { Nominator } from './queue/nominator.js';

/** Extenders score 0 to 10. */
const EXTENDER_SCORE_FACTOR = MAX_NODE_SCORE / 10;

/** Share of attempts whose plugins are timed one by one. */
const PLUGIN_TIMING_SHARE = 0.1;

export interface NodeChooserContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly nominator: Nominator;
  readonly extenders: readonly Extender[];
  readonly percentageOfNodesToScore: number;
  readonly metrics: SchedulerMetrics;
}

/** Chooses a node for a pod: filters the nodes of a snapshot, scores those that fit, and takes one of the best. */
export class NodeChooser {
  /** Where the next search starts, so that all nodes get their turn. */
  private nextStart = 0;

  constructor(private readonly context: NodeChooserContext) {}

  /** The node's name. Throws `NoNodesError` when there are none, `FitError` when none fits, and anything else for internal errors. */
  async choose(cycle: PodCycle): Promise<string> {
    const { snapshot } = cycle;
    if (snapshot.nodes.length === 0) throw new NoNodesError();
    const observer = this.observer(cycle);
    const feasible = await this.feasible(cycle, observer);
    if (feasible.length === 1) return snapshot.nodes[feasible[0]!]!.name;
    const start = this.context.clock.monotonic();
    const totals = scoreNodes(cycle, feasible, observer);
    this.stage('Score', cycle, start);
    await this.addExtenderScores(cycle, feasible, totals);
    return snapshot.nodes[pickBest(feasible, totals, this.context.random)]!.name;
  }

  private async feasible(cycle: PodCycle, observer: StageObserver): Promise<Int32Array> {
    const { snapshot, pod, profile } = cycle;
    let start = this.context.clock.monotonic();
    const prepared = prepareFilters(cycle, observer);
    this.stage('PreFilter', cycle, start, 'rejection' in prepared);
    if ('rejection' in prepared) throw new FitError(rejectedEverywhere(snapshot, prepared.rejection));
    start = this.context.clock.monotonic();
    const rejected = new Map<string, Rejection>();
    const nominated = snapshot.position(pod.pod.status?.nominatedNodeName ?? '');
    if (nominated !== undefined) {
      const alone = await this.askExtenders(cycle, this.search(cycle, Int32Array.of(nominated), 0, 1, rejected), rejected);
      if (alone.length > 0) return alone;
    }
    const positions = prepared.nodeNames ? positionsOf(snapshot, prepared.nodeNames) : undefined;
    const count = positions ? positions.length : snapshot.nodes.length;
    const scoring = profile.scorers.length > 0 || this.context.extenders.some((one) => one.prioritize ?? one.filter);
    const limit = scoring ? feasibleNodesToFind(count, profile.percentageOfNodesToScore ?? this.context.percentageOfNodesToScore) : 1;
    const found = this.search(cycle, positions, this.nextStart, limit, rejected);
    this.nextStart = (this.nextStart + found.length + rejected.size) % snapshot.nodes.length;
    const rejectors = new Set([...rejected.values()].map((one) => one.plugin));
    const feasible = await this.askExtenders(cycle, found, rejected);
    this.stage('Filter', cycle, start, feasible.length === 0);
    if (feasible.length > 0) return feasible;
    if (found.length > 0) rejectors.add(EXTENDER_NAME);
    for (const name of prepared.narrowing) rejectors.add(name);
    const absent = positions ? unresolvable('', `node(s) didn't satisfy plugin(s) [${[...prepared.narrowing].sort().join(' ')}]`) : undefined;
    throw new FitError({ nodeCount: snapshot.nodes.length, nodes: rejected, absent, preFilterMessage: '', postFilterMessage: '', rejectors });
  }

  private search(cycle: PodCycle, positions: Int32Array | undefined, start: number, limit: number, rejected: Map<string, Rejection>): Int32Array {
    return findFeasibleNodes(cycle, positions, { nominations: this.context.nominator, start, limit }, rejected);
  }

  private async askExtenders(cycle: PodCycle, found: Int32Array, rejected: Map<string, Rejection>): Promise<Int32Array> {
    let left = found;
    for (const extender of this.context.extenders) {
      if (left.length === 0) break;
      if (!extender.filter || !extender.isInterested(cycle.pod.pod)) continue;
      const nodes = Array.from(left, (position) => cycle.snapshot.nodes[position]!);
      try {
        const { feasible, failed, failedAndUnresolvable } = await extender.filter(cycle.pod, nodes);
        for (const [name, reason] of Object.entries(failed)) rejected.set(name, unschedulable(EXTENDER_NAME, reason));
        for (const [name, reason] of Object.entries(failedAndUnresolvable)) rejected.set(name, unresolvable(EXTENDER_NAME, reason));
        left = left.filter((position) => feasible.has(cycle.snapshot.nodes[position]!.name));
      } catch (error) {
        if (!extender.ignorable) throw error;
        this.context.log.warn('extender failed and is ignored', { extender: extender.name, error });
      }
    }
    return left;
  }

  private async addExtenderScores(cycle: PodCycle, nodes: Int32Array, totals: Float64Array): Promise<void> {
    const interested = this.context.extenders.filter((one) => one.prioritize && one.isInterested(cycle.pod.pod));
    if (interested.length === 0) return;
    const infos = Array.from(nodes, (position) => cycle.snapshot.nodes[position]!);
    const answers = await Promise.allSettled(interested.map((one) => one.prioritize!(cycle.pod, infos)));
    answers.forEach((answer, i) => {
      // The other scores are good enough without an extender that fails.
      if (answer.status === 'rejected') return;
      infos.forEach(({ name }, j) => {
        totals[j]! += (answer.value.get(name) ?? 0) * interested[i]!.weight * EXTENDER_SCORE_FACTOR;
      });
    });
  }

  private observer({ profile }: PodCycle): StageObserver {
    const { metrics, clock } = this.context;
    if (this.context.random.float() >= PLUGIN_TIMING_SHARE) {
      return {
        plugin: (plugin, extensionPoint, work) => {
          metrics.evaluated(plugin, extensionPoint, profile.schedulerName);
          work();
        },
      };
    }
    return {
      plugin: (plugin, extensionPoint, work) => {
        metrics.evaluated(plugin, extensionPoint, profile.schedulerName);
        const start = clock.monotonic();
        work();
        metrics.pluginRan(plugin, extensionPoint, (clock.monotonic() - start) / 1000);
      },
    };
  }

  private stage(extensionPoint: string, { profile }: PodCycle, start: number, rejected = false): void {
    this.context.metrics.stage(extensionPoint, rejected ? 'Unschedulable' : 'Success', profile.schedulerName, (this.context.clock.monotonic() - start) / 1000);
  }
}

function positionsOf(snapshot: Snapshot, names: ReadonlySet<string>): Int32Array {
  return Int32Array.from([...names].map((name) => snapshot.position(name)).filter((position) => position !== undefined));
}
