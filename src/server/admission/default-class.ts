import type { KubeObject } from '../../api/meta/object.js';

/** The newest object that one of the annotations marks as the default (by name among equals); undefined when there is none. */
export function newestDefault<T extends KubeObject>(objects: readonly T[], annotations: readonly string[]): T | undefined {
  let found: T | undefined;
  for (const object of objects) {
    if (!annotations.some((annotation) => object.metadata?.annotations?.[annotation] === 'true')) continue;
    if (!found || isBefore(object, found)) found = object;
  }
  return found;
}

function isBefore(a: KubeObject, b: KubeObject): boolean {
  const [timeA, timeB] = [a, b].map((object) => Date.parse(object.metadata?.creationTimestamp ?? '') || 0) as [number, number];
  return timeA === timeB ? (a.metadata?.name ?? '') < (b.metadata?.name ?? '') : timeA > timeB;
}
