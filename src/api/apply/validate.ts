import type { ApplyType, ListRule, MapRule, ScalarRule } from './apply-type.js';
import { atomOf, isDictionary, type Dictionary } from './atom.js';
import { goDebugText, goTypeName, goValueText } from './go-text.js';
import { listElement } from './list-element.js';
import { elementText, fieldElement, type PathElement } from './path-element.js';
import { TypedError, type TypedProblem } from './typed-error.js';

/** Throws a {@link TypedError} unless the object, as a client sent it, fits the type. `duplicates`: elements of lists may repeat. */
export function checkTyped(type: ApplyType, object: unknown, duplicates = false): void {
  const problems: TypedProblem[] = [];
  new Validation(problems, duplicates).value(type, object);
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
      let element = `i:${i}`;
      if (!rule.atomic) {
        try {
          element = listElement(rule, items[i]);
        } catch (error) {
          if (!(error instanceof TypedError)) throw error;
          return this.problem(`element ${i}: ${error.message}`);
        }
        if (seen.has(element) && !this.duplicates) this.problem(`duplicate entries for key ${elementText(element)}`);
        seen.add(element);
      }
      this.path.push(element);
      this.value(rule.element, items[i]);
      this.path.pop();
    }
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

  private problem(message: string): void {
    this.problems.push({ path: this.path.map(elementText).join(''), message });
  }
}
