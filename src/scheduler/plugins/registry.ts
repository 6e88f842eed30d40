import type { V1PersistentVolume, V1PersistentVolumeClaim } from '../../api/generated/types.js';
import type { Clock } from '../../base/clock.js';
import type { Client } from '../../client/index.js';
import type { Plugin } from '../framework/plugin.js';
import type { Listers } from '../listers.js';
import type { PluginArgs, ProfileOptions } from '../options.js';
import type { AssumeCache } from './assume-cache.js';
import { defaultBinderPlugin } from './default-binder.js';
import { defaultPreemptionPlugin, type DefaultPreemptionContext } from './default-preemption.js';
import { dynamicResourcesPlugin } from './dynamic-resources.js';
import { imageLocalityPlugin } from './image-locality.js';
import { interPodAffinityPlugin } from './inter-pod-affinity.js';
import { nodeAffinityPlugin } from './node-affinity.js';
import { nodeNamePlugin } from './node-name.js';
import { nodePortsPlugin } from './node-ports.js';
import { nodeResourcesBalancedAllocationPlugin } from './node-resources-balanced-allocation.js';
import { nodeResourcesFitPlugin } from './node-resources-fit.js';
import { nodeUnschedulablePlugin } from './node-unschedulable.js';
import { nodeVolumeLimitsPlugin } from './node-volume-limits.js';
import { podTopologySpreadPlugin } from './pod-topology-spread.js';
import { prioritySortPlugin } from './priority-sort.js';
import { schedulingGatesPlugin } from './scheduling-gates.js';
import { taintTolerationPlugin } from './taint-toleration.js';
import { VolumeBinder } from './volume-binder.js';
import { volumeBindingPlugin } from './volume-binding.js';
import { volumeRestrictionsPlugin } from './volume-restrictions.js';
import { volumeZonePlugin } from './volume-zone.js';

const DEFAULT_BIND_TIMEOUT_SECONDS = 600;

export interface PluginContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly listers: Listers;
  readonly preemption: Omit<DefaultPreemptionContext, 'args'>;
}

/** State that profiles share: what one of them assumes of volumes holds for all. */
export interface SharedPluginState {
  readonly claims: AssumeCache<V1PersistentVolumeClaim>;
  readonly volumes: AssumeCache<V1PersistentVolume>;
}

/** Makes the plugins for one profile, with its arguments, by name. */
export function createPlugins({ pluginConfig }: ProfileOptions, context: PluginContext, shared: SharedPluginState): ReadonlyMap<string, Plugin> {
  const args = Object.fromEntries((pluginConfig ?? []).map((one) => [one.name, one.args])) as Partial<PluginArgs>;
  const { client, clock, listers } = context;
  const binder = new VolumeBinder({
    client,
    clock,
    claims: shared.claims,
    volumes: shared.volumes,
    classes: listers.classes,
    drivers: listers.drivers,
    capacities: listers.capacities,
    nodes: listers.nodes,
    pods: listers.pods,
    bindTimeoutMilliseconds: (args.VolumeBinding?.bindTimeoutSeconds ?? DEFAULT_BIND_TIMEOUT_SECONDS) * 1000,
  });
  const plugins: readonly Plugin[] = [
    schedulingGatesPlugin,
    prioritySortPlugin,
    nodeUnschedulablePlugin,
    nodeNamePlugin,
    taintTolerationPlugin,
    nodeAffinityPlugin(args.NodeAffinity ?? {}),
    nodePortsPlugin,
    nodeResourcesFitPlugin(args.NodeResourcesFit ?? {}),
    volumeRestrictionsPlugin(listers.claims),
    nodeVolumeLimitsPlugin(listers),
    volumeBindingPlugin(binder, listers.claims),
    volumeZonePlugin(listers),
    podTopologySpreadPlugin(args.PodTopologySpread ?? {}, listers),
    interPodAffinityPlugin(args.InterPodAffinity ?? {}, listers.namespaces),
    dynamicResourcesPlugin(client, listers.resourceClaims),
    defaultPreemptionPlugin({ ...context.preemption, args: args.DefaultPreemption ?? {} }),
    nodeResourcesBalancedAllocationPlugin(args.NodeResourcesBalancedAllocation ?? {}),
    imageLocalityPlugin,
    defaultBinderPlugin(client),
  ];
  return new Map(plugins.map((plugin) => [plugin.name, plugin]));
}
