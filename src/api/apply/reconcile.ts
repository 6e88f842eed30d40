import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import type { ApplyType, MapRule } from './apply-type.js';
import { hasChildren, LEAF, memberNode, type FieldTree, type FieldTreeDraft } from './field-tree.js';
import { isHeavy } from '../helpers/heavy.js';
import { SELF, type PathElement } from './path-element.js';

/** Makes a set fit a type that has changed since: where lists, maps and structs have become atomic, their owner owns them as a whole. */
export function reconcileTree(type: ApplyType, tree: FieldTree): FieldTree {
  return reconcileChildren(type, tree);
}

function reconcileChildren(type: ApplyType, tree: FieldTree): FieldTree {
  let result: FieldTreeDraft | undefined;
  for (const element in tree) {
    if (element === SELF) continue;
    const child = childType(type, element);
    const before = tree[element]!;
    const after = child && hasChildren(before) ? reconcileNode(child, before) : before;
    if (after !== before) (result ??= { ...tree })[element] = after;
  }
  return result ?? tree;
}

function reconcileNode(type: ApplyType, node: FieldTree): FieldTree {
  if (type.deduced) return node;
  return isOwnedWhole(type) ? LEAF : reconcileChildren(type, node);
}

function isOwnedWhole({ map, list, scalar }: ApplyType): boolean {
  return map ? map.atomic : list !== undefined && list.atomic && scalar === undefined;
}

/** {@link reconcileTree} with pauses. */
export function* reconcileSteps(type: ApplyType, tree: FieldTree): Steps<FieldTree> {
  if (!isHeavy(tree)) return reconcileTree(type, tree);
  return yield* eachNode(tree, function* (element, node) {
    const child = childType(type, element);
    if (!isHeavy(node)) return child && hasChildren(node) ? reconcileNode(child, node) : node;
    return child === undefined || child.deduced ? node : isOwnedWhole(child) ? LEAF : yield* reconcileSteps(child, node);
  });
}

/** {@link withNamedFields} with pauses. */
export function* withNamedSteps(type: ApplyType | undefined, tree: FieldTree): Steps<FieldTree> {
  if (!isHeavy(tree)) return withNamedFields(type, tree);
  return yield* eachNode(tree, function* (element, node) {
    if (!isHeavy(node)) return namedNode(type, element, node);
    const children = yield* withNamedSteps(type && childType(type, element), node);
    return SELF in children || !isDeclared(type?.map, element) ? children : yield* memberSteps(children);
  });
}

function* memberSteps(children: FieldTree): Steps<FieldTree> {
  const result: FieldTreeDraft = { [SELF]: LEAF };
  let done = 0;
  for (const element in children) {
    result[element] = children[element]!;
    if (++done % ENTRIES_PER_STEP === 0) yield;
  }
  return result;
}

/** A tree with its nodes changed; the tree itself when none is. */
function* eachNode(tree: FieldTree, change: (element: PathElement, node: FieldTree) => Steps<FieldTree>): Steps<FieldTree> {
  const changes = new Map<PathElement, FieldTree>();
  let done = 0;
  for (const element in tree) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    const node = tree[element]!;
    if (element === SELF || node === LEAF) continue;
    const next = yield* change(element, node);
    if (next !== node) changes.set(element, next);
  }
  if (changes.size === 0) return tree;
  const result: FieldTreeDraft = {};
  for (const element in tree) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    result[element] = changes.get(element) ?? tree[element]!;
  }
  return result;
}

/** The type of what a step leads to. */
export function childType(type: ApplyType, element: PathElement): ApplyType | undefined {
  if (element[0] !== 'f') return type.list?.element;
  return type.map?.fields.get(element.slice(2))?.type ?? type.map?.element;
}

/** The set with every declared field that has members below it as a member, too: removal takes such fields away with what is in them. */
export function withNamedFields(type: ApplyType | undefined, tree: FieldTree): FieldTree {
  let result: FieldTreeDraft | undefined;
  for (const element in tree) {
    const node = tree[element]!;
    if (node === LEAF || element === SELF) continue;
    const named = namedNode(type, element, node);
    if (named !== node) (result ??= { ...tree })[element] = named;
  }
  return result ?? tree;
}

function namedNode(type: ApplyType | undefined, element: PathElement, node: FieldTree): FieldTree {
  if (!hasChildren(node)) return node;
  const children = withNamedFields(type && childType(type, element), node);
  return SELF in node || isDeclared(type?.map, element) ? memberNode(children) : children;
}

function isDeclared(rule: MapRule | undefined, element: PathElement): boolean {
  return element[0] === 'f' && rule !== undefined && rule.fields.has(element.slice(2));
}
