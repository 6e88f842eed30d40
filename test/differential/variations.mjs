// Makes many small changes of valid objects, more than are worth keeping: the recorder keeps those whose answers say something new.
import { badEntryKeys, BOUNDARIES, FEW_NUMBERS, FEW_TEXTS, QUANTITIES, TEXTS } from './values.mjs';
import { definitionOf, nameOf, resolve } from './swagger.mjs';

/** Fields of metadata whose rules are the same for every kind; they are tried by the first corpus. */
const LEFT_OUT = new Set(['apiVersion', 'kind', 'metadata', 'status']);
/** Deepest path that is entered. */
const DEEPEST = 16;

/** All variations of the manifests. Each case names the field of the schema that it is about (`about`), which is not recorded. */
export function makeVariations(manifests, swagger) {
  const samples = collectSamples(manifests, swagger);
  const seen = new Set();
  return manifests.flatMap((manifest) => [...variationsOf(manifest, swagger, samples, seen)]);
}

/** `seen` has the fields of each resource that were varied with a value; variants of an object are varied in less ways there. */
function* variationsOf(manifest, swagger, samples, seen) {
  const isNew = (about, value) => {
    const id = `${manifest.key.split('/')[0]} ${about} ${value === undefined}`;
    return !seen.has(id) && seen.add(id);
  };
  const definition = definitionOf(swagger, manifest.object);
  for (const one of fieldsOf(swagger, definition, manifest.object, [], [], (name, depth) => depth === 0 && LEFT_OUT.has(name))) {
    const few = [...changesOf(one, swagger, samples, true)];
    for (const [what, value] of isNew(one.about, one.value) ? changesOf(one, swagger, samples, false) : few) yield caseOf(manifest, 'create', one, what, value);
    if (!manifest.createOnly && !manifest.absent) for (const [what, value] of few) yield caseOf(manifest, 'update', one, what, value);
  }
  if (!manifest.status) return;
  yield { id: `${manifest.key}: create, with status`, manifest: manifest.key, verb: 'create', at: ['status'], value: manifest.status, about: 'status' };
  yield { id: `${manifest.key}: update, with status`, manifest: manifest.key, verb: 'update', at: ['status'], value: manifest.status, about: 'status' };
  yield { id: `${manifest.key}: status, as given`, manifest: manifest.key, verb: 'status', about: 'status' };
  yield { id: `${manifest.key}: status, with another spec`, manifest: manifest.key, verb: 'status', at: ['spec'], value: {}, about: 'spec' };
  yield { id: `${manifest.key}: status, with labels`, manifest: manifest.key, verb: 'status', at: ['metadata', 'labels'], value: { a: 'b' }, about: 'metadata' };
  const schema = definition.properties.status;
  const whole = { ...manifest.object, status: manifest.status };
  for (const one of fieldsOf(swagger, { properties: { status: schema } }, whole, [], [])) {
    for (const [what, value] of changesOf(one, swagger, samples, !isNew(one.about, one.value))) yield caseOf(manifest, 'status', one, what, value);
  }
}

function caseOf(manifest, verb, { path, about }, what, value) {
  return { id: `${manifest.key}: ${verb}, ${path.join('.')} ${what}`, manifest: manifest.key, verb, at: path, ...(value === undefined ? {} : { value }), about };
}

/** Every field below `value`; in a list the first item that has the field stands for all. */
function* fieldsOf(swagger, definition, value, path, above, skip = () => false) {
  for (const [name, raw] of Object.entries(definition.properties ?? {})) {
    if (skip(name, path.length)) continue;
    // Pod specs are varied in pods.
    if (/(^|\.)template\.spec\.(?!containers$|restartPolicy$)/.test([...path, name].join('.'))) continue;
    yield* field(swagger, raw, value?.[name], [...path, name], `${nameOf(definition)}.${name}`, above);
  }
}

function* field(swagger, raw, value, path, about, above) {
  const schema = resolve(swagger, raw);
  yield { path, schema, value, about };
  if (path.length > DEEPEST || value === undefined || value === null) return;
  if (schema.type === 'array') {
    const item = resolve(swagger, schema.items);
    if (!Array.isArray(value) || value.length === 0) return;
    if (!item.properties) yield { path: [...path, 0], schema: item, value: value[0], about: `${about}[]` };
    else if (!above.includes(item)) {
      for (const [name, inner] of Object.entries(item.properties)) {
        const found = Math.max(0, value.findIndex((candidate) => candidate?.[name] !== undefined));
        yield* field(swagger, inner, value[found]?.[name], [...path, found, name], `${nameOf(item)}.${name}`, [...above, schema, item]);
      }
    }
  } else if (schema.properties) {
    if (!above.includes(schema)) yield* fieldsOf(swagger, schema, value, path, [...above, schema]);
  } else if (schema.additionalProperties && typeof value === 'object') {
    const [key] = Object.keys(value);
    if (key !== undefined) yield* field(swagger, schema.additionalProperties, value[key], [...path, key], `${about}{}`, above);
  }
}

