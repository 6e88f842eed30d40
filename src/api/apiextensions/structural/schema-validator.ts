import { atOnce, type Steps } from '../../../base/steps.js';
import type { V1JSONSchemaProps } from '../../generated/types.js';
import { deepEqual } from '../../helpers/deep-equal.js';
import type { Correlation } from './compare-old.js';
import { stringFormat } from './formats.js';
import { validateNumber } from './number-rules.js';
import { canonical } from './list-rules.js';
import { Outcome } from './outcome.js';
import { Pace } from './pace.js';
import { Pattern } from './pattern.js';

type Dictionary = Readonly<Record<string, unknown>>;

/** An item of a list or a field of an object, and what it is judged by. */
interface Part {
  readonly validator: SchemaValidator;
  readonly value: unknown;
  readonly path: string;
  readonly old: Correlation | undefined;
}

/** This many characters of a text are as much work as a small value. */
const CHARACTERS_PER_WORK = 50;
/** To look for this many names in an object is, too. */
const NAMES_PER_WORK = 20;

/**
 * Validates values against one schema, as upstream's library does: its rules, their order where it has one, its words. Parts are made on first use and
 * kept. `x-kubernetes-validations` are not looked at. Alternatives within alternatives take as many looks at a value as there are: large values and
 * schemas are validated step by step.
 */
export class SchemaValidator {
  readonly types: readonly string[];
  /** Empty: none that means anything. */
  readonly format: string;
  readonly pattern: Pattern | Error | undefined;
  private readonly properties = new Map<string, SchemaValidator>();
  private readonly parts = new Map<string, readonly SchemaValidator[]>();
  private readonly names: readonly string[];
  /** There are alternatives. */
  readonly combines: boolean;
  private knownScalars: ReadonlySet<unknown> | undefined;

  constructor(readonly schema: V1JSONSchemaProps) {
    this.types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
    this.format = knownFormat(this.types, schema.format ?? '');
    this.pattern = schema.pattern ? compile(schema.pattern) : undefined;
    this.names = Object.keys(schema.properties ?? {}).sort();
    this.combines = Boolean(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? schema.not);
  }

  /** `old`: what the value replaces; what is wrong with what did not change is let pass. */
  validate(value: unknown, path = '', old?: Correlation): Outcome {
    return atOnce(this.validateSteps(value, path, old));
  }

  /** {@link validate} with pauses. */
  *validateSteps(value: unknown, path = '', old?: Correlation, pace = new Pace()): Steps<Outcome> {
    const outcome = yield* this.check(value, path, old, pace);
    return !outcome.valid && old?.unchanged ? new Outcome() : outcome;
  }

  private *check(value: unknown, path: string, old: Correlation | undefined, pace: Pace): Steps<Outcome> {
    if (pace.due()) yield;
    if (typeof value !== 'object' || value === null) return this.combines && value !== null && value !== undefined ? yield* this.combined(value, path, old, pace) : this.simple(value, path);
    return yield* this.combined(value, path, old, pace);
  }

  /** A value without parts, by a schema without alternatives. */
  private simple(value: unknown, path: string): Outcome {
    const outcome = new Outcome();
    if (value === null || value === undefined) {
      if (this.types.length > 0 && !this.schema.nullable) outcome.problems.push({ type: 'type', path, value: 'null', message: `${path} in body must be of type ${this.types.join(',')}: "null"` });
      this.enumeration(null, path, outcome);
      return outcome;
    }
    if (this.types.length > 0 || this.format !== '') this.type(value, path, outcome);
    this.scalar(value, path, outcome);
    outcome.matches += 6;
    return outcome;
  }

