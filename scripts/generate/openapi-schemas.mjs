// Definitions as OpenAPI v2 and v3 write them.
import { fieldText } from './field-texts.mjs';

const SCALARS = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};
const ZERO = { string: '', boolean: false, int32: 0, int64: 0, double: 0 };

/**
 * Schema of a definition. `version` is 2 or 3; `everywhere` are the group versions that kinds of every group version belong to
 * here: all of them in v2, the document's own in v3.
 */
export function definitionSchema(definition, version, { definitions, facts }, everywhere) {
  if (definition.special) {
    return { description: definition.description, ...((version === 3 && definition.special.v3) || definition.special.schema) };
  }
  const required = definition.fields.filter((field) => field.required).map((field) => field.name).sort();
  const properties = {};
  for (const field of [...definition.fields].sort((a, b) => (a.name < b.name ? -1 : 1))) properties[field.name] = propertySchema(field, version, definition.kind, definitions);
  const gvks = facts.KINDS_OF_EVERY_GROUP_VERSION.includes(definition.name)
    ? everywhere.map((gv) => ({ group: gv.group, kind: definition.kind, version: gv.version }))
    : definition.gvks;
  return {
    ...(definition.description ? { description: definition.description } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    type: 'object',
    ...(gvks.length > 0 ? { 'x-kubernetes-group-version-kind': gvks } : {}),
    ...(definition.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(definition.union ? { 'x-kubernetes-unions': definition.union } : {}),
  };
}

function propertySchema(field, version, owner, definitions) {
  const { type } = field;
  const text = field.description || (type.kind === 'ref' ? fieldText(owner, field.name, kindOf(type.name)) : '') || '';
  const description = describe(text, leafEnum(type));
  const own = {
    ...(description ? { description } : {}),
    ...(field.listType ? { 'x-kubernetes-list-type': field.listType } : {}),
    ...(field.mapKeys ? { 'x-kubernetes-list-map-keys': field.mapKeys } : {}),
    ...(field.mergeKey ? { 'x-kubernetes-patch-merge-key': field.mergeKey } : {}),
    ...(field.strategy ? { 'x-kubernetes-patch-strategy': field.strategy } : {}),
    ...(field.mapType ? { 'x-kubernetes-map-type': field.mapType } : {}),
  };
  if (version === 2) return { ...typeSchema(type, '#/definitions/'), ...own };
  const value = defaultOf(field, definitions);
  const schema = typeSchema(type, '#/components/schemas/');
  const beside = { ...own, ...(value === undefined ? {} : { default: value }) };
  // Nothing may stand beside a reference.
  return { ...(schema.$ref && Object.keys(beside).length > 0 ? { allOf: [schema] } : schema), ...beside };
}

function typeSchema(type, prefix) {
  switch (type.kind) {
    case 'ref':
      return { $ref: prefix + type.name };
    case 'list':
      return { type: 'array', items: typeSchema(type.items, prefix) };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.values, prefix) };
    default:
      return { ...SCALARS[type.kind], ...(type.enum ? { enum: type.enum } : {}) };
  }
}

/** v3 tells the zero value of whatever is always written, and of objects held by value. */
function defaultOf(field, definitions) {
  if (field.default !== undefined) return field.default;
  const byValue = field.presence === 'value' || field.presence === 'omitzero' || field.presence === 'omitempty';
  if (!byValue) return undefined;
  if (field.type.kind === 'ref') return definitions.get(field.type.name).special ? undefined : {};
  return field.omitEmpty ? undefined : ZERO[field.type.kind];
}

function kindOf(name) {
  return name.slice(name.lastIndexOf('.') + 1);
}

function leafEnum(type) {
  return type.kind === 'list' ? leafEnum(type.items) : type.kind === 'map' ? leafEnum(type.values) : type.enum;
}

function describe(text, values) {
  if (!values) return text;
  return `${text}\n\nPossible enum values:\n${values.map((value) => ` - \`${JSON.stringify(value)}\``).join('\n')}`.trim();
}
