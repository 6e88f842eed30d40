import { compareElements, parseElement, SELF, sortElements, type PathElement } from './path-element.js';

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

/** A node all of whose entries are fields (or the node itself) in upstream's order, which is that of their texts; may return its argument. */
export function orderedFields(node: FieldTree): FieldTree {
  let last = '';
  for (const key in node) {
    if (last > key) {
      const result: FieldTreeDraft = {};
      for (const name of Object.keys(node).sort()) result[name] = node[name]!;
      return result;
    }
    last = key;
  }
  return node;
}

/** A node with its entries in upstream's order; may return its argument. */
export function ordered(node: FieldTree): FieldTree {
  let last: string | undefined;
  for (const key in node) {
    if (last !== undefined && compare(last, key) > 0) return reordered(node);
    last = key;
  }
  return node;
}

function reordered(node: FieldTree): FieldTree {
  const result: FieldTreeDraft = {};
  for (const key of sortElements(Object.keys(node))) result[key] = node[key]!;
  return result;
}

function compare(a: string, b: string): number {
  if (a[0] === 'f' && b[0] === 'f') return a < b ? -1 : a > b ? 1 : 0;
  if (a === SELF) return b === SELF ? 0 : -1;
  return b === SELF ? 1 : compareElements(a, b);
}

/** What is in either set. */
export function union(a: FieldTree | undefined, b: FieldTree | undefined): FieldTree {
  if (b === undefined || a === b) return a ?? LEAF;
  if (a === undefined) return b;
  let result: FieldTreeDraft | undefined;
  for (const key in b) {
    const there = a[key];
    // Whether a node of very many entries has any takes long to find out.
    if (there === undefined && result === undefined && isEmpty(a)) return b;
    const next = there === undefined ? b[key]! : unionNodes(there, b[key]!);
    if (next !== there) (result ??= { ...a })[key] = next;
  }
  return result === undefined ? a : ordered(result);
}

function unionNodes(a: FieldTree, b: FieldTree): FieldTree {
  const member = isMember(a) || isMember(b);
  const both = union(a, b);
  return member && !(SELF in both) && hasChildren(both) ? { [SELF]: LEAF, ...both } : both;
}

/** What is in `a` and not in `b`; children of a member of `b` stay. */
export function difference(a: FieldTree, b: FieldTree): FieldTree {
  return without(a, b, differenceNodes);
}

/** What is in `a` and neither in `b` nor below a member of `b`. */
export function recursiveDifference(a: FieldTree, b: FieldTree): FieldTree {
  return without(a, b, (x, y) => (isMember(y) ? undefined : node(isMember(x), recursiveDifference(childrenOf(x), y))));
}

function differenceNodes(a: FieldTree, b: FieldTree): FieldTree | undefined {
  return node(isMember(a) && !isMember(b), difference(childrenOf(a), b));
}

function without(a: FieldTree, b: FieldTree, both: (a: FieldTree, b: FieldTree) => FieldTree | undefined): FieldTree {
  let changes: Map<PathElement, FieldTree | undefined> | undefined;
  for (const key in b) {
    const there = a[key];
    if (there === undefined || key === SELF) continue;
    const next = both(there, b[key]!);
    if (next !== there) (changes ??= new Map<PathElement, FieldTree | undefined>()).set(key, next);
  }
  if (changes === undefined) return a;
  const result: FieldTreeDraft = {};
  for (const key in a) {
    const next = changes.has(key) ? changes.get(key) : a[key];
    if (next !== undefined) result[key] = next;
  }
  return result;
}

/** What is in both sets. */
export function intersection(a: FieldTree, b: FieldTree): FieldTree {
  if (a === b) return a;
  const result: FieldTreeDraft = {};
  for (const key in a) {
    const other = key === SELF ? undefined : b[key];
    if (other === undefined) continue;
    const one = a[key]!;
    const next = node(isMember(one) && isMember(other), intersection(one, other));
    if (next !== undefined) result[key] = next;
  }
  return result;
}

/** The children alone, as a set. */
function childrenOf(tree: FieldTree): FieldTree {
  if (!(SELF in tree)) return tree;
  const { [SELF]: _self, ...children } = tree;
  return children;
}

function node(member: boolean, tree: FieldTree): FieldTree | undefined {
  const children = childrenOf(tree);
  if (isEmpty(children)) return member ? LEAF : undefined;
  return member ? { [SELF]: LEAF, ...children } : children;
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

/** Deeper sets are refused. */
const MAX_DEPTH = 200;

/** Reads a set that a client has written. Undefined when it is malformed. */
export function parseTree(value: unknown, depth = 0): FieldTree | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > MAX_DEPTH) return undefined;
  const result: FieldTreeDraft = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === SELF) {
      result[SELF] = LEAF;
      continue;
    }
    const element = parseElement(key);
    const parsed = element === undefined ? undefined : parseTree(child, depth + 1);
    if (element === undefined || parsed === undefined) return undefined;
    result[element] = element in result ? unionNodes(result[element]!, parsed) : parsed;
  }
  if (depth === 0) delete result[SELF];
  return hasChildren(result) ? ordered(result) : LEAF;
}
