import { notSupportedInOrder, required, typeInvalid, type FieldError, invalid } from '../../../api/meta/field-error.js';
import { FieldPath } from '../../../api/meta/field-path.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads one object of a configuration file field by field and notes down what is wrong: values of the wrong type, and fields that
 * nobody asked for. Absent fields and `null` are undefined.
 */
export class ConfigReader {
  private readonly asked = new Set<string>();

  private constructor(
    private readonly fields: Fields,
    /** `root`: the file itself. */
    readonly path: FieldPath,
    /** Shared by all readers of one file. */
    readonly errors: FieldError[],
  ) {}

  /** Over a whole file or an embedded configuration. */
  static of(value: unknown, errors: FieldError[], path = FieldPath.root): ConfigReader {
    if (isFields(value)) return new ConfigReader(value, path, errors);
    errors.push(typeInvalid(path, value, 'must be an object'));
    return new ConfigReader({}, path, errors);
  }

  at(field: string): FieldPath {
    return this.path.child(field);
  }

  string(field: string): string | undefined {
    return this.typed<string>(field, 'string', 'must be a string');
  }

  /** A whole number of 32 bits. */
  integer(field: string): number | undefined {
    const value = this.typed<number>(field, 'number', 'must be a number');
    if (value === undefined || (Number.isInteger(value) && Math.abs(value) < 2 ** 31)) return value;
    this.errors.push(invalid(this.at(field), value, 'must be a whole number of 32 bits'));
    return undefined;
  }

  strings(field: string): string[] {
    return this.list(field).filter((item, i): item is string => {
      if (typeof item === 'string') return true;
      this.errors.push(typeInvalid(this.at(field).index(i), item, 'must be a string'));
      return false;
    });
  }

  objects(field: string): ConfigReader[] {
    return this.list(field).map((item, i) => ConfigReader.of(item, this.errors, this.at(field).index(i)));
  }

  object(field: string): ConfigReader | undefined {
    const value = this.raw(field);
    return value === undefined ? undefined : ConfigReader.of(value, this.errors, this.at(field));
  }

  /** Texts by names of the user's own. */
  stringMap(field: string): Record<string, string> {
    const value = this.raw(field) ?? {};
    if (!isFields(value)) {
      this.errors.push(typeInvalid(this.at(field), value, 'must be an object'));
      return {};
    }
    const entries = Object.entries(value).filter((entry): entry is [string, string] => {
      if (typeof entry[1] === 'string') return true;
      this.errors.push(typeInvalid(this.at(field).key(entry[0]), entry[1], 'must be a string'));
      return false;
    });
    return Object.fromEntries(entries);
  }

  /** Anything; whoever asks looks into it. */
  raw(field: string): unknown {
    this.asked.add(field);
    return this.fields[field] ?? undefined;
  }

  /** Requires one of the versions of a kind. */
  requireType(kind: string, apiVersions: readonly string[]): void {
    const version = this.string('apiVersion');
    const given = this.string('kind');
    if (version === undefined) this.errors.push(required(this.at('apiVersion'), `supported values: ${apiVersions.join(', ')}`));
    else if (!apiVersions.includes(version)) this.errors.push(notSupportedInOrder(this.at('apiVersion'), version, apiVersions));
    if (given === undefined) this.errors.push(required(this.at('kind'), `must be ${kind}`));
    else if (given !== kind) this.errors.push(notSupportedInOrder(this.at('kind'), given, [kind]));
  }

  /** To be called last: complains about the fields that were not asked for. */
  refuseOthers(): void {
    for (const field of Object.keys(this.fields)) if (!this.asked.has(field)) this.errors.push(invalid(this.at(field), this.fields[field], 'unknown field'));
  }

  private list(field: string): readonly unknown[] {
    const value = this.raw(field) ?? [];
    if (Array.isArray(value)) return value as readonly unknown[];
    this.errors.push(typeInvalid(this.at(field), value, 'must be a list'));
    return [];
  }

  private typed<T>(field: string, type: 'string' | 'number', rule: string): T | undefined {
    const value = this.raw(field);
    if (value === undefined || typeof value === type) return value as T | undefined;
    this.errors.push(typeInvalid(this.at(field), value, rule));
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object without the fields that are undefined. */
export function present<T extends Readonly<Record<string, unknown>>>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
