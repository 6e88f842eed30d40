import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import { compareEntries, difference, differenceNodes, intersection, intersectionNodes, isMember, isWithin, LEAF, ordered, sameTree, union, unionNodes, type FieldTree, type FieldTreeDraft } from './field-tree.js';
import { isHeavy } from '../helpers/heavy.js';
import { generalOrder, SELF, UNIFORM_ORDERS, type ElementOrder, type PathElement } from './path-element.js';
import { isSortedSteps, mergeSteps, sortSteps } from './sort-steps.js';

/** Makes one set of two. */
interface SetOperation {
  readonly sets: (a: FieldTree, b: FieldTree) => FieldTree;
  /** Undefined: nothing is left of the node. */
  readonly nodes: (a: FieldTree, b: FieldTree) => FieldTree | undefined;
  /** Whether a node is a member afterwards. */
  readonly member: (a: boolean, b: boolean) => boolean;
  /** Whether what is in one set alone stays. */
  readonly keepsLeft: boolean;
  readonly keepsRight: boolean;
}

const UNION: SetOperation = { sets: union, nodes: unionNodes, member: (a, b) => a || b, keepsLeft: true, keepsRight: true };
const DIFFERENCE: SetOperation = { sets: difference, nodes: differenceNodes, member: (a, b) => a && !b, keepsLeft: true, keepsRight: false };
const INTERSECTION: SetOperation = { sets: intersection, nodes: intersectionNodes, member: (a, b) => a && b, keepsLeft: false, keepsRight: false };

/** `union` with pauses. */
export function* unionSteps(a: FieldTree | undefined, b: FieldTree | undefined): Steps<FieldTree> {
  return a === undefined || b === undefined ? (a ?? b ?? LEAF) : yield* together(UNION, a, b);
}

/** `difference` with pauses. */
export function differenceSteps(a: FieldTree, b: FieldTree): Steps<FieldTree> {
  return together(DIFFERENCE, a, b);
}

/** `intersection` with pauses. */
export function intersectionSteps(a: FieldTree, b: FieldTree): Steps<FieldTree> {
  return together(INTERSECTION, a, b);
}

function* together(operation: SetOperation, a: FieldTree, b: FieldTree): Steps<FieldTree> {
  if (a === b || !(isHeavy(a) || isHeavy(b))) return operation.sets(a, b);
  return (yield* children(operation, a, b, SELF in a, true)) ?? LEAF;
}

function* nodeSteps(operation: SetOperation, a: FieldTree, b: FieldTree): Steps<FieldTree | undefined> {
  const member = operation.member(isMemberOf(a), isMemberOf(b));
  return (yield* children(operation, a, b, member, isMemberOf(a) === member)) ?? (member ? LEAF : undefined);
}

/** A node of very many entries need not be asked whether it has any. */
function isMemberOf(node: FieldTree): boolean {
  return SELF in node || (!isHeavy(node) && isMember(node));
}

/** What becomes of the entries; undefined: there are none. `stays`: the node itself is what it was. */
function* children(operation: SetOperation, a: FieldTree, b: FieldTree, member: boolean, stays: boolean): Steps<FieldTree | undefined> {
  yield;
  const result: FieldTreeDraft = member ? { [SELF]: LEAF } : {};
  let isSame = stays;
  let some = false;
  let done = 0;
  for (const element of yield* elementsIn(a, operation.keepsRight ? b : undefined)) {
    const left = a[element];
    const right = b[element];
    let next: FieldTree | undefined;
    if (left === undefined) next = operation.keepsRight ? right : undefined;
    else if (right === undefined) next = operation.keepsLeft ? left : undefined;
    else next = left === right || !(isHeavy(left) || isHeavy(right)) ? operation.nodes(left, right) : yield* nodeSteps(operation, left, right);
    if (next !== left) isSame = false;
    if (next !== undefined) {
      result[element] = next;
      some = true;
    }
    if (++done % ENTRIES_PER_STEP === 0) yield;
  }
  return isSame ? a : some ? result : undefined;
}

/** The entries of both in order, but for the node itself. */
function* elementsIn(a: FieldTree, b: FieldTree | undefined): Steps<readonly PathElement[]> {
  const left = yield* inOrder(a);
  if (b === undefined) return left;
  const right = yield* inOrder(b);
  const both = yield* mergeSteps(left, right, compareEntries);
  return both.filter((element, i) => i === 0 || element !== both[i - 1]);
}

