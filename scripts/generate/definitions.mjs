// Joins the client's models with our facts: one description of every type, from which everything else is generated.
import { loadFacts } from './facts.mjs';
import { parseType } from './notation.mjs';
import { readModels } from './types.mjs';

/**
 * Everything that is known: { facts, definitions: Map(name -> definition) }. A definition is
 * { name, kind, description, gvks, atomic, union, fields: [{ name, description, required, presence, embedded, type, listType, … }] };
 * a special one has `special` instead of fields. `presence` is one of
 * `omitempty`, `pointer`, `nullable` (pointer, always written), `value` (always written), `omitzero`.
 */
export async function readDefinitions() {
  const facts = await loadFacts();
  const models = await readModels();
  const byModel = new Map();
  const pending = [];
  for (const pack of facts.PACKAGES) {
    for (const [kind, text] of [...pack.plain.split(/\s+/).filter(Boolean).map((kind) => [kind, '']), ...Object.entries(pack.types)]) {
      const name = `${pack.package}.${kind}`;
      const model = modelOf(pack.package, kind, models);
      byModel.set(model.name, name);
      pending.push({ name, kind, pack, model, own: parseType(text) });
    }
  }
  const context = { facts, byModel, enums: new Map(facts.PACKAGES.map((pack) => [pack.package, pack.enums ?? {}])) };
  const definitions = new Map();
  for (const item of pending.sort((a, b) => (a.name < b.name ? -1 : 1))) definitions.set(item.name, define(item, context));
  for (const special of Object.values(facts.SPECIAL_TYPES)) {
    definitions.set(special.name, { name: special.name, kind: special.name.split('.').pop(), description: special.description, gvks: [], special });
  }
  return { facts, definitions };
}

function modelOf(pack, kind, models) {
  const [group, version] = pack.split('.').slice(-2).map((part) => part[0].toUpperCase() + part.slice(1));
  const model = models.get(`${group}${version}${kind}`) ?? models.get(`${version}${kind}`) ?? models.get(`${group}${kind}`) ?? models.get(`Version${kind}`);
  if (!model) throw new Error(`the client has no model of ${pack}.${kind}`);
  return model;
}

function define({ name, kind, pack, model, own }, context) {
  const unknown = [...own.fields.keys(), ...own.embedded.keys()].filter((field) => !model.fields.some((known) => known.wire === field));
  if (unknown.length > 0) throw new Error(`${name} has no field ${unknown.join(', ')}`);
  const has = (field) => model.fields.some((known) => known.wire === field);
  const isKind = pack.group !== undefined && has('apiVersion') && has('kind') && (has('metadata') || context.facts.KINDS_WITHOUT_METADATA.includes(name));
  return {
    name,
    kind,
    description: model.description,
    gvks: isKind ? [{ group: pack.group, kind, version: pack.version }] : [],
    atomic: own.atomic,
    union: own.union,
    fields: model.fields.map((field) => defineField(field, own, pack, isKind, context)),
  };
}

function defineField(field, own, pack, typeMeta, context) {
  const facts = own.fields.get(field.wire) ?? { marks: '' };
  const type = joinType(parseWire(field.type, field.format, context), facts.goType, pack, context);
  const isObject = type.kind === 'ref';
  const pointer = facts.marks.includes('*') || (isObject && !field.required && !facts.marks.includes('=') && field.wire !== 'metadata');
  const always = facts.marks.includes('!') || (field.required && !facts.marks.includes('?')) || (isObject && !pointer);
  const presence = facts.marks.includes('~') ? 'omitzero' : pointer ? (always ? 'nullable' : 'pointer') : always ? 'value' : 'omitempty';
  return {
    name: field.wire,
    description: field.description,
    required: field.required,
    presence,
    // Objects held by value are written even without being asked for; in Go's terms they still have `omitempty`.
    omitEmpty: !(facts.marks.includes('!') || (field.required && !facts.marks.includes('?'))),
    embedded: own.embedded.get(field.wire) ?? (typeMeta && (field.wire === 'apiVersion' || field.wire === 'kind') ? 'TypeMeta' : undefined),
    type,
    listType: facts.listType,
    mapKeys: facts.mapKeys,
    mergeKey: facts.mergeKey,
    strategy: facts.strategy,
    mapType: facts.mapType,
    default: facts.default,
  };
}

/** The client's type text as a tree: { kind: 'string' | 'int32' | … | 'ref' | 'list' | 'map' | 'any' }. */
function parseWire(text, format, context) {
  const list = /^(?:Array|Set)<(.*)>$/.exec(text);
  if (list) return { kind: 'list', items: parseWire(list[1], format, context) };
  const map = /^\{ ?\[key: string\]: (.*?);? ?\}$/.exec(text);
  if (map) return { kind: 'map', values: parseWire(map[1], format, context) };
  if (text === 'Date') return special('v1.Time', context);
  if (text === 'V1MicroTime') return special('v1.MicroTime', context);
  if (text === 'IntOrString') return special('intstr.IntOrString', context);
  if (text === 'number') return { kind: format === 'double' ? 'double' : format === 'int32' ? 'int32' : 'int64' };
  if (text === 'string') return { kind: format === 'byte' ? 'bytes' : 'string' };
  if (text === 'boolean') return { kind: 'boolean' };
  if (text === 'any' || text === 'object') return { kind: 'any' };
  const name = context.byModel.get(text);
  if (name === undefined) throw new Error(`no definition is made from the model ${text}`);
  return { kind: 'ref', name };
}

function special(goName, context) {
  return { kind: 'ref', name: context.facts.SPECIAL_TYPES[goName].name };
}

/** Adds upstream's type name to the wire type. */
function joinType(wire, goType, pack, context) {
  if (goType === undefined) return wire;
  const text = goType.replace(/(^|[\]*])([A-Z]\w*)$/, `$1${pack.version}.$2`).replace(/map\[([A-Z]\w*)\]/, `map[${pack.version}.$1]`);
  if (text.startsWith('[]') && wire.kind === 'list') return { ...wire, goName: text, items: joinType(wire.items, text.slice(2), pack, context) };
  const map = /^map\[[^\]]*\](.*)$/.exec(text);
  if (map && wire.kind === 'map') return { ...wire, goName: text, values: joinType(wire.values, map[1], pack, context) };
  if (context.facts.SPECIAL_TYPES[text]) return special(text, context);
  const composite = context.facts.NAMED_COMPOSITES[text];
  if (composite) return { ...joinType(wire, composite, pack, context), goName: text };
  if (wire.kind === 'any') throw new Error(`nothing is known of the type ${text} in ${pack.package}`);
  if (wire.kind === 'string') {
    const values = enumOf(text, pack, context);
    if (values) return { ...wire, goName: text, enum: values };
  }
  return { ...wire, goName: text };
}

/** Values of a named string type: of the package itself, else of whichever has it. */
function enumOf(text, pack, context) {
  const [prefix, name] = text.split('.');
  const own = prefix === pack.version ? context.enums.get(pack.package)[name] : undefined;
  const found = own ?? [...context.enums.values()].find((enums) => enums[name])?.[name];
  return found?.split('|').map((value) => (value === '""' ? '' : value));
}
