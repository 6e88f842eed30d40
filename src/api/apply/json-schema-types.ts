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
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

/**
 * The type of custom resources with a structural schema. `apiVersion`, `kind` and `metadata` are taken from the built-in ones: pass the type of
 * `ObjectMeta`. Without a schema use {@link DEDUCED}.
 */
export function customType(schema: ApplySchema, objectMeta: ApplyType): ApplyType {
  const own = typeOf(schema, false, objectMeta);
  const base = own.map ?? DEDUCED.map!;
  return { map: new StructRule(base.atomic, () => wholeObject(base.fields.values(), objectMeta), base.element) };
}

/** The fields of what is an API object, be it inside another. */
function wholeObject(fields: Iterable<ApplyField>, objectMeta: ApplyType): readonly ApplyField[] {
  const text: ApplyType = { scalar: 'string' };
  const own = [...fields].filter(({ name }) => name !== 'apiVersion' && name !== 'kind' && name !== 'metadata');
  return [...own, plainField('apiVersion', text), plainField('kind', text), plainField('metadata', objectMeta)];
}

function typeOf(schema: ApplySchema, preserved: boolean, objectMeta: ApplyType): ApplyType {
  const preserve = preserved || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return { map: mapRule(schema, preserve, objectMeta) };
    case 'array':
      return { list: listRule(schema, preserve, objectMeta) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: stringRule(schema.format) };
    default:
      return { scalar: 'untyped', list: listRule(schema, preserve, objectMeta), map: mapRule(schema, preserve, objectMeta) };
  }
}

function stringRule(format: string | undefined): ScalarRule {
  return format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped';
}

function mapRule(schema: ApplySchema, preserve: boolean, objectMeta: ApplyType): MapRule {
  const properties = Object.entries(schema.properties ?? {});
  const declared = (): ApplyField[] => properties.map(([name, property]) => plainField(name, typeOf(property, preserve, objectMeta), property.default));
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const make = embedded ? (): readonly ApplyField[] => wholeObject(declared(), objectMeta) : declared;
  return new StructRule(schema['x-kubernetes-map-type'] === 'atomic', make, elementType(schema, preserve, properties.length === 0 && !embedded, objectMeta));
}

function elementType({ additionalProperties }: ApplySchema, preserve: boolean, open: boolean, objectMeta: ApplyType): ApplyType | undefined {
  if (additionalProperties === undefined) return preserve || open ? DEDUCED : undefined;
  if (typeof additionalProperties === 'object') return typeOf(additionalProperties, preserve, objectMeta);
  return additionalProperties ? DEDUCED : undefined;
}

function listRule(schema: ApplySchema, preserve: boolean, objectMeta: ApplyType): ListRule {
  const items = Array.isArray(schema.items) ? (schema.items as readonly ApplySchema[])[0] : (schema.items as ApplySchema | undefined);
  const element = items === undefined ? UNTYPED : typeOf(items, preserve, objectMeta);
  const listType = schema['x-kubernetes-list-type'];
  const declaredKeys = listType === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  return { atomic: listType !== 'map' && listType !== 'set', keys: [...declaredKeys].sort(), declaredKeys, element };
}
