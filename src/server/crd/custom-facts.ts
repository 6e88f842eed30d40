import type { V1CustomResourceDefinition, V1CustomResourceDefinitionVersion } from '../../api/generated/types.js';
import type { ResourceFacts, SubresourceFacts } from '../../api/scheme/resource-facts.js';

const VERBS: readonly string[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
/** What discovery shows of a resource that is going away. */
const TERMINATING_VERBS: readonly string[] = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const SUBRESOURCE_VERBS: readonly string[] = ['get', 'patch', 'update'];

/** What discovery and the scheme say about one version of a custom resource, under the names that were accepted. */
export function customFacts({ spec, status }: V1CustomResourceDefinition, version: V1CustomResourceDefinitionVersion): ResourceFacts {
  const { plural, singular = '', kind, shortNames, categories } = status!.acceptedNames!;
  const subresources: SubresourceFacts[] = [];
  if (version.subresources?.status) subresources.push({ name: 'status', kind, verbs: SUBRESOURCE_VERBS });
  if (version.subresources?.scale) subresources.push({ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: SUBRESOURCE_VERBS });
  return {
    group: spec.group,
    version: version.name,
    resource: plural,
    singular,
    kind,
    namespaced: spec.scope === 'Namespaced',
    verbs: VERBS,
    ...(shortNames && shortNames.length > 0 ? { shortNames } : {}),
    ...(categories && categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
    storageVersion: spec.versions.find(({ storage }) => storage)!.name,
  };
}

/** The facts of a resource whose definition is being deleted. */
export function terminatingFacts(facts: ResourceFacts): ResourceFacts {
  return { ...facts, verbs: TERMINATING_VERBS };
}
