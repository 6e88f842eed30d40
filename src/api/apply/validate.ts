import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import type { ApplyType, ListRule, MapRule, ScalarRule } from './apply-type.js';
import { atomOf, isDictionary, type Dictionary } from './atom.js';
import { goDebugText, goTypeName, goValueText } from './go-text.js';
import { isHeavy } from '../helpers/heavy.js';
import { listElement } from './list-element.js';
import { elementText, fieldElement, type PathElement } from './path-element.js';
import { TypedError, type TypedProblem } from './typed-error.js';

/** Throws a {@link TypedError} unless the object, as a client sent it, fits the type. `duplicates`: elements of lists may repeat. */
export function checkTyped(type: ApplyType, object: unknown, duplicates = false): void {
  const problems: TypedProblem[] = [];
  new Validation(problems, duplicates).value(type, object);
  if (problems.length > 0) throw new TypedError(problems);
}

/** {@link checkTyped} with pauses. */
export function* checkTypedSteps(type: ApplyType, object: unknown, duplicates = false): Steps<void> {
  if (!isHeavy(object)) return checkTyped(type, object, duplicates);
  const problems: TypedProblem[] = [];
  yield* new Validation(problems, duplicates).steps(type, object);
  if (problems.length > 0) throw new TypedError(problems);
}

class Validation {
  private readonly path: PathElement[] = [];

  constructor(
    private readonly problems: TypedProblem[],
    private readonly duplicates: boolean,
  ) {}

  value(type: ApplyType, value: unknown): void {
    if (value === null || value === undefined) return;
    switch (atomOf(type, value)) {
      case 'scalar':
        return this.scalar(type.scalar!, value);
      case 'list':
        if (!Array.isArray(value)) return this.problem(`expected list, got ${goValueText(value)}`);
        return this.list(type.list!, value);
      case 'map':
        if (!isDictionary(value)) return this.problem(`expected map, got ${goValueText(value)}`);
        return this.map(type.map!, value);
    }
  }

  private scalar(rule: ScalarRule, value: unknown): void {
    const kind = typeof value;
    switch (rule) {
      case 'string':
        if (kind !== 'string') this.problem(`expected string, got ${goDebugText(value)}`);
        break;
      case 'numeric':
        if (kind !== 'number') this.problem(`expected numeric (int or float), got ${goTypeName(value)}`);
        break;
      case 'boolean':
        if (kind !== 'boolean') this.problem(`expected boolean, got ${goValueText(value)}`);
        break;
      case 'untyped':
        if (kind === 'object') this.problem(`expected any scalar, got ${goValueText(value)}`);
    }
  }

  private list(rule: ListRule, items: readonly unknown[]): void {
    const seen = new Set<PathElement>();
    for (let i = 0; i < items.length; i++) {
      const element = this.element(rule, items[i], i, seen);
      if (element === undefined) return;
      this.path.push(element);
      this.value(rule.element, items[i]);
      this.path.pop();
    }
  }

  /** The step to an item. Undefined: it has none, and nothing more is looked at. */
  private element(rule: ListRule, item: unknown, i: number, seen: Set<PathElement>): PathElement | undefined {
    if (rule.atomic) return `i:${i}`;
    let element;
    try {
      element = listElement(rule, item);
    } catch (error) {
      if (!(error instanceof TypedError)) throw error;
      return void this.problem(`element ${i}: ${error.message}`);
    }
    if (seen.has(element) && !this.duplicates) this.problem(`duplicate entries for key ${elementText(element)}`);
    seen.add(element);
    return element;
  }

  private map(rule: MapRule, object: Dictionary): void {
    for (const name in object) {
      const field = rule.fields.get(name);
      const type = field?.type ?? rule.element;
      this.path.push(field?.element ?? fieldElement(name));
      // Upstream looks no further in an object with a field that it does not know.
      if (type === undefined) this.problem('field not declared in schema');
      else this.value(type, object[name]);
      this.path.pop();
      if (type === undefined) return;
    }
  }

  /** {@link value} with pauses. */
  *steps(type: ApplyType, value: unknown): Steps<void> {
    if (!isHeavy(value)) return this.value(type, value);
    yield;
    const atom = atomOf(type, value);
    if (atom === 'list' && Array.isArray(value)) return yield* this.listSteps(type.list!, value);
    if (atom === 'map' && isDictionary(value)) return yield* this.mapSteps(type.map!, value);
    this.value(type, value);
  }

  private *listSteps(rule: ListRule, items: readonly unknown[]): Steps<void> {
    const seen = new Set<PathElement>();
    for (let i = 0; i < items.length; i++) {
      if (i % ENTRIES_PER_STEP === 0) yield;
      const element = this.element(rule, items[i], i, seen);
      if (element === undefined) return;
      this.path.push(element);
      yield* this.steps(rule.element, items[i]);
      this.path.pop();
    }
  }

  private *mapSteps(rule: MapRule, object: Dictionary): Steps<void> {
    let done = 0;
    for (const name in object) {
      if (++done % ENTRIES_PER_STEP === 0) yield;
      const field = rule.fields.get(name);
      const type = field?.type ?? rule.element;
      this.path.push(field?.element ?? fieldElement(name));
      if (type === undefined) this.problem('field not declared in schema');
      else yield* this.steps(type, object[name]);
      this.path.pop();
      if (type === undefined) return;
    }
  }

  private problem(message: string): void {
    this.problems.push({ path: this.path.map(elementText).join(''), message });
  }
}
