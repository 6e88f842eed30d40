/** What all kinds' conditions share. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** The condition of that type. */
export function findCondition<T extends ConditionLike>(conditions: readonly T[] | undefined, type: string): T | undefined {
  // Stored objects have `null` where upstream writes it.
  for (const condition of conditions ?? []) if (condition.type === type) return condition;
  return undefined;
}

/** True when the condition is there with status `True`. */
export function isConditionTrue(conditions: readonly ConditionLike[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * The list with `condition` in the place of the one of its type (or at the end). Its `lastTransitionTime` is kept
 * from the old one when the status is the same. Returns the list itself when nothing changes.
 */
export function withCondition<T extends ConditionLike>(conditions: readonly T[] | undefined, condition: T): readonly T[] {
  const list = conditions ?? [];
  const index = list.findIndex((other) => other.type === condition.type);
  if (index < 0) return [...list, condition];
  const old = list[index]!;
  const next = old.status === condition.status ? { ...condition, lastTransitionTime: old.lastTransitionTime } : condition;
  const keys = new Set([...Object.keys(old), ...Object.keys(next)]);
  if ([...keys].every((key) => old[key as keyof T] === next[key as keyof T])) return list;
  return [...list.slice(0, index), next, ...list.slice(index + 1)];
}

/** The list without the condition of that type; itself when there is none. */
export function withoutCondition<T extends ConditionLike>(conditions: readonly T[] | undefined, type: string): readonly T[] {
  const list = conditions ?? [];
  return list.some((condition) => condition.type === type) ? list.filter((condition) => condition.type !== type) : list;
}
