import type { ApplyType } from '../apply/apply-type.js';
import type { CustomVersion } from '../apiextensions/structural/custom-version.js';
import { apiVersionOf, type GroupResource, type GroupVersionKind, type KubeObject } from '../meta/object.js';
import type { KindConversion, KindDefinition } from './kind.js';
import type { LateConversion } from './late-conversion.js';
import { compareVersions } from './version-order.js';
import type { ResourceFacts, SubresourceFacts } from './resource-facts.js';

/** One served resource of one group version, joined with what is known about its kind. */
export interface ServedResource {
  readonly facts: ResourceFacts;
  /** The kind as this version serves it. */
  readonly kind: GroupVersionKind;
  readonly apiVersion: string;
  readonly groupResource: GroupResource;
  /** Rules of the kind; they work on the hub version. */
  readonly definition: KindDefinition;
  readonly hub: GroupVersionKind;
  readonly hubApiVersion: string;
  /** Where objects are stored: the group and resource of the hub version. */
  readonly storage: GroupResource;
  /** Absent when this is the hub version. */
  readonly conversion: KindConversion | undefined;
  readonly subresources: ReadonlyMap<string, SubresourceFacts>;
  /** How objects of a custom kind are merged and owned; absent for built-in kinds, and for kinds without a schema. */
  readonly applyType?: ApplyType;
  /** Of custom resources: what their definition says about objects of this version. */
  readonly custom?: CustomVersion;
  /** Of custom resources: all versions by `apiVersion`; objects may be stored in any of them. */
  readonly customVersions?: ReadonlyMap<string, CustomVersion>;
  /** Of custom resources whose definition is being deleted: nothing new is created. */
  readonly terminating?: boolean;
  /** Of custom resources with a conversion webhook: every version is a hub of its own, and this converts to and from what is stored. */
  readonly lateConversion?: LateConversion | undefined;
  /** Kind of lists where it is not the kind with `List` behind it. */
  readonly listKind?: string;
  /** Of custom resources, whose hub need not be served: the hub version. */
  readonly hubResource?: ServedResource;
}

/**
 * The kinds and resources that are served, as one lookup. Custom resources come and go, so that it can change
 * while the server runs.
 */
export class Scheme {
  private readonly byResource = new Map<string, ServedResource>();
  private readonly byKind = new Map<string, ServedResource>();
  /** Versions of each group, and how many resources they have. */
  private readonly groups = new Map<string, Map<string, number>>();

  constructor(kinds: readonly KindDefinition[], resources: readonly ResourceFacts[]) {
    for (const facts of resources) this.add(join(facts, kinds, resources));
  }

  /** Adds a resource; one of the same group, version and name is replaced. */
  add(resource: ServedResource): void {
    const { group, version, resource: name, kind } = resource.facts;
    const previous = this.byResource.get(resourceKey(group, version, name));
    if (previous) this.remove(previous);
    this.byResource.set(resourceKey(group, version, name), resource);
    // A resource without verbs of its own object (reviews) may share its kind with none; the first one wins.
    const key = resourceKey(group, version, kind);
    if (!this.byKind.has(key)) this.byKind.set(key, resource);
    const versions = this.groups.get(group);
    if (versions) versions.set(version, (versions.get(version) ?? 0) + 1);
    else this.groups.set(group, new Map([[version, 1]]));
    // Those of built-in groups stand in order.
    if (versions && resource.custom) this.groups.set(group, new Map([...versions].sort(([a], [b]) => compareVersions(b, a))));
  }

  /** Takes a resource back. */
  remove(resource: ServedResource): void {
    const { group, version, resource: name, kind } = resource.facts;
    if (this.byResource.get(resourceKey(group, version, name)) !== resource) return;
    this.byResource.delete(resourceKey(group, version, name));
    const key = resourceKey(group, version, kind);
    if (this.byKind.get(key) === resource) this.byKind.delete(key);
    const versions = this.groups.get(group)!;
    const left = versions.get(version)! - 1;
    if (left > 0) versions.set(version, left);
    else versions.delete(version);
    if (versions.size === 0) this.groups.delete(group);
  }

