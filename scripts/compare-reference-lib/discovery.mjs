// Compares discovery: groups and versions in order, resources by name.

const STABLE = /^v\d+$/;

/** `ours` and `reference` are { api, apis, groups: Map, versions: Map(groupVersion -> list), aggregated }. */
export function compareDiscovery(differences, ours, reference) {
  const groups = (list) => list.groups.map(({ name, versions }) => [name, versions.map(({ version }) => version).filter((version) => STABLE.test(version))]).filter(([, versions]) => versions.length > 0);
  differences.compare('discovery /apis', groups(ours.apis), groups(reference.apis));
  differences.compare('discovery /api', ours.api.versions, reference.api.versions);
  for (const groupVersion of differences.compareNames('discovery group version', ours.versions.keys(), reference.versions.keys())) {
    const [a, b] = [byName(ours.versions.get(groupVersion)), byName(reference.versions.get(groupVersion))];
    for (const name of differences.compareNames(`discovery ${groupVersion} resource`, Object.keys(a), Object.keys(b))) differences.compare(`discovery ${groupVersion} ${name}`, a[name], b[name]);
  }
  const [a, b] = [flatten(ours.aggregated), flatten(reference.aggregated)];
  for (const name of differences.compareNames('aggregated discovery', Object.keys(a), Object.keys(b))) differences.compare(`aggregated discovery ${name}`, a[name], b[name]);
}

function byName(list) {
  return Object.fromEntries(list.resources.map(({ name, ...rest }) => [name, sortLists(rest)]));
}

function flatten(list) {
  const out = {};
  for (const { metadata, versions } of list.items) {
    for (const { version, freshness, resources } of versions) {
      if (!STABLE.test(version)) continue;
      for (const { resource, subresources, ...rest } of resources) {
        out[`${metadata.name}/${version} ${resource}`] = sortLists({ ...rest, freshness });
        for (const { subresource, ...own } of subresources ?? []) out[`${metadata.name}/${version} ${resource}/${subresource}`] = sortLists(own);
      }
    }
  }
  return out;
}

/** The order of verbs, short names and categories means nothing. */
function sortLists(entry) {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, Array.isArray(value) ? [...value].sort() : value]));
}
