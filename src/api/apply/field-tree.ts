import { compareElements, SELF, sortElements, type PathElement } from './path-element.js';

/**
 * A set of fields in the very form of `fieldsV1`, so that sets need neither decoding nor encoding: a node without entries is a member; a node
 * with entries is one when it has `.` among them. As a whole, a tree without entries is the empty set. Trees are shared and never changed.
 * Source: KEP-555 (server-side apply), "fieldsV1".
 */
export interface FieldTree {
  readonly [element: PathElement]: FieldTree;
}

/** A tree while it is being built. */
export interface FieldTreeDraft {
  [element: PathElement]: FieldTree;
}

/** The node of a member without children, and the empty set. */
export const LEAF: FieldTree = Object.freeze({});

/** True for the empty set, and for a node without children. */
export function isEmpty(tree: FieldTree): boolean {
  for (const _ in tree) return false;
  return true;
}

/** Whether a node (not a whole set) is a member itself. */
export function isMember(node: FieldTree): boolean {
  return SELF in node || isEmpty(node);
}

/** Whether a node has children. */
export function hasChildren(node: FieldTree): boolean {
  for (const key in node) if (key !== SELF) return true;
  return false;
}

/** A node that is a member and has these children. */
export function memberNode(children: FieldTree | undefined): FieldTree {
  if (children === undefined || !hasChildren(children)) return LEAF;
  if (SELF in children) return children;
  const result: FieldTreeDraft = { [SELF]: LEAF };
  for (const key in children) result[key] = children[key]!;
  return result;
}

/** A node with its entries in upstream's order; may return its argument. */
export function ordered(node: FieldTree): FieldTree {
  let last: string | undefined;
  for (const key in node) {
    if (last !== undefined && compareEntries(last, key) > 0) return reordered(node);
    last = key;
  }
  return node;
}

/**
 * The node of a list that has these elements, `nodeAt` each (undefined: scalars, which have nothing inside); those of one step are owned as one. `member`:
 * the list itself is in the set.
 */
export function listOf(elements: readonly PathElement[], nodeAt: ((i: number) => FieldTree) | undefined, member: boolean): FieldTree {
  const result: FieldTreeDraft = member ? { [SELF]: LEAF } : {};
  if (elements.every((element, i) => i === 0 || compareEntries(elements[i - 1]!, element) < 0)) {
    for (let i = 0; i < elements.length; i++) result[elements[i]!] = nodeAt ? nodeAt(i) : LEAF;
    return result;
  }
  if (!nodeAt) {
    for (const element of sortElements([...elements])) result[element] = LEAF;
    return result;
  }
  const nodes = new Map<PathElement, FieldTree>();
  for (let i = 0; i < elements.length; i++) nodes.set(elements[i]!, nodes.has(elements[i]!) ? LEAF : nodeAt(i));
  for (const element of sortElements([...nodes.keys()])) result[element] = nodes.get(element)!;
  return result;
}

function reordered(node: FieldTree): FieldTree {
  const result: FieldTreeDraft = {};
  for (const key of sortElements(Object.keys(node))) result[key] = node[key]!;
  return result;
}

/** The order of the entries of a node. */
export function compareEntries(a: PathElement, b: PathElement): number {
  if (a[0] === 'f' && b[0] === 'f') return a < b ? -1 : a > b ? 1 : 0;
  if (a === SELF) return b === SELF ? 0 : -1;
  return b === SELF ? 1 : compareElements(a, b);
}

/** What is in either set. */
export function union(a: FieldTree | undefined, b: FieldTree | undefined): FieldTree {
  if (b === undefined || a === b) return a ?? LEAF;
  if (a === undefined) return b;
  const names: PathElement[] = [];
  const nodes: FieldTree[] = [];
  for (const key in b) {
    const there = a[key];
    // Whether a node of very many entries has any takes long to find out.
    if (there === undefined && names.length === 0 && isEmpty(a)) return b;
    const next = there === undefined ? b[key]! : unionNodes(there, b[key]!);
    if (next === there) continue;
    names.push(key);
    nodes.push(next);
  }
  return names.length === 0 ? a : withNodes(a, names, nodes);
}

/** {@link union} of two nodes. */
export function unionNodes(a: FieldTree, b: FieldTree): FieldTree {
  if (a === b) return a;
  const member = isMember(a) || isMember(b);
  const both = union(a, b);
  return member && !(SELF in both) && hasChildren(both) ? { [SELF]: LEAF, ...both } : both;
}

/** A tree with some entries added or replaced. Both are in order as a rule: then one is laid into the other, and nothing is sorted. */
function withNodes(tree: FieldTree, names: readonly PathElement[], nodes: readonly FieldTree[]): FieldTree {
  const result: FieldTreeDraft = {};
  let last: PathElement | undefined;
  let inOrder = true;
  const put = (key: PathElement, node: FieldTree): void => {
    if (last !== undefined && compareEntries(last, key) > 0) inOrder = false;
    last = key;
    result[key] = node;
  };
  let i = 0;
  for (const key in tree) {
    for (; i < names.length && names[i] !== key && compareEntries(names[i]!, key) < 0; i++) put(names[i]!, nodes[i]!);
    if (names[i] === key) put(key, nodes[i++]!);
    else put(key, tree[key]!);
  }
  for (; i < names.length; i++) put(names[i]!, nodes[i]!);
  if (inOrder) return result;
  const all: FieldTreeDraft = { ...tree };
  names.forEach((name, at) => (all[name] = nodes[at]!));
  return ordered(all);
}