/** What is done to a field: pairs of a word for it and the new value; an absent value removes. */
function changesOf({ schema, value, about }, swagger, samples, few) {
  const changes = [];
  if (value !== undefined) changes.push(['removed', undefined]);
  else for (const [i, sample] of (samples.get(about) ?? [synthesize(swagger, schema)]).slice(0, few ? 1 : 8).entries()) changes.push([`given ${i}`, sample]);
  for (const text of schema.enum ?? []) changes.push([`= ${text}`, text]);
  switch (schema.type) {
    case 'integer': case 'number': for (const number of few ? FEW_NUMBERS : BOUNDARIES) changes.push([`= ${number}`, number]); break;
    case 'boolean': changes.push([`= ${!value}`, !value]); break;
    case 'array':
      changes.push(['= []', []]);
      if (Array.isArray(value) && value.length > 0) {
        changes.push(['first twice', [...value, value[0]]], ['without first', value.slice(1)], ['many', Array.from({ length: 130 }, () => value[0])], ['reversed', [...value].reverse()]);
        for (const [i, sample] of (samples.get(about) ?? []).entries()) if (Array.isArray(sample) && i < (few ? 1 : 6)) changes.push([`and more ${i}`, [...value, ...sample]], [`replaced ${i}`, sample]);
        if (typeof value[0] === 'object') changes.push(['with an empty item', [...value, {}]]);
      } else changes.push(['with an empty item', [synthesizeEmpty(swagger, schema)]]);
      break;
    case 'string':
      if (isQuantity(schema)) for (const text of few ? QUANTITIES.slice(0, 3) : QUANTITIES) changes.push([`= ${text}`, text]);
      else if (schema.format === 'int-or-string') for (const one of few ? [0, '5%', 'x'] : [0, 1, 100, 65536, '0%', '100%', '101%', '-5%', '50', '5.5%', 'a-name', 'UPPER', 'a'.repeat(16), '']) changes.push([`= ${JSON.stringify(one)}`, one]);
      else if (schema.format === 'byte') for (const one of ['', 'AAEC', 'YQ==', 'e30=']) changes.push([`= ${one}`, one]);
      else if (schema.format === 'date-time') for (const one of ['2026-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '2026-01-01T00:00:00.123456Z', '2026-01-01']) changes.push([`= ${one}`, one]);
      else for (const text of schema.enum || few ? FEW_TEXTS : TEXTS) changes.push([`= ${JSON.stringify(text.length > 40 ? `${text.slice(0, 3)}*${text.length}` : text)}`, text]);
      break;
    default:
      if (schema.additionalProperties) {
        const entry = value && Object.values(value)[0];
        const of = entry ?? synthesize(swagger, resolve(swagger, schema.additionalProperties));
        for (const key of few ? badEntryKeys.slice(0, 4) : badEntryKeys) changes.push([`with key ${JSON.stringify(key.length > 40 ? `${key.slice(0, 3)}*${key.length}` : key)}`, { ...value, [key]: of }]);
      } else {
        changes.push(['= {}', {}]);
        for (const [i, sample] of (samples.get(about) ?? []).entries()) if (value !== undefined && i < (few ? 1 : 6)) changes.push([`replaced ${i}`, sample]);
      }
  }
  const own = JSON.stringify(value);
  return changes.filter(([, changed]) => JSON.stringify(changed) !== own || changed === undefined);
}

function isQuantity(schema) {
  return /fixed-point representation of a number/.test(schema.description ?? '');
}

/** A small value that the schema allows. */
function synthesize(swagger, schema, depth = 0) {
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'integer': case 'number': return 1;
    case 'boolean': return true;
    case 'array': return depth > 6 ? [] : [synthesize(swagger, resolve(swagger, schema.items), depth + 1)];
    case 'string': return schema.format === 'byte' ? 'YQ==' : schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : isQuantity(schema) ? '1' : schema.format === 'int-or-string' ? 1 : 'sample';
    default: {
      if (schema.additionalProperties) return { sample: synthesize(swagger, resolve(swagger, schema.additionalProperties), depth + 1) };
      const names = schema.required ?? (depth > 3 ? [] : Object.keys(schema.properties ?? {}).slice(0, 1));
      return Object.fromEntries(names.map((name) => [name, synthesize(swagger, resolve(swagger, schema.properties[name]), depth + 1)]));
    }
  }
}

function synthesizeEmpty(swagger, schema) {
  const item = resolve(swagger, schema.items);
  return item.type === 'string' ? '' : item.type === 'integer' ? 0 : {};
}

/** Values that fields have in the manifests, by the name of the definition and the field. */
function collectSamples(manifests, swagger) {
  const samples = new Map();
  for (const manifest of manifests) {
    const definition = definitionOf(swagger, manifest.object);
    const whole = manifest.status ? { ...manifest.object, status: manifest.status } : manifest.object;
    for (const { about, value } of fieldsOf(swagger, definition, whole, [], [])) {
      if (value === undefined || about.endsWith('[]') || about.endsWith('{}')) continue;
      const known = samples.get(about) ?? [];
      if (known.length < 8 && !known.some((one) => JSON.stringify(one) === JSON.stringify(value))) samples.set(about, [...known, value]);
    }
  }
  return samples;
}

/** Types that are the same wherever they stand; their fields are tried in full once. */
const SHARED = /^(core\.v1\.(Pod|Cont|Vol|Env|Prob|Affin|Local|Secret|Config)|meta\.)/;

/** What an answer says, without values: a second case of the same field with the same signature teaches nothing. */
export function signatureOf(entry, facts) {
  const plain = (text) => text.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\[[^\]]*\]/g, '[]').replace(/-?\d+/g, '#').replace(/@@.*/s, '');
  const messages = facts.causes?.map((cause) => plain(cause.split('|').filter((_, i) => i !== 1).join('|'))).sort() ?? [plain(facts.message ?? '').slice(0, 80)];
  const warned = (facts.warnings ?? []).map(plain).join('\n');
  return [SHARED.test(entry.about) ? '' : entry.manifest.split('/')[0], entry.verb, entry.about, facts.code < 300 ? '' : messages[0], warned].join('|');
}
