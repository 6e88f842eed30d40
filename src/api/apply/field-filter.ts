import { RESET_FIELDS, WRITTEN_FIELDS } from '../facts/reset-fields.js';
import { isEmpty, LEAF, recursiveDifference, treeOfPath, union, type FieldTree, type FieldTreeDraft } from './field-tree.js';
import { fieldElement, SELF } from './path-element.js';
import type { FieldFilter } from './updater.js';

/** The filter of one way of writing a resource (`<group>/<resource>` of the stored version). Undefined: everything can be changed. */
export function fieldFilter(resource: string, subresource: string): FieldFilter | undefined {
  const written = WRITTEN_FIELDS[resource]?.[subresource];
  if (written) return including(written);
  const reset = RESET_FIELDS[resource]?.[subresource];
  return reset && excluding(reset);
}

/** Leaves out the fields at these dotted paths and everything below them. */
export function excluding(paths: readonly string[]): FieldFilter {
  const out = paths.reduce<FieldTree>((tree, path) => union(tree, treeOfPath(path.split('.').map(fieldElement))), LEAF);
  return (fields) => recursiveDifference(fields, out);
}

/** Keeps the fields at these dotted paths, those on the way to them and everything below them. `*` is any element. */
export function including(paths: readonly string[]): FieldFilter {
  const patterns = paths.map((path) => path.split('.'));
  return (fields) => matching(fields, patterns);
}

function matching(fields: FieldTree, patterns: readonly (readonly string[])[]): FieldTree {
  const result: FieldTreeDraft = {};
  for (const element in fields) {
    if (element === SELF) continue;
    const rest = patterns.filter(([first]) => first === '*' || fieldElement(first!) === element).map((pattern) => pattern.slice(1));
    if (rest.length === 0) continue;
    const node = fields[element]!;
    if (rest.some((pattern) => pattern.length === 0)) {
      result[element] = node;
      continue;
    }
    const children = matching(node, rest);
    const member = SELF in node || isEmpty(node);
    if (member || !isEmpty(children)) result[element] = member && !isEmpty(children) ? { [SELF]: LEAF, ...children } : children;
  }
  return result;
}