  /** One generator for each level of a value: it may be nested deeply. */
  private *combined(value: unknown, path: string, old: Correlation | undefined, pace: Pace): Steps<Outcome> {
    const outcome = new Outcome();
    if (this.types.length > 0 || this.format !== '') this.type(value, path, outcome);
    if (this.combines) yield* this.alternatives(value, path, old, outcome, pace);
    if (typeof value !== 'object') this.scalar(value, path, outcome);
    else {
      const isList = Array.isArray(value);
      if (pace.due((this.schema.enum?.length ?? 0) + (this.schema.required?.length ?? 0) / NAMES_PER_WORK)) yield;
      if (!isList) this.object(value as Dictionary, path, outcome);
      for (const part of isList ? this.items(value, path, old) : this.fields(value as Dictionary, path, old)) {
        const simple = part.value === null || (typeof part.value !== 'object' && !part.validator.combines);
        if (pace.due(typeof part.value === 'string' ? 1 + part.value.length / CHARACTERS_PER_WORK : 1)) yield;
        const result = simple ? part.validator.simple(part.value, part.path) : yield* part.validator.combined(part.value, part.path, part.old, pace);
        if (result.valid || !part.old?.unchanged) outcome.merge(result);
      }
      if (isList) this.list(value, path, outcome);
      else for (const name of this.schema.required ?? []) if (!Object.hasOwn(value as Dictionary, name)) outcome.problems.push({ type: 'required', path: `${path}.${name}` });
    }
    outcome.matches += 6;
    return outcome;
  }

