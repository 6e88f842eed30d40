import type { ApplyType, ListRule, MapRule } from './apply-type.js';
import { atomOf, isDictionary, type Dictionary } from './atom.js';
import { goDebugText, goTypeName, goValueText } from './go-text.js';
import { listElement } from './list-element.js';
import { elementText, fieldElement, type PathElement } from './path-element.js';
import { TypedError, type TypedProblem } from './typed-error.js';

/** Throws a {@link TypedError} unless the object, as a client sent it, fits the type. `duplicates`: elements of lists may repeat. */
export function checkTyped(type: ApplyType, object: unknown, duplicates = false): void {
  const problems: TypedProblem[] = [];
  new Validation(problems, duplicates).value(type, object, '');
  if (problems.length > 0) throw new TypedError(problems);
}

class Validation {
  constructor(
    private readonly problems: TypedProblem[],
    private readonly duplicates: boolean,
  ) {}

  value(type: ApplyType, value: unknown, path: string): void {
    if (value === null || value === undefined) return;
    switch (atomOf(type, value)) {
      case 'scalar':
        return this.scalar(type, value, path);
      case 'list':
        if (!Array.isArray(value)) return this.problem(path, `expected list, got ${goValueText(value)}`);
        return this.list(type.list!, value, path);
      case 'map':
        if (!isDictionary(value)) return this.problem(path, `expected map, got ${goValueText(value)}`);
        return this.map(type.map!, value, path);
    }
  }

  private scalar({ scalar }: ApplyType, value: unknown, path: string): void {
    const kind = typeof value;
    switch (scalar!) {
      case 'string':
        if (kind !== 'string') this.problem(path, `expected string, got ${goDebugText(value)}`);
        break;
      case 'numeric':
        if (kind !== 'number') this.problem(path, `expected numeric (int or float), got ${goTypeName(value)}`);
        break;
      case 'boolean':
        if (kind !== 'boolean') this.problem(path, `expected boolean, got ${goValueText(value)}`);
        break;
      case 'untyped':
        if (kind === 'object') this.problem(path, `expected any scalar, got ${goValueText(value)}`);
    }
  }

  private list(rule: ListRule, items: readonly unknown[], path: string): void {
    const seen = new Set<PathElement>();
    for (let i = 0; i < items.length; i++) {
      let element = `i:${i}`;
      if (!rule.atomic) {
        try {
          element = listElement(rule, items[i]);
        } catch (error) {
          if (!(error instanceof TypedError)) throw error;
          return this.problem(path, `element ${i}: ${error.message}`);
        }
        if (seen.has(element) && !this.duplicates) this.problem(path, `duplicate entries for key ${elementText(element)}`);
        seen.add(element);
      }
      this.value(rule.element, items[i], path + elementText(element));
    }
  }

  private map(rule: MapRule, object: Dictionary, path: string): void {
    for (const name in object) {
      const type = rule.fields.get(name)?.type ?? rule.element;
      const at = path + elementText(fieldElement(name));
      if (type === undefined) {
        // Upstream looks no further in this object.
        this.problem(at, 'field not declared in schema');
        return;
      }
      this.value(type, object[name], at);
    }
  }

  private problem(path: string, message: string): void {
    this.problems.push({ path, message });
  }
}
