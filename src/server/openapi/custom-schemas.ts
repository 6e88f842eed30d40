import type { V1CustomResourceDefinitionVersion, V1JSONSchemaProps } from '../../api/generated/types.js';
import type { ResourceFacts } from '../../api/scheme/resource-facts.js';

type Json = Record<string, unknown>;

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const API_VERSION = { description: 'APIVersion defines the version of the schema that the object is written in. Servers convert it to their own, and may refuse values that they do not know.', type: 'string' };
const KIND = { description: 'Kind is what the object is, in CamelCase. It follows from the endpoint and cannot be changed.', type: 'string' };
const METADATA = "Standard object's metadata.";

/** Definition name of a custom kind: its group turned round, the version and the kind. */
export function definitionName(group: string, version: string, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

/** The schemas of a custom kind and of its lists, by definition name, as OpenAPI 2 or 3 has them. */
export function customSchemas(facts: ResourceFacts, listKind: string, { schema: validation, selectableFields = [] }: V1CustomResourceDefinitionVersion, version: 2 | 3): Json {
  const { group, version: apiVersion, kind } = facts;
  const ref = (name: string): Json => ({ $ref: `${version === 2 ? '#/definitions/' : '#/components/schemas/'}${name}` });
  const name = definitionName(group, apiVersion, kind);
  const schema = validation?.openAPIV3Schema;
  const selectable = selectableFields.length > 0 ? { 'x-kubernetes-selectable-fields': selectableFields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, '') })) } : {};
  const own = schema === undefined || isSilent(schema, version) ? {} : version === 2 ? asVersion2(schema) : asVersion3(schema, ref);
  // Without a word about its fields, nothing is said about metadata either, since clients would take it for all there is.
  const silent = isSilent(schema, version);
  const described = silent ? own : { ...own, properties: { ...(own['properties'] as Json | undefined), ...objectFields(ref, version) } };
  return {
    [name]: { ...described, type: 'object', 'x-kubernetes-group-version-kind': [{ group, kind, version: apiVersion }], ...selectable },
    [definitionName(group, apiVersion, listKind)]: {
      description: `${listKind} is a list of ${kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: API_VERSION,
        items: { description: `The objects, each a ${kind}.`, type: 'array', items: ref(name) },
        kind: KIND,
        metadata: withRef(ref(`${META}ListMeta`), "Standard list's metadata.", version),
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version: apiVersion }],
      ...selectable,
    },
  };
}

function objectFields(ref: (name: string) => Json, version: 2 | 3): Json {
  return { apiVersion: API_VERSION, kind: KIND, metadata: withRef(ref(`${META}ObjectMeta`), METADATA, version) };
}

/** Nothing may stand beside a reference in version 3. */
function withRef(reference: Json, description: string, version: 2 | 3): Json {
  return version === 2 ? { ...reference, description } : { allOf: [reference], description };
}

function asVersion3(schema: V1JSONSchemaProps, ref: (name: string) => Json): Json {
  const out = mapSchema(schema, (part) => asVersion3(part, ref));
  if (schema['x-kubernetes-int-or-string'] && !saysBoth(schema)) {
    // Before what else the schema demands.
    if (schema.anyOf === undefined) out['anyOf'] = BOTH;
    else out['allOf'] = [{ anyOf: BOTH }, ...(schema.allOf ?? [])];
  }
  return schema['x-kubernetes-embedded-resource'] ? asObject(out, ref, 3) : out;
}

const BOTH: readonly V1JSONSchemaProps[] = [{ type: 'integer' }, { type: 'string' }];

/** The schema itself says that there are integers and strings. */
function saysBoth({ anyOf, allOf }: V1JSONSchemaProps): boolean {
  const both = (list: readonly V1JSONSchemaProps[] | undefined): boolean => list?.length === 2 && list.every((part, i) => Object.keys(part).length === 1 && part.type === BOTH[i]!.type);
  return both(anyOf) || both(allOf?.[0]?.anyOf);
}

/** A whole object within another says what it is. */
function asObject(schema: Json, ref: (name: string) => Json, version: 2 | 3): Json {
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  return {
    ...schema,
    properties: { ...(schema['properties'] as Json | undefined), ...objectFields(ref, version) },
    required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
  };
}

/** Version 2 has no alternatives, no null and, here, no defaults; what clients would make too much of is left out. */
function asVersion2(schema: V1JSONSchemaProps): Json {
  const { allOf: _all, anyOf: _any, oneOf: _one, not: _not, default: _default, nullable, ...plain } = schema;
  const rest: { -readonly [Key in keyof V1JSONSchemaProps]: V1JSONSchemaProps[Key] } = { ...plain };
  const free = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (nullable || free) {
    delete rest.items;
    delete rest.properties;
  }
  if (nullable || schema['x-kubernetes-int-or-string'] || (rest.type === 'array' && rest.items === undefined) || (free && rest.type === 'object')) delete rest.type;
  if (isSchema(rest.additionalProperties) && rest.additionalProperties.nullable) delete rest.required;
  // A client that leaves out what is null says what is right.
  const required = rest.required?.filter((name) => !rest.properties?.[name]?.nullable);
  if (required?.length === 0) delete rest.required;
  else if (required) rest.required = required;
  const out = mapSchema(rest, asVersion2);
  if (!schema['x-kubernetes-embedded-resource'] || schema['x-kubernetes-preserve-unknown-fields']) return out;
  return asObject(out, (name) => ({ $ref: `#/definitions/${name}` }), 2);
}

function mapSchema(schema: V1JSONSchemaProps, map: (part: V1JSONSchemaProps) => Json): Json {
  const out: Json = { ...schema };
  const { properties, items, additionalProperties } = schema;
  if (properties) out['properties'] = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, map(part)]));
  if (isSchema(items)) out['items'] = map(items);
  if (isSchema(additionalProperties)) out['additionalProperties'] = map(additionalProperties);
  return out;
}

function isSchema(value: unknown): value is V1JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSilent(schema: V1JSONSchemaProps | undefined, version: 2 | 3): boolean {
  return version === 2 && (schema === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true);
}
