import type { ApplyType, MapRule } from './apply-type.js';
import { hasChildren, LEAF, memberNode, type FieldTree, type FieldTreeDraft } from './field-tree.js';
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
  if (type.map ? type.map.atomic : type.list?.atomic && type.scalar === undefined) return LEAF;
  return reconcileChildren(type, node);
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
    if (node === LEAF || element === SELF || !hasChildren(node)) continue;
    const children = withNamedFields(type && childType(type, element), node);
    const named = SELF in node || isDeclared(type?.map, element) ? memberNode(children) : children;
    if (named !== node) (result ??= { ...tree })[element] = named;
  }
  return result ?? tree;
}

function isDeclared(rule: MapRule | undefined, element: PathElement): boolean {
  return element[0] === 'f' && rule !== undefined && rule.fields.has(element.slice(2));
}
