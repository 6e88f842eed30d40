import { fieldElement, type PathElement } from './path-element.js';

/** What a scalar may be; `untyped`: any scalar. */
export type ScalarRule = 'string' | 'numeric' | 'boolean' | 'untyped';

/** How lists are merged. */
export interface ListRule {
  /** The list is owned and replaced as a whole. */
  readonly atomic: boolean;
  /** Of lists of type `map`, sorted by name; empty: a set of scalars. Only for lists that are not atomic. */
  readonly keys: readonly string[];
  /** The keys as the schema lists them, for messages. */
  readonly declaredKeys: readonly string[];
  readonly element: ApplyType;
}

/** One declared field of a struct. */
export interface ApplyField {
  readonly name: string;
  readonly element: PathElement;
  readonly type: ApplyType;
  /** Stands for an absent key of a `map` list. */
  readonly default?: unknown;
  /** In objects that a type has checked, empty lists and maps stand for nothing. */
  readonly emptyIsAbsent: boolean;
  /** In objects that a type has checked, absence stands for null. */
  readonly nullWhenAbsent: boolean;
}

/** How structs and maps are merged. */
export interface MapRule {
  readonly atomic: boolean;
  /** Declared fields by name. Read on first use, since types refer to each other. */
  readonly fields: ReadonlyMap<string, ApplyField>;
  /** The fields with {@link ApplyField.nullWhenAbsent}. */
  readonly nullable: readonly ApplyField[];
  /** The type of every other key; undefined: there are none. */
  readonly element: ApplyType | undefined;
}

/** How values of one type are owned and merged. More than one part: the value decides. */
export interface ApplyType {
  readonly scalar?: ScalarRule | undefined;
  readonly list?: ListRule | undefined;
  readonly map?: MapRule | undefined;
  /** The value says what it is, and nothing is known about it: changes of the schema do not concern it. */
  readonly deduced?: boolean;
}

const NO_FIELDS: ReadonlyMap<string, ApplyField> = new Map();

/** The rule of a map whose keys all have one type. */
export function mapOf(element: ApplyType, atomic = false): MapRule {
  return { atomic, fields: NO_FIELDS, nullable: [], element };
}

/** The rule of a list that is one value. */
export function atomicList(element: ApplyType): ListRule {
  return { atomic: true, keys: [], declaredKeys: [], element };
}

function makeUntyped(): ApplyType {
  const type: { scalar: ScalarRule; list?: ListRule; map?: MapRule; deduced: boolean } = { scalar: 'untyped', deduced: true };
  type.list = atomicList(type);
  type.map = mapOf(type, true);
  return type;
}

function makeDeduced(): ApplyType {
  const type: { scalar: ScalarRule; list: ListRule; map?: MapRule; deduced: boolean } = { scalar: 'untyped', list: atomicList(UNTYPED), deduced: true };
  type.map = mapOf(type);
  return type;
}

/** Anything, as one value. */
export const UNTYPED: ApplyType = makeUntyped();

/** Anything: maps are merged key by key, lists are one value. For objects without a schema. */
export const DEDUCED: ApplyType = makeDeduced();

/** A struct whose fields are made on first use. */
export class StructRule implements MapRule {
  private known: ReadonlyMap<string, ApplyField> | undefined;
  private nulls: readonly ApplyField[] | undefined;

  constructor(
    readonly atomic: boolean,
    private readonly make: () => Iterable<ApplyField>,
    readonly element: ApplyType | undefined,
  ) {}

  get fields(): ReadonlyMap<string, ApplyField> {
    return (this.known ??= new Map([...this.make()].map((field) => [field.name, field])));
  }

  get nullable(): readonly ApplyField[] {
    return (this.nulls ??= [...this.fields.values()].filter((field) => field.nullWhenAbsent));
  }
}

/** A declared field of an object that no built-in type checks. */
export function plainField(name: string, type: ApplyType, defaultValue?: unknown): ApplyField {
  return { name, element: fieldElement(name), type, emptyIsAbsent: false, nullWhenAbsent: false, ...(defaultValue === undefined ? {} : { default: defaultValue }) };
}
