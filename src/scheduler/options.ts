import type { V1NodeAffinity, V1TopologySpreadConstraint } from '../api/generated/types.js';

/** A plugin switched on at an extension point. */
export interface PluginRef {
  readonly name: string;
  /** Factor of its scores; default: as upstream's default profile has it, else 1. */
  readonly weight?: number;
}

/** Changes to the default plugins of an extension point. */
export interface PluginSet {
  readonly enabled?: readonly PluginRef[];
  /** Names, or `*` for all. */
  readonly disabled?: readonly PluginRef[];
}

/** `plugins` of a profile in KubeSchedulerConfiguration v1. */
export interface Plugins {
  readonly multiPoint?: PluginSet;
  readonly preEnqueue?: PluginSet;
  readonly queueSort?: PluginSet;
  readonly preFilter?: PluginSet;
  readonly filter?: PluginSet;
  readonly postFilter?: PluginSet;
  readonly preScore?: PluginSet;
  readonly score?: PluginSet;
  readonly reserve?: PluginSet;
  readonly permit?: PluginSet;
  readonly preBind?: PluginSet;
  readonly bind?: PluginSet;
  readonly postBind?: PluginSet;
}

/** A resource that counts for scoring. */
export interface ResourceSpec {
  readonly name: string;
  /** Default 1. */
  readonly weight?: number;
}

/** A point of a score curve: utilisation in percent, score 0 to 10. */
export interface UtilizationShapePoint {
  readonly utilization: number;
  readonly score: number;
}

export interface NodeResourcesFitArgs {
  readonly ignoredResources?: readonly string[];
  /** Prefixes before the slash. */
  readonly ignoredResourceGroups?: readonly string[];
  readonly scoringStrategy?: {
    /** Default `LeastAllocated`. */
    readonly type?: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
    /** Default CPU and memory, weight 1 each. */
    readonly resources?: readonly ResourceSpec[];
    readonly requestedToCapacityRatio?: { readonly shape?: readonly UtilizationShapePoint[] };
  };
}

export interface NodeResourcesBalancedAllocationArgs {
  /** Default CPU and memory. */
  readonly resources?: readonly ResourceSpec[];
}

export interface NodeAffinityArgs {
  /** Applies to every pod besides its own. */
  readonly addedAffinity?: V1NodeAffinity;
}

export interface InterPodAffinityArgs {
  /** 0 to 100; default 1. */
  readonly hardPodAffinityWeight?: number;
  /** Default false. */
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

export interface PodTopologySpreadArgs {
  readonly defaultConstraints?: readonly V1TopologySpreadConstraint[];
  /** `System` (default): hostname with skew 3 and zone with skew 5, both soft. `List`: {@link defaultConstraints}. */
  readonly defaultingType?: 'System' | 'List';
}

export interface VolumeBindingArgs {
  /** Default 600. */
  readonly bindTimeoutSeconds?: number;
}

export interface DefaultPreemptionArgs {
  /** Share of the nodes that are tried for preemption, in percent; default 10. */
  readonly minCandidateNodesPercentage?: number;
  /** Number of nodes that are tried at least; default 100. */
  readonly minCandidateNodesAbsolute?: number;
}

/** Arguments of the plugins that have any. */
export interface PluginArgs {
  readonly NodeResourcesFit: NodeResourcesFitArgs;
  readonly NodeResourcesBalancedAllocation: NodeResourcesBalancedAllocationArgs;
  readonly NodeAffinity: NodeAffinityArgs;
  readonly InterPodAffinity: InterPodAffinityArgs;
  readonly PodTopologySpread: PodTopologySpreadArgs;
  readonly VolumeBinding: VolumeBindingArgs;
  readonly DefaultPreemption: DefaultPreemptionArgs;
}

/** Arguments of one plugin. */
export type PluginConfig = { readonly [N in keyof PluginArgs]: { readonly name: N; readonly args: PluginArgs[N] } }[keyof PluginArgs];

/** A policy for the pods that name it in `spec.schedulerName`. */
export interface ProfileOptions {
  /** Default `default-scheduler`. */
  readonly schedulerName?: string;
  /** Overrides the scheduler's. */
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: Plugins;
  readonly pluginConfig?: readonly PluginConfig[];
}

/** An HTTP extender, as in KubeSchedulerConfiguration v1. TLS is up to the environment that sends its requests. */
export interface ExtenderOptions {
  readonly urlPrefix: string;
  readonly filterVerb?: string;
  readonly prioritizeVerb?: string;
  readonly preemptVerb?: string;
  readonly bindVerb?: string;
  readonly weight?: number;
  /** Seconds; default 5. */
  readonly httpTimeoutSeconds?: number;
  /** The extender knows the nodes: only names are sent. */
  readonly nodeCacheCapable?: boolean;
  /** Only pods that request one of these are sent; empty: all. */
  readonly managedResources?: readonly { readonly name: string; readonly ignoredByScheduler?: boolean }[];
  /** Errors of the extender do not stop scheduling. */
  readonly ignorable?: boolean;
}

/** Settings of the scheduler, in the shape of KubeSchedulerConfiguration v1. Plain data. */
export interface SchedulerOptions {
  /** Default: one profile named `default-scheduler`. */
  readonly profiles?: readonly ProfileOptions[];
  /** The search for nodes stops when this share of them fits; 0 (default): 50 % and less for large clusters. */
  readonly percentageOfNodesToScore?: number;
  /** Default 1. */
  readonly podInitialBackoffSeconds?: number;
  /** Default 10. */
  readonly podMaxBackoffSeconds?: number;
  /** Accepted for compatibility; the event loop has one thread. */
  readonly parallelism?: number;
  readonly extenders?: readonly ExtenderOptions[];
}

export const DEFAULT_SCHEDULER_NAME = 'default-scheduler';
