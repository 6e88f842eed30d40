import { KubeError } from '../../base/errors.js';

/** One condition of a field selector. */
export interface FieldRequirement {
  /** `metadata.name`, `spec.nodeName`, … */
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

const TERM = /^(.*?)(!=|==|=)(.*)$/s;

/** A predicate over fields: a conjunction of comparisons. Which fields a kind knows is the caller's business. Immutable. */
export class FieldSelector {
  private constructor(readonly requirements: readonly FieldRequirement[]) {}

  static readonly everything = new FieldSelector([]);

  /**
   * Parses `a=b,c!=d`; `\\`, `\,` and `\=` stand for themselves in values. Empty text matches everything.
   * Throws a `KubeError` `KUBE_INVALID_FIELD_SELECTOR` with upstream's message.
   */
  static parse(text: string): FieldSelector {
    const requirements: FieldRequirement[] = [];
    for (const term of splitTerms(text).sort()) {
      if (term === '') continue;
      const match = TERM.exec(term);
      if (!match) throw fieldSelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      const value = unescapeValue(match[3]!);
      requirements.push({ field: match[1]!, equal: match[2] !== '!=', value });
    }
    return FieldSelector.of(requirements);
  }

  static of(requirements: readonly FieldRequirement[]): FieldSelector {
    // A term without field and value (`=`) says nothing.
    const kept = requirements.filter(({ field, value }) => field !== '' || value !== '');
    return kept.length === 0 ? FieldSelector.everything : new FieldSelector(kept);
  }

  get isEverything(): boolean {
    return this.requirements.length === 0;
  }

  /** `get` returns a field's value, empty when it is absent. */
  matches(get: (field: string) => string): boolean {
    for (const { field, equal, value } of this.requirements) if ((get(field) === value) !== equal) return false;
    return true;
  }

  /** The value that `field` must have, if there is one. */
  requiredValue(field: string): string | undefined {
    return this.requirements.find((requirement) => requirement.field === field && requirement.equal)?.value;
  }

  toString(): string {
    return this.requirements.map(({ field, equal, value }) => `${field}${equal ? '=' : '!='}${escapeFieldValue(value)}`).join(',');
  }
}

/** Writes any text as a value of a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/** Splits at commas that no backslash protects. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  const points = [...text];
  for (let i = 0; i < points.length; i++) {
    const point = points[i]!;
    if (point === ',' || point === '=') throw fieldSelectorError(`invalid field selector: unescaped character in value: ${point.codePointAt(0)}`);
    if (point !== '\\') {
      value += point;
      continue;
    }
    const next = points[++i];
    if (next === undefined || !['\\', ',', '='].includes(next)) throw fieldSelectorError(`invalid field selector: invalid escape sequence: \\${next ?? ''}`);
    value += next;
  }
  return value;
}

function fieldSelectorError(message: string): KubeError {
  return new KubeError('KUBE_INVALID_FIELD_SELECTOR', message);
}
