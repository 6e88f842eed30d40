import type { V1CustomResourceDefinition, V1CustomResourceDefinitionNames } from '../../api/generated/types.js';

/** The names that the definitions of one group have. */
export interface TakenNames {
  readonly resources: { has(name: string): boolean };
  readonly kinds: { has(name: string): boolean };
}

interface Holding {
  readonly group: string;
  readonly names: Partial<V1CustomResourceDefinitionNames>;
}

const NOTHING: TakenNames = { resources: new Set(), kinds: new Set() };

/** Which names are taken in which group: those in the definitions' statuses, and those that are being written into them. */
export class GroupNames {
  private readonly groups = new Map<string, { readonly resources: NameCounts; readonly kinds: NameCounts }>();
  private readonly accepted = new Map<string, Holding>();

  /** The definition has been written; undefined: it is gone. */
  follow(name: string, definition: V1CustomResourceDefinition | undefined): void {
    const had = this.accepted.get(name);
    const names = definition?.status?.acceptedNames;
    if (names === undefined) this.accepted.delete(name);
    else this.accepted.set(name, this.hold({ group: definition!.spec.group, names }));
    if (had) this.release(had);
  }

  /** Others cannot have the names either until the returned function has been called. */
  claim(group: string, names: V1CustomResourceDefinitionNames): () => void {
    const claimed = this.hold({ group, names });
    return () => this.release(claimed);
  }

  /** What is taken in a group; only for use at once. */
  taken(group: string): TakenNames {
    return this.groups.get(group) ?? NOTHING;
  }

  private hold(holding: Holding): Holding {
    let group = this.groups.get(holding.group);
    if (!group) this.groups.set(holding.group, (group = { resources: new NameCounts(), kinds: new NameCounts() }));
    for (const name of resourceNames(holding)) group.resources.add(name);
    for (const name of kindNames(holding)) group.kinds.add(name);
    return holding;
  }

  private release(holding: Holding): void {
    const group = this.groups.get(holding.group)!;
    for (const name of resourceNames(holding)) group.resources.remove(name);
    for (const name of kindNames(holding)) group.kinds.remove(name);
    if (group.resources.isEmpty && group.kinds.isEmpty) this.groups.delete(holding.group);
  }
}

/** Whether a definition has given up a name that it had. */
export function freesNames(now: V1CustomResourceDefinition, before: V1CustomResourceDefinition | undefined): boolean {
  const holding = (definition: V1CustomResourceDefinition): Holding => ({ group: definition.spec.group, names: definition.status?.acceptedNames ?? {} });
  const had = before && holding(before);
  if (had === undefined) return false;
  const has = holding(now);
  const resources = new Set(resourceNames(has));
  const kinds = new Set(kindNames(has));
  return resourceNames(had).some((name) => !resources.has(name)) || kindNames(had).some((name) => !kinds.has(name));
}

function resourceNames({ names: { plural = '', singular = '', shortNames = [] } }: Holding): string[] {
  return [plural, singular, ...shortNames].filter((name) => name !== '');
}

function kindNames({ names: { kind = '', listKind = '' } }: Holding): string[] {
  return [kind, listKind].filter((name) => name !== '');
}

/** Names with the number of those who hold them. */
class NameCounts {
  private readonly counts = new Map<string, number>();

  get isEmpty(): boolean {
    return this.counts.size === 0;
  }

  has(name: string): boolean {
    return this.counts.has(name);
  }

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  remove(name: string): void {
    const left = (this.counts.get(name) ?? 0) - 1;
    if (left > 0) this.counts.set(name, left);
    else this.counts.delete(name);
  }
}
