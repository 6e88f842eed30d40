import type { V1PodSpec } from '../generated/types.js';
import { text } from '../scheme/columns.js';
import type { TableColumn } from '../scheme/kind.js';

/** Columns with the names and the images of the containers of a template. `priority` 1: only with `-o wide`. */
export function containerColumns<T>(specOf: (object: T) => V1PodSpec | undefined, priority = 1): TableColumn<T>[] {
  return [
    text('Containers', (object) => (specOf(object)?.containers ?? []).map((container) => container.name).join(','), priority),
    text('Images', (object) => (specOf(object)?.containers ?? []).map((container) => container.image ?? '').join(','), priority),
  ];
}

/** Labels as `a=b,c=d`, sorted; `<none>` when there are none. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}
