import { parseApiVersion } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import { errorMessage } from '../../base/errors.js';
import type { Client } from '../../client/index.js';

/** A resource as discovery shows it; subresources are left out. */
export interface DiscoveredResource extends ResourceRef {
  readonly verbs: readonly string[];
  /** Of its group's preferred version, or in no other version than its own. */
  readonly preferred: boolean;
}

/** What the server serves now. */
export interface Discovery {
  readonly resources: readonly DiscoveredResource[];
  /** Why group versions could not be read, by `group/version`. */
  readonly failures: ReadonlyMap<string, string>;
}

interface GroupList {
  readonly groups?: readonly { readonly name: string; readonly versions: readonly { readonly groupVersion: string }[]; readonly preferredVersion?: { readonly groupVersion: string } }[];
}

interface ResourceList {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean; readonly verbs?: readonly string[] }[];
}

/** Reads all resources of all versions. A group version that fails is noted; only a failure to list the groups is thrown. */
export async function discover(client: Client): Promise<Discovery> {
  const { groups = [] } = (await client.raw('GET', '/apis')) as GroupList;
  const failures = new Map<string, string>();
  const read = async (groupVersion: string): Promise<{ groupVersion: string; list: ResourceList }> => {
    try {
      return { groupVersion, list: (await client.raw('GET', groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`)) as ResourceList };
    } catch (error) {
      failures.set(groupVersion, errorMessage(error));
      return { groupVersion, list: {} };
    }
  };
  // The preferred version of each group comes first, so that a resource's first version is the one to use.
  const ordered = ['v1', ...groups.flatMap((group) => {
    const all = group.versions.map((version) => version.groupVersion);
    const preferred = group.preferredVersion?.groupVersion;
    return preferred ? [preferred, ...all.filter((version) => version !== preferred)] : all;
  })];
  const lists = await Promise.all(ordered.map(read));
  const seen = new Set<string>();
  const resources: DiscoveredResource[] = [];
  for (const { groupVersion, list } of lists) {
    const gv = parseApiVersion(groupVersion);
    if (!gv) continue;
    for (const { name, kind, namespaced, verbs = [] } of list.resources ?? []) {
      if (name.includes('/')) continue;
      const id = `${gv.group}/${name}`;
      resources.push({ ...gv, resource: name, kind, namespaced, verbs, preferred: !seen.has(id) });
      seen.add(id);
    }
  }
  return { resources, failures };
}

/** The message that upstream's clients give for failed groups. */
export function discoveryFailureText(failures: ReadonlyMap<string, string>): string {
  const list = [...failures].sort(([a], [b]) => (a < b ? -1 : 1)).map(([groupVersion, why]) => `${groupVersion}: ${why}`);
  return `unable to retrieve the complete list of server APIs: ${list.join(', ')}`;
}