function* elementsOf(node: FieldTree): Steps<PathElement[]> {
  const elements = Object.keys(node).filter((element) => element !== SELF);
  yield;
  return elements;
}

function* inOrder(node: FieldTree): Steps<PathElement[]> {
  const elements = yield* elementsOf(node);
  return (yield* isSortedSteps(elements, compareEntries)) ? elements : yield* sortElementsSteps(elements);
}

/** Sorts elements as `sortElements` does. */
export function* sortElementsSteps(elements: readonly PathElement[]): Steps<PathElement[]> {
  const { sort, compare } = yield* orderOf(elements);
  return yield* sortSteps(elements, sort, compare);
}

function* orderOf(elements: readonly PathElement[]): Steps<ElementOrder> {
  for (const order of UNIFORM_ORDERS) if (yield* everySteps(elements, order.fits)) return order;
  return generalOrder();
}

function* everySteps<T>(items: readonly T[], fits: (item: T) => boolean): Steps<boolean> {
  for (let i = 0; i < items.length; i++) {
    if (!fits(items[i]!)) return false;
    if (i % ENTRIES_PER_STEP === 0) yield;
  }
  return true;
}

/** `ordered` with pauses. */
export function* orderedSteps(node: FieldTree): Steps<FieldTree> {
  if (!isHeavy(node)) return ordered(node);
  const elements = yield* elementsOf(node);
  if (yield* isSortedSteps(elements, compareEntries)) return node;
  const result: FieldTreeDraft = SELF in node ? { [SELF]: LEAF } : {};
  let done = 0;
  for (const element of yield* sortElementsSteps(elements)) {
    result[element] = node[element]!;
    if (++done % ENTRIES_PER_STEP === 0) yield;
  }
  return result;
}

/** `listOf` with pauses; the nodes are there already. */
export function* listOfSteps(elements: readonly PathElement[], nodes: readonly FieldTree[] | undefined, member: boolean): Steps<FieldTree> {
  const result: FieldTreeDraft = member ? { [SELF]: LEAF } : {};
  const byElement = new Map<PathElement, FieldTree>();
  for (let i = 0; i < elements.length; i++) {
    byElement.set(elements[i]!, nodes === undefined || byElement.has(elements[i]!) ? LEAF : nodes[i]!);
    if (i % ENTRIES_PER_STEP === 0) yield;
  }
  const sorted = (yield* isSortedSteps(elements, compareEntries)) ? [...byElement.keys()] : yield* sortElementsSteps([...byElement.keys()]);
  for (let i = 0; i < sorted.length; i++) {
    result[sorted[i]!] = byElement.get(sorted[i]!)!;
    if (i % ENTRIES_PER_STEP === 0) yield;
  }
  return result;
}

/** `isWithin` with pauses. */
export function* isWithinSteps(a: FieldTree, b: FieldTree): Steps<boolean> {
  if (a === b || !isHeavy(a)) return isWithin(a, b);
  let done = 0;
  for (const element of yield* elementsOf(a)) {
    const [one, other] = [a[element]!, b[element]];
    if (++done % ENTRIES_PER_STEP === 0) yield;
    if (one === other) continue;
    if (other === undefined || (isMemberOf(one) && !isMemberOf(other))) return false;
    if (!(isHeavy(one) ? yield* isWithinSteps(one, other) : isWithin(one, other))) return false;
  }
  return true;
}

/** `sameTree` with pauses. */
export function* sameTreeSteps(a: FieldTree, b: FieldTree): Steps<boolean> {
  if (a === b || !isHeavy(a) || !isHeavy(b)) return sameTree(a, b);
  const elements = Object.keys(a);
  yield;
  if (Object.keys(b).length !== elements.length) return false;
  for (let i = 0; i < elements.length; i++) {
    const [one, other] = [a[elements[i]!]!, b[elements[i]!]];
    if (i % ENTRIES_PER_STEP === 0) yield;
    if (other === undefined) return false;
    if (!(isHeavy(one) ? yield* sameTreeSteps(one, other) : sameTree(one, other))) return false;
  }
  return true;
}
