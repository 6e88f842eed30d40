import { KubeError } from '../../base/errors.js';
import type { Plugins, PluginSet } from '../options.js';

/** The plugins of upstream's default profile, in the order in which they run, with the weights of their scores. */
export const DEFAULT_PLUGINS: readonly { readonly name: string; readonly weight: number }[] = [
  { name: 'SchedulingGates', weight: 0 },
  { name: 'PrioritySort', weight: 0 },
  { name: 'NodeUnschedulable', weight: 0 },
  { name: 'NodeName', weight: 0 },
  { name: 'TaintToleration', weight: 3 },
  { name: 'NodeAffinity', weight: 2 },
  { name: 'NodePorts', weight: 0 },
  { name: 'NodeResourcesFit', weight: 1 },
  { name: 'VolumeRestrictions', weight: 0 },
  { name: 'NodeVolumeLimits', weight: 0 },
  { name: 'VolumeBinding', weight: 0 },
  { name: 'VolumeZone', weight: 0 },
  { name: 'PodTopologySpread', weight: 2 },
  { name: 'InterPodAffinity', weight: 2 },
  { name: 'DynamicResources', weight: 2 },
  { name: 'DefaultPreemption', weight: 0 },
  { name: 'NodeResourcesBalancedAllocation', weight: 1 },
  { name: 'ImageLocality', weight: 1 },
  { name: 'DefaultBinder', weight: 0 },
];

/** Extension points that plugins can be switched at. */
export type ExtensionPoint = 'preEnqueue' | 'preFilter' | 'filter' | 'postFilter' | 'preScore' | 'score' | 'reserve' | 'preBind' | 'bind';

/** A plugin at an extension point. */
export interface SelectedPlugin {
  readonly name: string;
  readonly weight: number;
}

/**
 * The plugins of one extension point, in order: those of `multiPoint`, changed by the point's own set. As upstream merges them: `disabled` takes
 * defaults away, `enabled` adds at the end or, for a plugin that is there already, replaces its weight in place.
 * Throws `KUBE_SCHEDULER_CONFIG` when a plugin is enabled twice.
 */
export function selectPlugins(plugins: Plugins | undefined, point: ExtensionPoint): readonly SelectedPlugin[] {
  return merge(merge(DEFAULT_PLUGINS, plugins?.multiPoint), plugins?.[point]);
}

function merge(base: readonly SelectedPlugin[], change: PluginSet | undefined): readonly SelectedPlugin[] {
  if (!change) return base;
  const disabled = new Set(change.disabled?.map((one) => one.name));
  const enabled = new Map<string, SelectedPlugin>();
  for (const { name, weight } of change.enabled ?? []) {
    if (enabled.has(name)) throw new KubeError('KUBE_SCHEDULER_CONFIG', `plugin "${name}" is enabled twice`);
    const usual = DEFAULT_PLUGINS.find((one) => one.name === name)?.weight;
    enabled.set(name, { name, weight: weight || usual || 1 });
  }
  const kept = disabled.has('*') ? [] : base.filter((one) => !disabled.has(one.name));
  const result = kept.map((one) => enabled.get(one.name) ?? one);
  for (const one of enabled.values()) if (!kept.some((other) => other.name === one.name)) result.push(one);
  return result;
}
