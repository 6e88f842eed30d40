import type { V1Node, V1Pod } from '../../api/generated/types.js';
import { podRequests } from '../../api/helpers/pod-resources.js';
import { isExtendedResource } from '../../api/helpers/resource-names.js';
import { nodeFacts, NodeInfo } from '../cache/node-info.js';
import { toResources, type Resources } from '../cache/resources.js';
import { Action } from '../framework/cluster-event.js';
import { memoByObject } from '../framework/memo.js';
import type { FilterPlugin, ScorePlugin } from '../framework/plugin.js';
import type { Rejection } from '../framework/rejection.js';
import type { NodeResourcesFitArgs } from '../options.js';
import { fitScorer } from './node-resources-fit-score.js';

const NAME = 'NodeResourcesFit';

/** A resource that a node has not enough of. */
interface Shortage {
  readonly reason: string;
  /** The node would not have enough of it even when empty. */
  readonly unresolvable: boolean;
}

/** Compares a pod's requests with what a node has left, and prefers nodes by the configured strategy. */
export function nodeResourcesFitPlugin(args: NodeResourcesFitArgs): FilterPlugin & ScorePlugin {
  const ignored = ignoring(args);
  // Hints are asked for every pending pod on every event.
  const wantedOf = memoByObject((pod: V1Pod) => toResources(podRequests(pod)));
  const emptyNode = memoByObject((node: V1Node) => new NodeInfo(nodeFacts(node)));
  return {
    name: NAME,
    interests: [
      { resource: 'Pod', actions: Action.Delete | Action.UpdatePodScaleDown, hint: (pod, before, after) => podHint(pod, before, after) },
      { resource: 'Node', actions: Action.Add | Action.UpdateNodeAllocatable, hint: (pod, before, after) => after !== undefined && nodeHint(wantedOf(pod), before && emptyNode(before), emptyNode(after)) },
    ],
    prepareFilter: (info) => {
      // Only a pod that runs already can have other requests in force than those of its spec.
      const wanted = info.pod.status?.containerStatuses ? toResources(podRequests(info.pod)) : info.requested;
      const shared = new Map<string, Rejection>();
      return {
        filter: (node) => {
          if (fits(wanted, node)) return undefined;
          const found = shortages(wanted, node, ignored);
          return found.length === 0 ? undefined : sharedRejection(shared, found);
        },
      };
    },
    prepareScore: fitScorer(args.scoringStrategy),
  };
}

/** The common answer, without making anything. Extended resources take the long way. */
function fits(wanted: Resources, node: NodeInfo): boolean {
  if (node.pods.length + 1 > node.facts.podCapacity) return false;
  const { allocatable } = node.facts;
  const { requested } = node;
  return (
    wanted.scalars === undefined &&
    (wanted.milliCpu === 0 || wanted.milliCpu <= allocatable.milliCpu - requested.milliCpu) &&
    (wanted.memory === 0 || wanted.memory <= allocatable.memory - requested.memory) &&
    (wanted.ephemeralStorage === 0 || wanted.ephemeralStorage <= allocatable.ephemeralStorage - requested.ephemeralStorage)
  );
}

function shortages(wanted: Resources, node: NodeInfo, ignored: (name: string) => boolean): Shortage[] {
  const found: Shortage[] = [];
  if (node.pods.length + 1 > node.facts.podCapacity) found.push({ reason: 'Too many pods', unresolvable: false });
  const check = (name: string, want: number, has: number, used: number): void => {
    if (want > 0 && want > has - used) found.push({ reason: `Insufficient ${name}`, unresolvable: want > has });
  };
  const { allocatable } = node.facts;
  const { requested } = node;
  check('cpu', wanted.milliCpu, allocatable.milliCpu, requested.milliCpu);
  check('memory', wanted.memory, allocatable.memory, requested.memory);
  check('ephemeral-storage', wanted.ephemeralStorage, allocatable.ephemeralStorage, requested.ephemeralStorage);
  for (const [name, want] of wanted.scalars ?? []) {
    if (!ignored(name)) check(name, want, allocatable.scalars?.get(name) ?? 0, requested.scalars?.get(name) ?? 0);
  }
  return found;
}

function sharedRejection(shared: Map<string, Rejection>, found: readonly Shortage[]): Rejection {
  const code = found.some((one) => one.unresolvable) ? 'UnschedulableAndUnresolvable' : 'Unschedulable';
  const reasons = found.map((one) => one.reason);
  const key = `${code}:${reasons.join('|')}`;
  let rejection = shared.get(key);
  if (!rejection) shared.set(key, (rejection = { code, reasons, plugin: NAME }));
  return rejection;
}

function ignoring({ ignoredResources, ignoredResourceGroups }: NodeResourcesFitArgs): (name: string) => boolean {
  const names = new Set(ignoredResources);
  const groups = new Set(ignoredResourceGroups);
  if (names.size === 0 && groups.size === 0) return () => false;
  return (name) => isExtendedResource(name) && (names.has(name) || groups.has(name.split('/')[0]!));
}

function podHint(pod: V1Pod, before: V1Pod | undefined, after: V1Pod | undefined): boolean {
  if (!after) return Boolean(before?.spec?.nodeName ?? before?.status?.nominatedNodeName);
  if (after.metadata?.uid === pod.metadata?.uid) return true;
  if (!after.spec?.nodeName || !before) return false;
  const was = podRequests(before, { useStatus: true });
  const is = podRequests(after, { useStatus: true });
  const wanted = podRequests(pod, { useStatus: true });
  return [...wanted].some(([name, want]) => want > 0 && (was.get(name) ?? 0) > (is.get(name) ?? 0));
}

function nodeHint(wanted: Resources, before: NodeInfo | undefined, now: NodeInfo): boolean {
  if (!fits(wanted, now) && shortages(wanted, now, () => false).length > 0) return false;
  if (!before) return true;
  const was = before.facts;
  if (now.facts.podCapacity > was.podCapacity) return true;
  const { allocatable } = now.facts;
  const grew = (want: number, old: number, next: number): boolean => want > 0 && next > old;
  if (grew(wanted.milliCpu, was.allocatable.milliCpu, allocatable.milliCpu)) return true;
  if (grew(wanted.memory, was.allocatable.memory, allocatable.memory)) return true;
  if (grew(wanted.ephemeralStorage, was.allocatable.ephemeralStorage, allocatable.ephemeralStorage)) return true;
  for (const [name, want] of wanted.scalars ?? []) {
    if (grew(want, was.allocatable.scalars?.get(name) ?? 0, allocatable.scalars?.get(name) ?? 0)) return true;
  }
  return false;
}
