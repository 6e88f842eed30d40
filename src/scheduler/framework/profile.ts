import { KubeError } from '../../base/errors.js';
import { DEFAULT_SCHEDULER_NAME, type ProfileOptions } from '../options.js';
import { Action, matchesInterest, type ClusterEvent } from './cluster-event.js';
import { selectPlugins, type ExtensionPoint } from './plugin-selection.js';
import type { BindPlugin, EventInterest, FilterPlugin, Plugin, PostFilterPlugin, PreBindPlugin, PreEnqueuePlugin, ReservePlugin, ScorePlugin } from './plugin.js';

/** Name under which rejections by extenders are kept; any event wakes such pods. */
export const EXTENDER_NAME = 'Extender';

/** A scoring plugin with the factor of its scores. */
export interface WeightedScorePlugin {
  readonly plugin: ScorePlugin;
  readonly weight: number;
}

/** A set of plugins for the pods of one `schedulerName`. */
export class Profile {
  readonly schedulerName: string;
  /** Overrides the scheduler's; undefined: it does not. */
  readonly percentageOfNodesToScore: number | undefined;
  readonly preEnqueue: readonly PreEnqueuePlugin[];
  readonly filters: readonly FilterPlugin[];
  readonly postFilters: readonly PostFilterPlugin[];
  readonly scorers: readonly WeightedScorePlugin[];
  readonly reservers: readonly ReservePlugin[];
  readonly preBinders: readonly PreBindPlugin[];
  readonly binders: readonly BindPlugin[];
  private readonly interests = new Map<string, readonly EventInterest[]>();
  private readonly interestedMemo = new Map<string, ReadonlySet<string>>();

  /** `plugins` are all that exist, by name. Throws `KUBE_SCHEDULER_CONFIG` for a name that does not exist. */
  constructor(options: ProfileOptions, plugins: ReadonlyMap<string, Plugin>, withExtenders = false) {
    this.schedulerName = options.schedulerName ?? DEFAULT_SCHEDULER_NAME;
    this.percentageOfNodesToScore = options.percentageOfNodesToScore;
    const at = (point: ExtensionPoint): { readonly plugin: Plugin; readonly weight: number }[] =>
      selectPlugins(options.plugins, point).map(({ name, weight }) => {
        const plugin = plugins.get(name);
        if (!plugin) throw new KubeError('KUBE_SCHEDULER_CONFIG', `profile "${this.schedulerName}": ${point} plugin "${name}" does not exist`);
        return { plugin, weight };
      });
    const having = <P extends Plugin>(point: ExtensionPoint, method: keyof P): P[] =>
      at(point).map((one) => one.plugin).filter((plugin): plugin is P => method in plugin);
    const prepares = new Set(at('preFilter').map((one) => one.plugin));
    const preScores = new Set(at('preScore').map((one) => one.plugin));
    this.preEnqueue = having<PreEnqueuePlugin>('preEnqueue', 'preEnqueue');
    this.filters = having<FilterPlugin>('filter', 'prepareFilter').filter((plugin) => prepares.has(plugin));
    this.postFilters = having<PostFilterPlugin>('postFilter', 'postFilter');
    this.scorers = at('score')
      .filter((one): one is WeightedScorePlugin => 'prepareScore' in one.plugin && preScores.has(one.plugin))
      .map(({ plugin, weight }) => ({ plugin, weight: weight || 1 }));
    this.reservers = having<ReservePlugin>('reserve', 'reserve');
    this.preBinders = having<PreBindPlugin>('preBind', 'preBind');
    this.binders = having<BindPlugin>('bind', 'bind');
    if (this.binders.length === 0) throw new KubeError('KUBE_SCHEDULER_CONFIG', `profile "${this.schedulerName}": at least one bind plugin is needed`);
    // Nobody knows what cures an extender's rejection.
    if (withExtenders) this.interests.set(EXTENDER_NAME, [{ resource: '*', actions: Action.All }]);
    for (const plugin of [...this.preEnqueue, ...this.filters, ...this.reservers]) this.interests.set(plugin.name, plugin.interests ?? []);
  }

  /** The interests of a plugin of this profile. */
  interestsOf(plugin: string): readonly EventInterest[] {
    return this.interests.get(plugin) ?? [];
  }

  /** Names of the plugins that an event concerns. */
  interestedIn(event: ClusterEvent): ReadonlySet<string> {
    const key = `${event.resource}/${event.action}`;
    let names = this.interestedMemo.get(key);
    if (!names) {
      const found = new Set<string>();
      for (const [name, interests] of this.interests) {
        if (interests.some(({ resource, actions }) => matchesInterest(resource, actions, event))) found.add(name);
      }
      this.interestedMemo.set(key, (names = found));
    }
    return names;
  }
}