/** What is in `a` and not in `b`; children of a member of `b` stay. */
export function difference(a: FieldTree, b: FieldTree): FieldTree {
  if (a === b) return LEAF;
  const changes = changesOf(a, b, differenceNodes);
  return changes ? changed(a, changes, SELF in a) : a;
}

/** What is in `a` and neither in `b` nor below a member of `b`. */
export function recursiveDifference(a: FieldTree, b: FieldTree): FieldTree {
  const changes = changesOf(a, b, recursiveNodes);
  return changes ? changed(a, changes, SELF in a) : a;
}

type Changes = ReadonlyMap<PathElement, FieldTree | undefined>;
type NodeChange = (a: FieldTree, b: FieldTree) => FieldTree | undefined;

/** {@link difference} of two nodes. Undefined: nothing is left. */
export function differenceNodes(a: FieldTree, b: FieldTree): FieldTree | undefined {
  if (a === b) return undefined;
  const member = isMember(a);
  const stays = member && !isMember(b);
  const changes = changesOf(a, b, differenceNodes);
  if (changes === undefined && stays === member) return a;
  return node(changed(a, changes, stays), stays);
}

function recursiveNodes(a: FieldTree, b: FieldTree): FieldTree | undefined {
  if (isMember(b)) return undefined;
  const changes = changesOf(a, b, recursiveNodes);
  if (changes === undefined) return a;
  const member = isMember(a);
  return node(changed(a, changes, member), member);
}

/** What becomes of the entries that both have; undefined: they stay as they are. */
function changesOf(a: FieldTree, b: FieldTree, both: NodeChange): Changes | undefined {
  let changes: Map<PathElement, FieldTree | undefined> | undefined;
  for (const key in b) {
    const there = a[key];
    if (there === undefined || key === SELF) continue;
    const next = both(there, b[key]!);
    if (next !== there) (changes ??= new Map<PathElement, FieldTree | undefined>()).set(key, next);
  }
  return changes;
}

/** A copy with the changes; `member`: the node itself is in it. */
function changed(tree: FieldTree, changes: Changes | undefined, member: boolean): FieldTree {
  const result: FieldTreeDraft = member ? { [SELF]: LEAF } : {};
  for (const key in tree) {
    if (key === SELF) continue;
    const next = changes?.has(key) ? changes.get(key) : tree[key];
    if (next !== undefined) result[key] = next;
  }
  return result;
}

/** Undefined: nothing is left of a node. */
function node(tree: FieldTree, member: boolean): FieldTree | undefined {
  if (hasChildren(tree)) return tree;
  return member ? LEAF : undefined;
}

/** Whether every member of `a` is in `b`, too. */
export function isWithin(a: FieldTree, b: FieldTree): boolean {
  if (a === b) return true;
  for (const key in a) {
    if (key === SELF) continue;
    const one = a[key]!;
    const other = b[key];
    if (one === other) continue;
    if (other === undefined || (isMember(one) && !isMember(other)) || !isWithin(one, other)) return false;
  }
  return true;
}

/** What is in both sets. */
export function intersection(a: FieldTree, b: FieldTree): FieldTree {
  return a === b ? a : common(a, b, false);
}

/** {@link intersection} of two nodes. Undefined: nothing is left. */
export function intersectionNodes(a: FieldTree, b: FieldTree): FieldTree | undefined {
  if (a === b) return a;
  const member = isMember(a) && isMember(b);
  return node(common(a, b, member), member);
}

function common(a: FieldTree, b: FieldTree, member: boolean): FieldTree {
  const result: FieldTreeDraft = member ? { [SELF]: LEAF } : {};
  for (const key in a) {
    const other = key === SELF ? undefined : b[key];
    if (other === undefined) continue;
    const next = intersectionNodes(a[key]!, other);
    if (next !== undefined) result[key] = next;
  }
  return result;
}

/** Whether both sets have the same members. */
export function sameTree(a: FieldTree, b: FieldTree): boolean {
  if (a === b) return true;
  let count = 0;
  for (const key in a) {
    const other = b[key];
    if (other === undefined || !sameTree(a[key]!, other)) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/** The set with one path in it. */
export function treeOfPath(path: readonly PathElement[]): FieldTree {
  let tree = LEAF;
  for (let i = path.length - 1; i >= 0; i--) tree = { [path[i]!]: tree };
  return tree;
}

/** Whether the path is a member. */
export function hasPath(tree: FieldTree, path: readonly PathElement[]): boolean {
  let place: FieldTree | undefined = tree;
  for (const element of path) {
    place = place[element];
    if (place === undefined) return false;
  }
  return path.length > 0 && isMember(place);
}

/** The members as paths: those of a node before those below it, each in order. */
export function* pathsOf(tree: FieldTree, prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  for (const key in tree) if (key !== SELF && isMember(tree[key]!)) yield [...prefix, key];
  for (const key in tree) if (key !== SELF) yield* pathsOf(tree[key]!, [...prefix, key]);
}
