import type { V1JSONSchemaProps } from '../../generated/types.js';
import { deepEqual } from '../../helpers/deep-equal.js';
import type { Correlation } from './compare-old.js';
import { stringFormat } from './formats.js';
import { validateNumber } from './number-rules.js';
import { Outcome } from './outcome.js';
import { Pattern } from './pattern.js';

type Dictionary = Readonly<Record<string, unknown>>;

/**
 * Validates values against one schema, as upstream's library does: its rules, their order where it has one, its words. Parts are made on first use and
 * kept. `x-kubernetes-validations` are not looked at.
 */
export class SchemaValidator {
  private readonly types: readonly string[];
  private readonly format: string;
  private readonly pattern: Pattern | Error | undefined;
  private readonly properties = new Map<string, SchemaValidator>();
  private readonly parts = new Map<string, readonly SchemaValidator[]>();
  private readonly names: readonly string[];

  constructor(private readonly schema: V1JSONSchemaProps) {
    this.types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
    this.format = knownFormat(this.types, schema.format ?? '');
    this.pattern = schema.pattern ? compile(schema.pattern) : undefined;
    this.names = Object.keys(schema.properties ?? {}).sort();
  }

  /** `old`: what the value replaces; what is wrong with what did not change is let pass. */
  validate(value: unknown, path = '', old?: Correlation): Outcome {
    const outcome = this.check(value, path, old);
    return !outcome.valid && old?.unchanged ? new Outcome() : outcome;
  }

  private check(value: unknown, path: string, old: Correlation | undefined): Outcome {
    const { schema } = this;
    const outcome = new Outcome();
    if (value === null || value === undefined) {
      if (this.types.length > 0 && !schema.nullable) outcome.problems.push({ type: 'type', path, value: 'null', message: `${path} in body must be of type ${this.types.join(',')}: "null"` });
      this.enumeration(null, path, outcome);
      return outcome;
    }
    if (this.types.length > 0 || this.format !== '') this.type(value, path, outcome);
    this.alternatives(value, path, old, outcome);
    if (typeof value === 'string') this.text(value, path, outcome);
    else if (typeof value === 'number') validateNumber(schema, this.types.length === 1 ? this.types[0]! : '', this.format, value, path, outcome);
    else if (Array.isArray(value)) this.list(value, path, old, outcome);
    this.enumeration(value, path, outcome);
    if (typeof value === 'object' && !Array.isArray(value)) this.object(value as Dictionary, path, old, outcome);
    outcome.matches += 6;
    return outcome;
  }

  private type(value: unknown, path: string, outcome: Outcome): void {
    const { types, format } = this;
    const actual = typeOf(value);
    const fits = types.includes(actual) || (actual === 'integer' && types.includes('number')) || (actual === 'number' && types.includes('integer') && Number.isInteger(value));
    const inText = typeof value === 'string' || Array.isArray(value);
    // A format says what it is about; what does not have it is told so instead.
    if (format !== '' && !inText && !fits) {
      const shown = actual === 'integer' ? 'int64' : actual === 'number' ? 'float64' : '';
      if (format !== shown) return void outcome.problems.push({ type: 'type', path, value: shown, message: `${path} in body must be of type ${format}: ${JSON.stringify(shown)}` });
      return;
    }
    if (format !== '' && inText && !types.includes('number') && !types.includes('integer')) return;
    if (!fits) outcome.problems.push({ type: 'type', path, value: actual, message: `${path} in body must be of type ${types.join(',')}: ${JSON.stringify(actual)}` });
  }

  private text(value: string, path: string, outcome: Outcome): void {
    const { maxLength, minLength, pattern } = this.schema;
    const length = maxLength === undefined && minLength === undefined ? 0 : [...value].length;
    if (maxLength !== undefined && length > maxLength) outcome.problems.push({ type: 'tooLong', path, max: maxLength });
    else if (minLength !== undefined && length < minLength) {
      outcome.problems.push({ type: 'invalid', path, value, message: `${path} in body should be at least ${minLength} chars long` });
    } else if (this.pattern instanceof Error) {
      outcome.problems.push({ type: 'invalid', path, value, message: `${path} in body should match '${pattern}, but pattern is invalid: ${this.pattern.message}'` });
    } else if (this.pattern && !this.pattern.test(value)) outcome.problems.push({ type: 'invalid', path, value, message: `${path} in body should match '${pattern}'` });
    const format = this.format === '' ? undefined : stringFormat(this.format);
    if (format && !format(value)) outcome.problems.push({ type: 'type', path, value, message: `${path} in body must be of type ${this.format}: ${JSON.stringify(value)}` });
  }

  private list(value: readonly unknown[], path: string, old: Correlation | undefined, outcome: Outcome): void {
    const { items, minItems, maxItems, uniqueItems } = this.schema;
    if (typeof items === 'object' && items !== null) {
      const [validator] = this.part('items', () => [items as V1JSONSchemaProps]);
      for (let i = 0; i < value.length; i++) outcome.merge(validator!.validate(value[i], `${path}[${i}]`, old?.item(i)));
    }
    const size = value.length;
    if (minItems !== undefined && size < minItems) outcome.problems.push({ type: 'invalid', path, value: size, message: `${path} in body should have at least ${minItems} items` });
    if (maxItems !== undefined && size > maxItems) outcome.problems.push({ type: 'tooMany', path, actual: size, max: maxItems });
    if (uniqueItems && value.some((item, i) => value.slice(0, i).some((other) => deepEqual(item, other)))) {
      outcome.problems.push({ type: 'invalid', path, value: '', message: `${path} in body shouldn't contain duplicates` });
    }
  }

