/** Objects as one input of `kubectl apply -f -`. */
export function documents(...objects: readonly unknown[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}
