import type { V1ClusterRole, V1PolicyRule } from '../../../api/generated/types.js';
import { CLUSTER_ROLES } from '../../../api/resource-refs.js';
import { LabelSelector } from '../../../api/selectors/label-selector.js';
import { StatusError } from '../../../api/status-error.js';
import { errorMessage } from '../../../base/errors.js';
import type { PostStartHook, ServerContext } from '../../server-context.js';

/** Rules of the cluster roles that a role gathers, by name, without repetitions. */
function aggregateRules(role: V1ClusterRole, all: readonly V1ClusterRole[]): V1PolicyRule[] {
  const selectors = (role.aggregationRule?.clusterRoleSelectors ?? []).map((selector) => LabelSelector.fromObject(selector));
  const rules = new Map<string, V1PolicyRule>();
  for (const selector of selectors) {
    const sources = all.filter((other) => other.metadata?.name !== role.metadata?.name && selector.matches(other.metadata?.labels));
    sources.sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
    for (const source of sources) for (const rule of source.rules ?? []) rules.set(JSON.stringify(rule), rule);
  }
  return [...rules.values()];
}

const RETRY_MILLISECONDS = 1000;

/** Keeps the rules of aggregating cluster roles up to date for as long as the server runs. */
export const clusterRoleAggregation: PostStartHook = {
  name: 'rbac/cluster-role-aggregation',
  run: async (context, signal) => {
    const gatherer = new Aggregator(context, signal);
    const end = context.view.onChange(CLUSTER_ROLES, () => gatherer.trigger());
    signal.addEventListener('abort', end, { once: true });
    await gatherer.gather();
  },
};

class Aggregator {
  private running = false;
  private again = false;

  constructor(
    private readonly context: ServerContext,
    private readonly signal: AbortSignal,
  ) {}

  trigger(): void {
    if (this.running) {
      this.again = true;
      return;
    }
    this.running = true;
    void this.loop();
  }

  private async loop(): Promise<void> {
    try {
      do {
        this.again = false;
        // The change that triggered this is being handed to others right now; many come in one commit.
        await Promise.resolve();
        await this.gather();
      } while (this.again && !this.signal.aborted);
    } catch (error) {
      if (!this.signal.aborted) {
        this.context.log.warn('aggregated cluster roles could not be brought up to date', { error: errorMessage(error) });
        this.context.clock.setTimeout(() => this.trigger(), RETRY_MILLISECONDS, { unref: true });
      }
    } finally {
      this.running = false;
    }
  }

  async gather(): Promise<void> {
    const all = this.context.view.list(CLUSTER_ROLES);
    for (const role of all) {
      if (!role.aggregationRule || this.signal.aborted) continue;
      const rules = aggregateRules(role, all);
      if (JSON.stringify(rules) === JSON.stringify(role.rules ?? [])) continue;
      try {
        const name = role.metadata?.name ?? '';
        const applied = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
        await this.context.loopback.resource(CLUSTER_ROLES).patch('', name, 'apply', applied, '', { fieldManager: 'clusterrole-aggregation-controller', force: true });
      } catch (error) {
        if (!StatusError.is(error, 'Conflict') && !StatusError.is(error, 'NotFound')) throw error;
        this.again = true;
      }
    }
  }
}