  /** The served resource, or undefined when the group, the version or the resource is not served. */
  resource(group: string, version: string, resource: string): ServedResource | undefined {
    return this.byResource.get(resourceKey(group, version, resource));
  }

  /** The resource whose objects are of this kind. */
  kind(group: string, version: string, kind: string): ServedResource | undefined {
    return this.byKind.get(resourceKey(group, version, kind));
  }

  /** The hub version of a stored resource, whichever served version is asked with. */
  hubOf(resource: ServedResource): ServedResource {
    return resource.hubResource ?? this.resource(resource.storage.group, resource.hub.version, resource.storage.resource) ?? resource;
  }

  /** The served version of a resource that is preferred in its group: the first one added. */
  preferred(group: string, resource: string): ServedResource | undefined {
    for (const version of this.groups.get(group)?.keys() ?? []) {
      const found = this.resource(group, version, resource);
      if (found) return found;
    }
    return undefined;
  }

  serves(group: string, version: string): boolean {
    return this.groups.get(group)?.has(version) ?? false;
  }

  hasGroup(group: string): boolean {
    return this.groups.has(group);
  }

  /** All served resources in the order of the facts. */
  get resources(): Iterable<ServedResource> {
    return this.byResource.values();
  }
}

/** An object of a served version as the hub version; the object itself when it is one already. */
export function toHub(resource: ServedResource, object: KubeObject): KubeObject {
  return resource.conversion ? resource.conversion.toHub(object) : object;
}

/** An object of the hub version as the served one. */
export function fromHub(resource: ServedResource, object: KubeObject): KubeObject {
  return resource.conversion ? resource.conversion.fromHub(object) : object;
}

/** True when objects of this resource are stored (reviews and the like are not). */
export function isPersisted(facts: ResourceFacts): boolean {
  return facts.verbs.includes('list');
}

function resourceKey(group: string, version: string, name: string): string {
  return `${group}/${version}/${name}`;
}

function join(facts: ResourceFacts, kinds: readonly KindDefinition[], resources: readonly ResourceFacts[]): ServedResource {
  const apiVersion = apiVersionOf(facts);
  const kind = { group: facts.group, version: facts.version, kind: facts.kind };
  const own = kinds.find((k) => k.kind === facts.kind && k.group === facts.group && k.version === facts.version);
  const hubKind = own ?? kinds.find((k) => k.kind === facts.kind && conversionOf(k, facts) !== undefined) ?? sameGroup(kinds, facts);
  const definition: KindDefinition = hubKind ?? { group: facts.group, version: facts.version, kind: facts.kind };
  const hub = { group: definition.group, version: definition.version, kind: definition.kind };
  const isHub = hub.group === facts.group && hub.version === facts.version;
  const hubFacts = isHub ? facts : resources.find((r) => r.group === hub.group && r.version === hub.version && r.kind === hub.kind);
  return {
    facts,
    kind,
    apiVersion,
    groupResource: { group: facts.group, resource: facts.resource },
    definition,
    hub,
    hubApiVersion: apiVersionOf(hub),
    storage: { group: hub.group, resource: hubFacts?.resource ?? facts.resource },
    conversion: isHub ? undefined : (conversionOf(definition, facts) ?? retag(apiVersion, apiVersionOf(hub))),
    subresources: new Map((facts.subresources ?? []).map((sub) => [sub.name, sub])),
  };
}

/** Conversions are keyed by `apiVersion`, or by the bare version within the same group. */
function conversionOf(definition: KindDefinition, facts: ResourceFacts): KindConversion | undefined {
  const byApiVersion = definition.conversions?.[apiVersionOf(facts)];
  if (byApiVersion) return byApiVersion;
  return definition.group === facts.group ? definition.conversions?.[facts.version] : undefined;
}

function sameGroup(kinds: readonly KindDefinition[], facts: ResourceFacts): KindDefinition | undefined {
  return kinds.find((k) => k.kind === facts.kind && k.group === facts.group);
}

/** Versions without a conversion have the same fields. */
function retag(served: string, hub: string): KindConversion {
  return {
    toHub: (object) => ({ ...object, apiVersion: hub }),
    fromHub: (object) => ({ ...object, apiVersion: served }),
  };
}
