import { createHash } from 'node:crypto';
import type { ResourceFacts, SubresourceFacts } from '../../api/scheme/resource-facts.js';
import { apiVersionOf, type GroupVersionKind } from '../../api/meta/object.js';

/** The kind under which objects of a resource are stored; undefined for resources that are not stored. */
export type StorageKind = (resource: ResourceFacts) => GroupVersionKind | undefined;

/** A group with its versions, the preferred one first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ResourceFacts[];
}

/** `apidiscovery.k8s.io/v2`. */
export interface GroupDiscoveryList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: object;
  readonly items: readonly { readonly metadata: { readonly name?: string }; readonly versions: readonly VersionDiscovery[] }[];
}

export interface VersionDiscovery {
  readonly version: string;
  readonly resources: readonly ResourceDiscovery[];
  readonly freshness: string;
}

export interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind: GroupVersionKind;
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string; readonly responseKind: GroupVersionKind; readonly verbs: readonly string[] }[];
}

/** Groups and versions in the order in which the resources name them. */
export function servedGroups(resources: readonly ResourceFacts[]): ServedGroup[] {
  const groups = new Map<string, Map<string, ResourceFacts[]>>();
  for (const resource of resources) {
    const versions = groups.get(resource.group) ?? new Map<string, ResourceFacts[]>();
    groups.set(resource.group, versions);
    const list = versions.get(resource.version);
    if (list) list.push(resource);
    else versions.set(resource.version, [resource]);
  }
  return [...groups].map(([name, versions]) => ({ name, versions: [...versions].map(([version, list]) => ({ version, resources: list })) }));
}

/** `/api`. `serverAddress` is host and port that clients reach the server at. */
export function apiVersions(groups: readonly ServedGroup[], serverAddress: string): object {
  const core = groups.find(({ name }) => name === '');
  return {
    kind: 'APIVersions',
    versions: core?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis`. */
export function apiGroupList(groups: readonly ServedGroup[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ name }) => name !== '').map(groupEntry) };
}

/** `/apis/<group>`. */
export function apiGroup(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

function groupEntry({ name, versions }: ServedGroup): { name: string; versions: object[]; preferredVersion: object } {
  const entries = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: entries, preferredVersion: entries[0]! };
}

/** `/api/v1` and `/apis/<group>/<version>`. */
export function apiResourceList(group: string, { version, resources }: ServedVersion, storageKind: StorageKind): object {
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap((resource) => [
      resourceEntry(resource, storageKind),
      ...(resource.subresources ?? []).map((subresource) => ({
        name: `${resource.resource}/${subresource.name}`,
        singularName: '',
        namespaced: resource.namespaced,
        ...kindOf(subresource),
        verbs: subresource.verbs,
      })),
    ]),
  };
}

function resourceEntry(resource: ResourceFacts, storageKind: StorageKind): object {
  const stored = storageKind(resource);
  return {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(resource.shortNames ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories ? { categories: resource.categories } : {}),
    ...(stored ? { storageVersionHash: storageVersionHash(stored) } : {}),
  };
}

/** The group and version only where they are not the resource's own. */
function kindOf({ group, version, kind }: SubresourceFacts): object {
  return version === undefined ? { kind } : { group: group ?? '', version, kind };
}

/** Changes when objects are stored as another kind. */
function storageVersionHash({ group, version, kind }: GroupVersionKind): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}

/** The aggregated form of `/api` (`legacy`) and `/apis`: everything in one document. */
export function groupDiscoveryList(groups: readonly ServedGroup[], legacy: boolean): GroupDiscoveryList {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.filter(({ name }) => (name === '') === legacy).map((group) => ({
      metadata: group.name === '' ? {} : { name: group.name },
      versions: group.versions.map(({ version, resources }) => ({ version, resources: resources.map(discoveryEntry), freshness: 'Current' })),
    })),
  };
}

function discoveryEntry(resource: ResourceFacts): ResourceDiscovery {
  return {
    resource: resource.resource,
    responseKind: { group: ofResource(resource, 'group'), version: ofResource(resource, 'version'), kind: resource.kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories ? { categories: resource.categories } : {}),
    ...(resource.subresources && resource.subresources.length > 0
      ? { subresources: resource.subresources.map(({ name, kind, verbs, group, version }) => ({ subresource: name, responseKind: { group: group ?? ofResource(resource, 'group'), version: version ?? ofResource(resource, 'version'), kind }, verbs })) }
      : {}),
  };
}

/** Built-in kinds leave the group and version out where they are the resource's. */
function ofResource(resource: ResourceFacts, part: 'group' | 'version'): string {
  return resource.storageVersion === undefined ? '' : resource[part];
}