  private object(value: Dictionary, path: string, old: Correlation | undefined, outcome: Outcome): void {
    const { schema } = this;
    const { minProperties, maxProperties, additionalProperties } = schema;
    if (minProperties !== undefined || maxProperties !== undefined) {
      const size = Object.keys(value).length;
      if (minProperties !== undefined && size < minProperties) outcome.problems.push({ type: 'invalid', path, value: size, message: `${path} in body should have at least ${minProperties} properties` });
      if (maxProperties !== undefined && size > maxProperties) outcome.problems.push({ type: 'tooMany', path, actual: size, max: maxProperties });
    }
    if (typeof additionalProperties === 'object' && additionalProperties !== null) {
      const [validator] = this.part('additionalProperties', () => [additionalProperties as V1JSONSchemaProps]);
      for (const key of Object.keys(value)) if (!this.declares(key)) outcome.merge(validator!.validate(value[key], `${path}.${key}`, this.inside(old, path, key)));
    } else if (additionalProperties === false) {
      for (const key of Object.keys(value)) {
        if (!this.declares(key)) outcome.problems.push({ type: 'invalid', path, value: key, message: `${path}.${key} in body is a forbidden property` });
      }
    }
    for (const name of this.names) {
      if (Object.hasOwn(value, name)) outcome.merge(this.property(name).validate(value[name], path === '' ? name : `${path}.${name}`, this.inside(old, path, name)));
    }
    for (const name of schema.required ?? []) if (!Object.hasOwn(value, name)) outcome.problems.push({ type: 'required', path: `${path}.${name}` });
  }

  /** Changes of what an object is cannot be seen, so that nothing is let pass there. */
  private inside(old: Correlation | undefined, path: string, name: string): Correlation | undefined {
    return old === undefined || (path === '' && (name === 'kind' || name === 'apiVersion')) ? undefined : old.field(name);
  }

  private declares(name: string): boolean {
    return this.schema.properties !== undefined && Object.hasOwn(this.schema.properties, name);
  }

  private enumeration(value: unknown, path: string, outcome: Outcome): void {
    const { enum: values } = this.schema;
    if (values === undefined || values.length === 0 || values.some((each) => each !== null && deepEqual(each, value))) return;
    outcome.problems.push({ type: 'enum', path, value, values });
  }

  private alternatives(value: unknown, path: string, old: Correlation | undefined, outcome: Outcome): void {
    const { anyOf, oneOf, allOf, not } = this.schema;
    if (anyOf && anyOf.length > 0) this.anyOf(this.part('anyOf', () => anyOf), value, path, old, outcome);
    if (oneOf && oneOf.length > 0) this.oneOf(this.part('oneOf', () => oneOf), value, path, old, outcome);
    if (allOf && allOf.length > 0) {
      let valid = 0;
      for (const part of this.part('allOf', () => allOf)) {
        const result = part.check(value, path, old);
        if (result.valid) valid++;
        outcome.merge(result);
      }
      if (valid < allOf.length) outcome.problems.push({ type: 'plain', path, message: `${JSON.stringify(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}` });
    }
    if (not && this.part('not', () => [not])[0]!.check(value, path, old).valid) {
      outcome.problems.push({ type: 'plain', path, message: `${JSON.stringify(path)} must not validate the schema (not)` });
    }
  }

  private anyOf(parts: readonly SchemaValidator[], value: unknown, path: string, old: Correlation | undefined, outcome: Outcome): void {
    let best: Outcome | undefined;
    for (const part of parts) {
      const result = part.check(value, path, old);
      if (result.valid) return outcome.merge(result);
      if (best === undefined || result.matches > best.matches) best = result;
    }
    outcome.problems.push({ type: 'plain', path, message: `${JSON.stringify(path)} must validate at least one schema (anyOf)` });
    outcome.merge(best!);
  }

  private oneOf(parts: readonly SchemaValidator[], value: unknown, path: string, old: Correlation | undefined, outcome: Outcome): void {
    let best: Outcome | undefined;
    let first: Outcome | undefined;
    let valid = 0;
    for (const part of parts) {
      const result = part.check(value, path, old);
      if (result.valid) {
        valid++;
        first ??= result;
      } else if (best === undefined || result.matches > best.matches) best = result;
    }
    if (valid === 1) return outcome.merge(first!);
    outcome.problems.push({ type: 'plain', path, message: `${JSON.stringify(path)} must validate one and only one schema (oneOf). ${valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`}` });
    if (valid === 0 && best) outcome.merge(best);
  }

  private property(name: string): SchemaValidator {
    let validator = this.properties.get(name);
    if (!validator) this.properties.set(name, (validator = new SchemaValidator(this.schema.properties![name]!)));
    return validator;
  }

  private part(name: string, schemas: () => readonly V1JSONSchemaProps[]): readonly SchemaValidator[] {
    let made = this.parts.get(name);
    if (!made) this.parts.set(name, (made = schemas().map((schema) => new SchemaValidator(schema))));
    return made;
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** Formats that upstream does not know for the type mean nothing. */
function knownFormat(types: readonly string[], format: string): string {
  const type = types.length === 1 ? types[0]! : '';
  if (type === '' || type === 'string') return stringFormat(format) ? format : '';
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : '';
  if (type === 'number') return format === 'float' || format === 'double' ? format : '';
  return '';
}

function compile(source: string): Pattern | Error {
  try {
    return new Pattern(source);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