  private scalar(value: unknown, path: string, outcome: Outcome): void {
    if (typeof value === 'string') this.text(value, path, outcome);
    else if (typeof value === 'number') validateNumber(this.schema, this.types.length === 1 ? this.types[0]! : '', this.format, value, path, outcome);
    this.enumeration(value, path, outcome);
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

  private *items(value: readonly unknown[], path: string, old: Correlation | undefined): Generator<Part, void> {
    const { items } = this.schema;
    if (typeof items !== 'object' || items === null) return;
    const [validator] = this.part('items', () => [items as V1JSONSchemaProps]);
    for (let i = 0; i < value.length; i++) yield { validator: validator!, value: value[i], path: `${path}[${i}]`, old: old?.item(i) };
  }

  private list(value: readonly unknown[], path: string, outcome: Outcome): void {
    const { minItems, maxItems, uniqueItems } = this.schema;
    const size = value.length;
    if (minItems !== undefined && size < minItems) outcome.problems.push({ type: 'invalid', path, value: size, message: `${path} in body should have at least ${minItems} items` });
    if (maxItems !== undefined && size > maxItems) outcome.problems.push({ type: 'tooMany', path, actual: size, max: maxItems });
    if (uniqueItems && new Set(value.map(canonical)).size < size) outcome.problems.push({ type: 'invalid', path, value: '', message: `${path} in body shouldn't contain duplicates` });
    this.enumeration(value, path, outcome);
  }

  private *fields(value: Dictionary, path: string, old: Correlation | undefined): Generator<Part, void> {
    const { additionalProperties } = this.schema;
    if (typeof additionalProperties === 'object' && additionalProperties !== null) {
      const [validator] = this.part('additionalProperties', () => [additionalProperties as V1JSONSchemaProps]);
      for (const key of Object.keys(value)) if (!this.declares(key)) yield { validator: validator!, value: value[key], path: `${path}.${key}`, old: this.correlated(old, path, key) };
    }
    for (const name of this.declaredIn(value)) {
      if (Object.hasOwn(value, name)) yield { validator: this.property(name), value: value[name], path: path === '' ? name : `${path}.${name}`, old: this.correlated(old, path, name) };
    }
  }

  private object(value: Dictionary, path: string, outcome: Outcome): void {
    this.enumeration(value, path, outcome);
    const { minProperties, maxProperties, additionalProperties } = this.schema;
    if (minProperties !== undefined || maxProperties !== undefined) {
      const size = Object.keys(value).length;
      if (minProperties !== undefined && size < minProperties) outcome.problems.push({ type: 'invalid', path, value: size, message: `${path} in body should have at least ${minProperties} properties` });
      if (maxProperties !== undefined && size > maxProperties) outcome.problems.push({ type: 'tooMany', path, actual: size, max: maxProperties });
    }
    if (additionalProperties !== false) return;
    for (const key of Object.keys(value)) {
      if (!this.declares(key)) outcome.problems.push({ type: 'invalid', path, value: key, message: `${path}.${key} in body is a forbidden property` });
    }
  }

  /** Changes of what an object is cannot be seen, so that nothing is let pass there. */
  private correlated(old: Correlation | undefined, path: string, name: string): Correlation | undefined {
    return old === undefined || (path === '' && (name === 'kind' || name === 'apiVersion')) ? undefined : old.field(name);
  }

  /** The declared fields that an object may have, sorted: those of a big schema are not looked for in each of many small objects. */
  private declaredIn(value: Dictionary): readonly string[] {
    return this.names.length <= NAMES_PER_WORK ? this.names : Object.keys(value).filter((name) => this.declares(name)).sort();
  }

  declares(name: string): boolean {
    return this.schema.properties !== undefined && Object.hasOwn(this.schema.properties, name);
  }

  private enumeration(value: unknown, path: string, outcome: Outcome): void {
    const { enum: values } = this.schema;
    if (values === undefined || values.length === 0) return;
    if (typeof value === 'object' || typeof value === 'undefined' ? values.some((each) => each !== null && deepEqual(each, value)) : this.scalars(values).has(value)) return;
    outcome.problems.push({ type: 'enum', path, value, values });
  }

  scalars(values: readonly unknown[]): ReadonlySet<unknown> {
    return (this.knownScalars ??= new Set(values));
  }

  private *alternatives(value: unknown, path: string, old: Correlation | undefined, outcome: Outcome, pace: Pace): Steps<void> {
    const { anyOf, oneOf, allOf, not } = this.schema;
    if (anyOf && anyOf.length > 0) yield* this.anyOf(this.part('anyOf', () => anyOf), value, path, old, outcome, pace);
    if (oneOf && oneOf.length > 0) yield* this.oneOf(this.part('oneOf', () => oneOf), value, path, old, outcome, pace);
    if (allOf && allOf.length > 0) {
      let valid = 0;
      for (const part of this.part('allOf', () => allOf)) {
        const result = yield* part.check(value, path, old, pace);
        if (result.valid) valid++;
        outcome.merge(result);
      }
      if (valid < allOf.length) outcome.problems.push({ type: 'plain', path, message: `${JSON.stringify(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}` });
    }
    if (not && (yield* this.part('not', () => [not])[0]!.check(value, path, old, pace)).valid) {
      outcome.problems.push({ type: 'plain', path, message: `${JSON.stringify(path)} must not validate the schema (not)` });
    }
  }

  private *anyOf(parts: readonly SchemaValidator[], value: unknown, path: string, old: Correlation | undefined, outcome: Outcome, pace: Pace): Steps<void> {
    let best: Outcome | undefined;
    for (const part of parts) {
      const result = yield* part.check(value, path, old, pace);
      if (result.valid) return outcome.merge(result);
      if (best === undefined || result.matches > best.matches) best = result;
    }
    outcome.problems.push({ type: 'plain', path, message: `${JSON.stringify(path)} must validate at least one schema (anyOf)` });
    outcome.merge(best!);
  }

  private *oneOf(parts: readonly SchemaValidator[], value: unknown, path: string, old: Correlation | undefined, outcome: Outcome, pace: Pace): Steps<void> {
    let best: Outcome | undefined;
    let first: Outcome | undefined;
    let valid = 0;
    for (const part of parts) {
      const result = yield* part.check(value, path, old, pace);
      if (result.valid) {
        valid++;
        first ??= result;
      } else if (best === undefined || result.matches > best.matches) best = result;
    }
    if (valid === 1) return outcome.merge(first!);
    outcome.problems.push({ type: 'plain', path, message: `${JSON.stringify(path)} must validate one and only one schema (oneOf). ${valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`}` });
    if (valid === 0 && best) outcome.merge(best);
  }

  property(name: string): SchemaValidator {
    let validator = this.properties.get(name);
    if (!validator) this.properties.set(name, (validator = new SchemaValidator(this.schema.properties![name]!)));
    return validator;
  }

  part(name: string, schemas: () => readonly V1JSONSchemaProps[]): readonly SchemaValidator[] {
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
