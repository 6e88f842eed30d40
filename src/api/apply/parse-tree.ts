import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import { orderedSteps } from './field-tree-steps.js';
import { hasChildren, LEAF, ordered, unionNodes, type FieldTree, type FieldTreeDraft } from './field-tree.js';
import { isHeavy } from '../helpers/heavy.js';
import { parseElement, SELF } from './path-element.js';

/** Deeper sets are refused. */
const MAX_DEPTH = 200;

/** Reads a set that a client has written. Undefined when it is malformed. */
export function parseTree(value: unknown, depth = 0): FieldTree | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > MAX_DEPTH) return undefined;
  const result: FieldTreeDraft = {};
  for (const key in value) {
    if (!putParsed(result, key, key === SELF ? LEAF : parseTree((value as FieldTree)[key], depth + 1))) return undefined;
  }
  if (depth === 0) delete result[SELF];
  return hasChildren(result) ? ordered(result) : LEAF;
}

/** {@link parseTree} with pauses. */
export function* parseTreeSteps(value: unknown, depth = 0): Steps<FieldTree | undefined> {
  if (!isHeavy(value) || Array.isArray(value) || depth > MAX_DEPTH) return parseTree(value, depth);
  const result: FieldTreeDraft = {};
  let done = 0;
  for (const key in value as FieldTree) {
    if (++done % ENTRIES_PER_STEP === 0) yield;
    if (!putParsed(result, key, key === SELF ? LEAF : yield* parseTreeSteps((value as FieldTree)[key], depth + 1))) return undefined;
  }
  if (depth === 0) delete result[SELF];
  return hasChildren(result) ? yield* orderedSteps(result) : LEAF;
}

/** False: the key is malformed, or what is below it. */
function putParsed(result: FieldTreeDraft, key: string, parsed: FieldTree | undefined): boolean {
  if (key === SELF) {
    result[SELF] = LEAF;
    return true;
  }
  const element = parseElement(key);
  if (element === undefined || parsed === undefined) return false;
  result[element] = element in result ? unionNodes(result[element]!, parsed) : parsed;
  return true;
}
