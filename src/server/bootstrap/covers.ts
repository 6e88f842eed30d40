/** Whether everything in `part` is in `whole` with the same value; what `whole` has beyond it does not count. Lists must have the same length. */
export function covers(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part)) return Array.isArray(whole) && whole.length === part.length && part.every((item, i) => covers(whole[i], item));
  if (typeof part !== 'object' || part === null) return whole === part;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(([key, value]) => covers((whole as Record<string, unknown>)[key], value));
}
