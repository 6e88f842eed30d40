import type { V1JSONSchemaProps } from '../../generated/types.js';

/** One place of a structural schema, made ready on first use: a definition of a megabyte costs what is used of it. */
export class SchemaNode {
  readonly preserves: boolean;
  readonly embedded: boolean;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  /** Undefined: none. Never to be handed out without a copy. */
  readonly default: unknown;
  private knownDefaultBytes: number | undefined;
  private readonly made = new Map<string, SchemaNode>();
  private madeItems: SchemaNode | undefined;
  private madeAdditional: SchemaNode | undefined;
  private namesWithDefault: readonly string[] | undefined;

  /** `resource`: the schema is that of a whole object, whose metadata is not the schema's business. */
  constructor(
    readonly schema: V1JSONSchemaProps,
    resource = false,
  ) {
    this.preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.embedded = resource || schema['x-kubernetes-embedded-resource'] === true;
    this.nullable = schema.nullable === true;
    this.intOrString = schema['x-kubernetes-int-or-string'] === true;
    // A default of null is none.
    this.default = schema.default ?? undefined;
  }

  /** How much the {@link default} makes an object longer, as JSON. */
  get defaultBytes(): number {
    return (this.knownDefaultBytes ??= (JSON.stringify(this.default) ?? '').length);
  }

  /** The schema of a declared field; undefined when it is not declared. */
  property(name: string): SchemaNode | undefined {
    const known = this.made.get(name);
    if (known) return known;
    const { properties } = this.schema;
    if (properties === undefined || !Object.hasOwn(properties, name)) return undefined;
    const node = new SchemaNode(properties[name]!);
    this.made.set(name, node);
    return node;
  }

  /** The schema of every field that is not declared. */
  get additional(): SchemaNode | undefined {
    const { additionalProperties } = this.schema;
    if (typeof additionalProperties !== 'object' || additionalProperties === null) return undefined;
    return (this.madeAdditional ??= new SchemaNode(additionalProperties as V1JSONSchemaProps));
  }

  /** Whether fields that are not declared may be there; what they hold may still be restricted by {@link additional}. */
  get open(): boolean {
    const { additionalProperties } = this.schema;
    return additionalProperties !== undefined && additionalProperties !== false;
  }

  get items(): SchemaNode | undefined {
    const { items } = this.schema;
    if (typeof items !== 'object' || items === null) return undefined;
    return (this.madeItems ??= new SchemaNode(items as V1JSONSchemaProps));
  }

  /** The schema of a field, declared or not. */
  field(name: string): SchemaNode | undefined {
    return this.property(name) ?? this.additional;
  }

  /** Declared fields that have a default. */
  get defaulted(): readonly string[] {
    return (this.namesWithDefault ??= Object.entries(this.schema.properties ?? {}).flatMap(([name, property]) => (property.default === undefined || property.default === null ? [] : [name])));
  }
}
