import { DEDUCED, plainField, StructRule, UNTYPED, type ApplyField, type ApplyType, type ListRule, type MapRule, type ScalarRule } from './apply-type.js';

/** The parts of an OpenAPI v3 schema that say how values are owned and merged. */
export interface ApplySchema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, ApplySchema>>;
  readonly additionalProperties?: ApplySchema | boolean;
  readonly items?: ApplySchema | readonly ApplySchema[];
  readonly default?: unknown;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

/**
 * The type of custom resources with a structural schema. `apiVersion`, `kind` and `metadata` are taken from the built-in ones: pass the type of
 * `ObjectMeta`. Without a schema use {@link DEDUCED}.
 */
export function customType(schema: ApplySchema, objectMeta: ApplyType): ApplyType {
  const own = typeOf(schema, false);
  const text: ApplyType = { scalar: 'string' };
  const base = own.map ?? DEDUCED.map!;
  const make = (): Iterable<ApplyField> => [
    ...[...base.fields.values()].filter(({ name }) => name !== 'apiVersion' && name !== 'kind' && name !== 'metadata'),
    plainField('apiVersion', text),
    plainField('kind', text),
    plainField('metadata', objectMeta),
  ];
  return { map: new StructRule(base.atomic, make, base.element) };
}

function typeOf(schema: ApplySchema, preserved: boolean): ApplyType {
  const preserve = preserved || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return { map: mapRule(schema, preserve) };
    case 'array':
      return { list: listRule(schema, preserve) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: stringRule(schema.format) };
    default:
      return { scalar: 'untyped', list: listRule(schema, preserve), map: mapRule(schema, preserve) };
  }
}

function stringRule(format: string | undefined): ScalarRule {
  return format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped';
}

function mapRule(schema: ApplySchema, preserve: boolean): MapRule {
  const properties = Object.entries(schema.properties ?? {});
  const make = (): Iterable<ApplyField> => properties.map(([name, property]) => plainField(name, typeOf(property, preserve), property.default));
  return new StructRule(schema['x-kubernetes-map-type'] === 'atomic', make, elementType(schema, preserve, properties.length === 0));
}

function elementType({ additionalProperties }: ApplySchema, preserve: boolean, open: boolean): ApplyType | undefined {
  if (additionalProperties === undefined) return preserve || open ? DEDUCED : undefined;
  if (typeof additionalProperties === 'object') return typeOf(additionalProperties, preserve);
  return additionalProperties ? DEDUCED : undefined;
}

function listRule(schema: ApplySchema, preserve: boolean): ListRule {
  const items = Array.isArray(schema.items) ? (schema.items as readonly ApplySchema[])[0] : (schema.items as ApplySchema | undefined);
  const element = items === undefined ? UNTYPED : typeOf(items, preserve);
  const listType = schema['x-kubernetes-list-type'];
  const declaredKeys = listType === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  return { atomic: listType !== 'map' && listType !== 'set', keys: [...declaredKeys].sort(), declaredKeys, element };
}
