import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../../../api/meta/object.js';
import type { ResourceRef } from '../../../api/resource-refs.js';
import type { Scheme, ServedResource } from '../../../api/scheme/scheme.js';
import type { ClusterView } from '../../registry/cluster-view.js';
import type { AdmissionAttributes } from '../plugin.js';
import { compileHooks, type Hook, type WebhookConfiguration } from './hook.js';
import { isExempt, ruleMatches, type RuleSubject } from './rules.js';

/** A webhook whose rules are about a request, and the version in which it wants to hear of it. */
export interface Invocation {
  readonly hook: Hook;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  /** The resource in the version that the rule names; undefined when nothing is served under that name. */
  readonly served: ServedResource | undefined;
}

const NONE: readonly Invocation[] = [];

/**
 * The webhooks of all configurations of one kind, sorted by the configurations' names. Straight from the watch cache: a configuration counts from its
 * acknowledgement on. Rules are compared once per kind of request; a request that none is about costs one look-up.
 */
export class HookSource {
  private version = -1;
  private hooks: readonly Hook[] = [];
  private compiled = new WeakMap<WebhookConfiguration, readonly Hook[]>();
  private matches = new WeakMap<ServedResource, Map<string, readonly Invocation[]>>();

  constructor(
    private readonly view: ClusterView,
    private readonly ref: ResourceRef<WebhookConfiguration & KubeObject>,
    private readonly scheme: () => Scheme,
  ) {}

  /** The webhooks whose rules match, selectors not yet asked. */
  invocations(a: AdmissionAttributes): readonly Invocation[] {
    const version = this.view.version(this.ref);
    if (version !== this.version) this.compile(version);
    if (this.hooks.length === 0 || isExempt(a.kind)) return NONE;
    const served = this.scheme().resource(a.resource.group, a.resource.version, a.resource.resource);
    if (!served) return this.match(a, undefined);
    let known = this.matches.get(served);
    if (!known) this.matches.set(served, (known = new Map()));
    const key = `${a.operation}/${a.subresource}/${a.namespace === '' ? '' : 'n'}`;
    let found = known.get(key);
    if (!found) known.set(key, (found = this.match(a, served)));
    return found;
  }

  private compile(version: number): void {
    const nameOf = (configuration: WebhookConfiguration): string => configuration.metadata?.name ?? '';
    const configurations = [...this.view.list(this.ref)].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    this.hooks = configurations.flatMap((configuration) => {
      let hooks = this.compiled.get(configuration);
      if (!hooks) this.compiled.set(configuration, (hooks = compileHooks(configuration)));
      return hooks;
    });
    this.matches = new WeakMap();
    this.version = version;
  }

  private match(a: AdmissionAttributes, served: ServedResource | undefined): readonly Invocation[] {
    const subject: RuleSubject = { operation: a.operation, resource: a.resource, subresource: a.subresource, namespaced: a.namespace !== '' };
    let others: readonly ServedResource[] | undefined;
    return this.hooks.flatMap((hook): Invocation[] => {
      const rules = hook.spec.rules ?? [];
      if (rules.some((rule) => ruleMatches(rule, subject))) return [{ hook, resource: a.resource, kind: a.kind, served }];
      if (hook.spec.matchPolicy !== 'Equivalent' || !served) return [];
      others ??= this.equivalents(served, a.subresource);
      // Earlier rules come before later ones, whatever version they name.
      for (const rule of rules) {
        for (const other of others) {
          const { group, version, resource } = other.facts;
          const equivalent = { group, version, resource };
          if (ruleMatches(rule, { ...subject, resource: equivalent })) return [{ hook, resource: equivalent, kind: a.kind.kind === served.kind.kind ? other.kind : a.kind, served: other }];
        }
      }
      return [];
    });
  }

  /** The other names under which the same objects are served, with the same subresource. */
  private equivalents(served: ServedResource, subresource: string): ServedResource[] {
    const { group, resource } = served.storage;
    return [...this.scheme().resources].filter(
      (other) => other !== served && other.storage.group === group && other.storage.resource === resource && (subresource === '' || other.subresources.has(subresource)),
    );
  }
}
