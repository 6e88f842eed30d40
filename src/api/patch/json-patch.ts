import { atOnce, ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import { MAX_DEPTH } from '../codec/json-parser.js';
import { isHeavy } from '../helpers/heavy.js';
import { jsonEqual, setKey, type JsonObject } from './json.js';
import { isDeeperThan } from './json-depth.js';
import { JsonSizes } from './json-size.js';
import { inapplicableError } from './patch-error.js';

/** One step of a JSON patch (RFC 6902), decoded but not checked: members may be missing. */
export type JsonPatchOperation = JsonObject;

/** Operations on long lists take up to 100 microseconds each. */
const OPERATIONS_PER_STEP = 200;
/** `copy` operations may add this many bytes in all. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;
/** The outcome may be nested deeper than a body may be by this: nobody has to look how deep it is as long as paths are short. */
const FREE_LEVELS = 100;

const NUMBER = /^[-+]?[0-9]+$/;

type Container = JsonObject | unknown[];

/**
 * Applies a JSON patch. The original is not changed; what the patch does not touch is shared with the result. Upstream is laxer than
 * the RFC, and so is this: `replace` of an absent key adds it, `copy` of one gives null, `add` without a value gives null, `test` of an absent key
 * against null passes, indices may be negative or have leading zeros. Throws a 422 `StatusError` when an operation does not apply.
 */
export function applyJsonPatch(original: JsonObject, operations: readonly JsonPatchOperation[]): Container {
  return atOnce(jsonPatchSteps(original, operations));
}

/** {@link applyJsonPatch} with pauses. `failed` is told which operation does not apply. */
export function* jsonPatchSteps(original: JsonObject, operations: readonly JsonPatchOperation[], failed?: (operation: JsonPatchOperation) => void): Steps<Container> {
  const document = new Document(original);
  for (let i = 0; i < operations.length; i++) {
    try {
      yield* document.prepare(operations[i]!);
      document.apply(operations[i]!);
    } catch (error) {
      failed?.(operations[i]!);
      throw error;
    }
    if (i % OPERATIONS_PER_STEP === OPERATIONS_PER_STEP - 1) yield;
  }
  if (document.mayBeDeep) {
    yield;
    if (isDeeperThan(document.root, MAX_DEPTH)) throw inapplicableError('the outcome is nested too deeply');
  }
  return document.root;
}

class Document {
  root: Container;
  /** Containers that were made by this patch and may be changed, if everything on the way to them is of this kind, too. */
  private readonly own = new Set<object>();
  /** Of copied values, which are never changed in place. */
  private readonly sizes = new JsonSizes();
  private copiedBytes = 0;
  /** It is not nested deeper than this; bodies are not deeper than {@link MAX_DEPTH}. */
  private deepest = MAX_DEPTH;

  constructor(original: Container) {
    this.root = original;
  }

  get mayBeDeep(): boolean {
    return this.deepest > MAX_DEPTH + FREE_LEVELS;
  }

  apply(operation: JsonPatchOperation): void {
    const op = member(operation, 'op', false);
    switch (op) {
      case 'add':
        return this.add(this.target(operation), operation.value ?? null);
      case 'remove':
        return this.remove(member(operation, 'path'));
      case 'replace':
        return this.replace(this.target(operation), operation.value ?? null);
      case 'move': {
        const from = member(operation, 'from');
        const value = this.get(from);
        this.remove(from);
        return this.add(this.target(operation, from), value ?? null);
      }
      case 'copy': {
        const from = member(operation, 'from');
        const value = this.get(from) ?? null;
        this.copiedBytes += this.sizes.of(value);
        if (this.copiedBytes > MAX_COPIED_BYTES) throw inapplicableError('copy operations add too much');
        // The copy and its source are one until one of them is changed, so neither may be changed in place any more.
        if (typeof value === 'object' && value !== null) this.own.delete(value);
        return this.add(this.target(operation, from), value);
      }
      case 'test': {
        const value = this.get(member(operation, 'path'), true) ?? null;
        if (!jsonEqual(value, operation.value ?? null)) throw inapplicableError(`testing value ${member(operation, 'path')} failed`);
        return;
      }
      default:
        throw inapplicableError(`unexpected kind ${op}`);
    }
  }

  /** Where a value is put: one of the patch, or the one that is at `from`. */
  private target(operation: JsonPatchOperation, from?: string): string {
    const path = member(operation, 'path');
    this.deepest = Math.max(this.deepest, from === undefined ? MAX_DEPTH + levels(path) : this.deepest + levels(path) - levels(from));
    return path;
  }

  /** Makes its own, with pauses, what the operation is about to change and what takes long to copy. */
  *prepare({ path, from }: JsonPatchOperation): Steps<void> {
    for (const pointer of [from, path]) if (typeof pointer === 'string') yield* this.prepareWay(pointer);
  }

  /** A way that leads nowhere is told when the operation is applied. */
  private *prepareWay(path: string): Steps<void> {
    const steps = path.split('/').slice(1, -1).map(unescapeStep);
    let parent: Container | undefined;
    let at: string | number = '';
    for (let next: unknown = this.root, depth = 0; typeof next === 'object' && next !== null; depth++) {
      let container = next as Container;
      if (!this.own.has(container) && isHeavy(container)) {
        container = yield* this.copySteps(container);
        if (parent === undefined) this.root = container;
        else if (Array.isArray(parent)) parent[at as number] = container;
        else setKey(parent, at as string, container);
      }
      // What is not large itself holds nothing that is.
      if (!this.own.has(container) || depth === steps.length) return;
      const step = steps[depth]!;
      if (Array.isArray(container) && !isIndex(step, container.length)) return;
      parent = container;
      at = Array.isArray(container) ? index(step, container.length) : step;
      next = Array.isArray(container) ? container[at as number] : Object.hasOwn(container, at) ? container[at] : undefined;
    }
  }

  private *copySteps(container: Container): Steps<Container> {
    yield;
    let done = 0;
    const copy: Container = Array.isArray(container) ? [] : {};
    // From here on both have the same parts.
    for (const key of Array.isArray(container) ? container.keys() : Object.keys(container)) {
      const part: unknown = (container as JsonObject)[key];
      if (typeof part === 'object' && part !== null) this.own.delete(part);
      if (Array.isArray(copy)) copy.push(part);
      else setKey(copy, key as string, part);
      if (++done % ENTRIES_PER_STEP === 0) yield;
    }
    this.own.add(copy);
    return copy;
  }

  private add(path: string, value: unknown): void {
    const { container, key } = this.locate(path);
    if (!Array.isArray(container)) setKey(container, key, value);
    else container.splice(key === '-' ? container.length : index(key, container.length + 1), 0, value);
  }

  private remove(path: string): void {
    const { container, key } = this.locate(path);
    if (Array.isArray(container)) container.splice(index(key, container.length), 1);
    else if (Object.hasOwn(container, key)) delete container[key];
    else throw inapplicableError(`nothing to remove at ${path}`);
  }

  private replace(path: string, value: unknown): void {
    if (path === '') {
      if (typeof value !== 'object' || value === null) throw inapplicableError('the document must be an object or an array');
      this.root = value as Container;
      return;
    }
    const { container, key } = this.locate(path);
    if (Array.isArray(container)) container[index(key, container.length)] = value;
    else setKey(container, key, value);
  }

  /** The value at a path; undefined when its last step is absent. */
  private get(path: string, allowRoot = false): unknown {
    if (path === '' && allowRoot) return this.root;
    const { container, key } = this.locate(path);
    if (Array.isArray(container)) return container[index(key, container.length)];
    return Object.hasOwn(container, key) ? container[key] : undefined;
  }

  /** The container of a path's last step, ready to be changed. */
  private locate(path: string): { container: Container; key: string } {
    const [first, ...steps] = path.split('/').map(unescapeStep);
    const key = steps.pop();
    if (key === undefined || first === undefined) throw inapplicableError(`no such path: ${path}`);
    let container = (this.root = this.owned(this.root));
    for (const step of steps) {
      const at = Array.isArray(container) ? index(step, container.length) : step;
      const next: unknown = Array.isArray(container) ? container[at as number] : Object.hasOwn(container, at) ? container[at] : undefined;
      if (typeof next !== 'object' || next === null) throw inapplicableError(`no such path: ${path}`);
      const owned = this.owned(next as Container);
      if (Array.isArray(container)) container[at as number] = owned;
      else setKey(container, at as string, owned);
      container = owned;
    }
    return { container, key };
  }

  private owned(container: Container): Container {
    if (this.own.has(container)) return container;
    const copy = Array.isArray(container) ? [...(container as unknown[])] : { ...container };
    // From here on both have the same parts.
    for (const part of Array.isArray(container) ? container : Object.values(container)) if (typeof part === 'object' && part !== null) this.own.delete(part);
    this.own.add(copy);
    return copy;
  }
}

/** A text member; what is missing or no text does not apply. */
function member(operation: JsonPatchOperation, name: string, needed = true): string {
  const value = operation[name];
  if (typeof value === 'string') return value;
  if (needed) throw inapplicableError(`operation without ${name}`);
  return 'unknown';
}

function levels(path: string): number {
  let count = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) count++;
  return count;
}

function isIndex(key: string, length: number): boolean {
  return NUMBER.test(key) && Number(key) < length && Number(key) >= -length;
}

function index(key: string, length: number): number {
  if (!NUMBER.test(key)) throw inapplicableError(`not an index: ${key}`);
  const at = Number(key);
  if (at >= length || at < -length) throw inapplicableError(`index out of range: ${key}`);
  return at < 0 ? at + length : at + 0;
}

/** A step of a JSON pointer as the key that it means. */
export function unescapeStep(step: string): string {
  return step.includes('~') ? step.replace(/~1|~0/g, (code) => (code === '~1' ? '/' : '~')) : step;
}
