import type { V1CustomResourceDefinition, V1CustomResourceDefinitionVersion } from '../../api/generated/types.js';
import { compareVersions } from '../../api/scheme/version-order.js';

/** The warning of requests to a deprecated version: its own, or one that names the best version to use instead. */
export function deprecationWarning({ spec }: V1CustomResourceDefinition, version: V1CustomResourceDefinitionVersion): string {
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const better = spec.versions
    .filter(({ served, deprecated, name }) => served && !deprecated && compareVersions(version.name, name) < 0)
    .map(({ name }) => name)
    .sort((a, b) => compareVersions(b, a));
  const told = `${spec.group}/${version.name} ${spec.names.kind} is deprecated`;
  return better.length === 0 ? told : `${told}; use ${spec.group}/${better[0]} ${spec.names.kind}`;
}
