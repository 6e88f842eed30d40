import { quote } from '../meta/field-error.js';
import { decodeError } from './decode-error.js';
import type { DuplicateKeys } from './json-parser.js';
import { NumberLiteral } from './number-literal.js';
import type { FieldSchema, StructSchema } from './schema.js';

/** Further strict errors of one object are not collected. */
const MAX_STRICT_ERRORS = 100;

/** One step into an object: a field of a struct, an index of a list, or a key of a map. */
type Step = FieldSchema | number | string;

/** State of one pass over an object: where it is, and what was found wrong. */
export class CheckContext {
  readonly path: Step[] = [];
  /** The structs that the path is in, innermost last. */
  readonly structs: StructSchema[] = [];
  readonly strictErrors: string[] = [];
  /** The first value of a wrong type; reported when nothing worse comes. */
  typeError: Error | undefined;

  constructor(
    /** Collect unknown and duplicate fields. */
    public strict: boolean,
    /** Write `null` where upstream writes it, as for storage. */
    readonly nulls: boolean,
    readonly duplicates: DuplicateKeys | undefined,
    /** Whole numbers that are too long for 32 bits lose what is too much, as where upstream converts rather than decodes. */
    readonly wraps = false,
  ) {}

  /** Notes a value that does not fit its type; the pass goes on. */
  mismatch(value: unknown, goName: string): undefined {
    this.typeError ??= this.typeMismatch(value, goName);
    return undefined;
  }

  /** The error of a value that does not fit its type, with its place. */
  typeMismatch(value: unknown, goName: string): Error {
    return decodeError(`json: cannot unmarshal ${describe(value, goName)} into Go ${this.place()} of type ${goName}`);
  }

  unknownField(key: string): void {
    this.strictError(`unknown field ${quote(this.strictPath(key))}`);
  }

  duplicateField(key: string): void {
    this.strictError(`duplicate field ${quote(this.strictPath(key))}`);
  }

  private strictError(message: string): void {
    if (this.strictErrors.length < MAX_STRICT_ERRORS && !this.strictErrors.includes(message)) this.strictErrors.push(message);
  }

  private strictPath(key: string): string {
    let text = '';
    for (const step of this.path) text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${typeof step === 'string' ? step : step.name}`;
    return text === '' ? key : `${text}.${key}`;
  }

  private place(): string {
    const struct = this.structs[this.structs.length - 1];
    const names: string[] = [];
    for (const step of this.path) {
      if (typeof step !== 'object') continue;
      if (step.embedded !== undefined) names.push(step.embedded);
      names.push(step.name);
    }
    return struct === undefined || names.length === 0 ? 'value' : `struct field ${struct.shortName}.${names.join('.')}`;
  }
}

/** What kind of JSON value it is; numbers are named only where a number as such would do. */
function describe(value: unknown, goName: string): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return isNumeric(goName) ? `number ${value}` : 'number';
    default:
      if (value instanceof NumberLiteral) return isNumeric(goName) ? `number ${value.text}` : 'number';
      return Array.isArray(value) ? 'array' : 'object';
  }
}

function isNumeric(goName: string): boolean {
  return goName === 'int32' || goName === 'int64' || goName === 'float64';
}
