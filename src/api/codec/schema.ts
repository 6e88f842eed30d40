/**
 * How a field is held upstream, which decides what becomes of empty values:
 * - `omitempty`: by value; zero values (`0`, `""`, `false`, `[]`, `{}` of a map) are dropped
 * - `pointer`: dropped only when absent or null
 * - `nullable`: like `pointer`, but written as `null` when absent
 * - `value`: always written; `null` for lists, maps and times, the zero value otherwise
 * - `omitzero`: by value; dropped when zero
 */
export type Presence = 'omitempty' | 'pointer' | 'nullable' | 'value' | 'omitzero';

export type ListType = 'atomic' | 'set' | 'map';

/** One field of a struct. */
export interface FieldSchema {
  readonly name: string;
  readonly presence: Presence;
  readonly type: TypeSchema;
  /** Lists only; absent means atomic. */
  readonly listType?: ListType;
  /** Keys of a `map` list, for server-side apply. */
  readonly listMapKeys?: readonly string[];
  /** Key by which strategic merge patch finds elements. */
  readonly patchMergeKey?: string;
  /** `merge`, `retainKeys`; empty: replace. */
  readonly patchStrategy: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  /** Dotted names of upstream's embedded structs that the field comes from; part of messages about wrong types. */
  readonly embedded?: string;
}

export type ScalarKind = 'string' | 'boolean' | 'int32' | 'int64' | 'double' | 'bytes';
/** Types with their own JSON form. `raw` is any JSON object, `json` any JSON value, `schemaOr…` the unions in JSON schemas. */
export type SpecialKind =
  | 'quantity' | 'time' | 'microTime' | 'intOrString' | 'raw' | 'json' | 'schemaOrArray' | 'schemaOrBool' | 'schemaOrStrings';

/** `goName` is upstream's name of the type, for messages. */
export type TypeSchema =
  | { readonly kind: ScalarKind; readonly goName: string }
  | { readonly kind: SpecialKind; readonly goName: string; readonly struct?: StructSchema }
  | { readonly kind: 'list'; readonly goName: string; readonly items: TypeSchema }
  | { readonly kind: 'map'; readonly goName: string; readonly values: TypeSchema }
  | StructSchema;

/** An object with known fields. Fields are read on first use, since types refer to each other. */
export class StructSchema {
  readonly kind = 'struct';
  private known: ReadonlyMap<string, FieldSchema> | undefined;

  constructor(
    /** Definition name: `io.k8s.api.core.v1.Pod`. */
    readonly name: string,
    /** Server-side apply takes the object as a whole. */
    readonly atomic: boolean,
    private readonly read: () => ReadonlyMap<string, FieldSchema>,
  ) {}

  /** `v1.Pod`. */
  get goName(): string {
    return this.name.split('.').slice(-2).join('.');
  }

  /** `Pod`. */
  get shortName(): string {
    return this.name.slice(this.name.lastIndexOf('.') + 1);
  }

  get fields(): ReadonlyMap<string, FieldSchema> {
    return (this.known ??= this.read());
  }
}
