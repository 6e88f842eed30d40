import { RESOURCES } from '../../api/facts/resources.js';
import { apiVersionOf } from '../../api/meta/object.js';
import type { ResourceFacts } from '../../api/scheme/resource-facts.js';
import { pathNotFoundError } from '../../api/status-error.js';

/** Answers `/api`, `/apis` and their group versions, as unaggregated discovery does. */
export function discoveryAnswer(path: string, extra: readonly ResourceFacts[] = []): unknown {
  const resources = [...RESOURCES, ...extra];
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') {
    const groups = new Map<string, Set<string>>();
    for (const facts of resources) {
      if (facts.group === '') continue;
      const versions = groups.get(facts.group) ?? new Set();
      versions.add(facts.version);
      groups.set(facts.group, versions);
    }
    return {
      kind: 'APIGroupList',
      groups: [...groups].map(([name, versions]) => {
        const list = [...versions].map((version) => ({ groupVersion: `${name}/${version}`, version }));
        return { name, versions: list, preferredVersion: list[0] };
      }),
    };
  }
  const groupVersion = path.replace(/^\/apis?\//, '');
  const found = resources.filter((facts) => apiVersionOf(facts) === groupVersion);
  if (found.length === 0) throw pathNotFoundError();
  return {
    kind: 'APIResourceList',
    groupVersion,
    resources: found.flatMap((facts) => [
      { name: facts.resource, singularName: facts.singular, kind: facts.kind, namespaced: facts.namespaced, verbs: facts.verbs },
      ...(facts.subresources ?? []).map((sub) => ({ name: `${facts.resource}/${sub.name}`, singularName: '', kind: sub.kind, namespaced: facts.namespaced, verbs: sub.verbs })),
    ]),
  };
}
