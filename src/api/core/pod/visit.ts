import type { V1Container, V1PodSpec } from '../../generated/types.js';
import type { FieldPath } from '../../meta/field-path.js';

/** Calls `visit` for init containers, containers and ephemeral ones; `path` is made only when it is asked for. */
export function visitContainers(spec: V1PodSpec, specPath: FieldPath, visit: (container: V1Container, path: () => FieldPath) => void): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const containers: readonly V1Container[] | undefined = spec[list];
    containers?.forEach((container, i) => visit(container, () => specPath.child(list).index(i)));
  }
}
