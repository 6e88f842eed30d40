// Definitions of custom resources with random schemas, and objects for them.
import { mutated, oddValue } from './values.mjs';

const PATTERNS = ['^a+$', '^(a+)+$', '(a|aa)*b', '(?P<n>a)', '\\p{Greek}', '^(([a-z])+.)+[A-Z]([a-z])+$', 'a{1,1000}', '.*.*.*.*.*x', '\\bx\\b', '(?i)a', '[[:alpha:]]+', '$^', '(a|a)*$', '^(a|a?)+$', '(x+x+)+y'];
const BROKEN_PATTERNS = ['(?=x)', '[', '\\', '(a{1,100}){1,100}', 'a**', '(a)\\1'];
const FORMATS = ['date-time', 'int32', 'int64', 'byte', 'ipv4', 'email', 'uuid', 'duration', 'nonsense', 'hostname', 'double'];
const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean'];

/** A schema; a wild one is seldom allowed. */
export function schema(dice, wild, depth = 0) {
  const type = depth === 0 ? 'object' : depth > 5 ? dice.pick(TYPES.slice(2)) : dice.pick(TYPES);
  const made = wild && dice.chance(0.05) ? {} : { type };
  MAKERS[type]?.(dice, wild, depth, made);
  if (depth > 0 && dice.chance(0.1)) made.nullable = true;
  if (depth > 0 && dice.chance(0.15)) made.default = wild ? oddValue(dice) : valueFor(dice, made, 0, true);
  if (dice.chance(0.05)) made.not = { required: ['zz'] };
  if (dice.chance(0.05)) made['x-kubernetes-validations'] = [{ rule: wild ? '(((' : 'true' }];
  if (wild) {
    if (dice.chance(0.1)) made['x-kubernetes-int-or-string'] = true;
    if (dice.chance(0.2)) made[dice.pick(['allOf', 'anyOf', 'oneOf'])] = [bare(dice), bare(dice)];
    if (dice.chance(0.1)) made['x-kubernetes-map-type'] = dice.pick(['atomic', 'granular', 'x']);
    if (dice.chance(0.1)) made['x-kubernetes-list-type'] = dice.pick(['atomic', 'set', 'map', 'x']);
  }
  return made;
}

const NAMES = ['a', 'b', 'c', 'spec', 'status', 'replicas', 'x-y', 'a.b', '__proto_', 'constructor', 'toString'];
const MAKERS = {
  object(dice, wild, depth, made) {
    if (depth === 0 || dice.chance(0.8)) made.properties = Object.fromEntries(dice.several(5, () => dice.pick(NAMES)).map((name) => [name, schema(dice, wild, depth + 1)]));
    else made.additionalProperties = schema(dice, wild, depth + 1);
    if (dice.chance(0.2)) made['x-kubernetes-preserve-unknown-fields'] = true;
    if (wild && dice.chance(0.2)) made['x-kubernetes-embedded-resource'] = true;
    if (dice.chance(0.1)) made.required = [dice.pick(['a', 'b'])];
    if (dice.chance(0.1)) made.maxProperties = dice.below(5);
  },
  array(dice, wild, depth, made) {
    if (!wild && dice.chance(0.3)) {
      made.items = { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: schema(dice, wild, depth + 2) } };
      made['x-kubernetes-list-type'] = 'map';
      made['x-kubernetes-list-map-keys'] = ['a'];
    } else {
      made.items = schema(dice, wild, depth + 1);
      if (wild && dice.chance(0.3)) made['x-kubernetes-list-map-keys'] = [dice.pick(['a', 'b'])];
      if (wild && dice.chance(0.2)) made.uniqueItems = dice.chance(0.5);
    }
    if (dice.chance(0.2)) made.maxItems = dice.below(10) - (wild ? 1 : 0);
  },
  string(dice, wild, depth, made) {
    if (dice.chance(0.4)) made.pattern = dice.pick(wild ? [...PATTERNS, ...BROKEN_PATTERNS] : PATTERNS);
    if (dice.chance(0.3)) made.format = dice.pick(FORMATS);
    if (dice.chance(0.2)) made.maxLength = dice.below(20) - (wild ? 1 : 0);
    if (dice.chance(0.2)) made.enum = wild ? dice.several(3, () => oddValue(dice)) : ['a', '', 'b'];
  },
  integer: number,
  number,
};

function number(dice, wild, depth, made) {
  if (dice.chance(0.3)) made.minimum = dice.pick([0, -1, 1e300, 0.5]);
  if (dice.chance(0.2)) made.multipleOf = dice.pick(wild ? [0, -1] : [2, 0.1, 1e-300]);
  if (made.minimum !== undefined && dice.chance(0.3)) made.exclusiveMinimum = true;
}

const bare = (dice) => dice.pick([{ required: ['a'] }, { minLength: 1 }, { properties: { a: { pattern: '^(a+)+$' } } }, { type: 'string' }, { enum: [1, 'a'] }, {}]);

/** A definition whose group carries `number`. */
export function definition(dice, number) {
  const wild = dice.chance(0.3);
  const version = (name, storage) => ({
    name, storage, served: dice.chance(0.95), schema: { openAPIV3Schema: schema(dice, wild) },
    ...(dice.chance(0.5) ? { subresources: { status: {}, ...(dice.chance(0.5) ? { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: dice.pick(wild ? ['.x['] : ['.status.selector', '']) } } : {}) } } : {}),
    ...(dice.chance(0.3) ? { additionalPrinterColumns: [{ name: 'A', type: dice.pick(wild ? ['x'] : ['string', 'integer', 'date']), jsonPath: dice.pick(!wild ? ['.spec.a', '.metadata.labels.a\\.b', '.a[?(@.b==1)].c'] : ['.spec.a', '.spec[*]', '{', '.metadata.labels.a\\.b', '..a', '.a[?(@.b==1)].c', '.'.repeat(3000)]) }] } : {}),
    ...(wild && dice.chance(0.2) ? { selectableFields: [{ jsonPath: dice.pick(['.spec.a', '.a', '.x.y', '..']) }] } : {}),
  });
  const group = `g${number}.fuzz.example`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `things.${group}` },
    spec: { group, scope: number % 2 ? 'Namespaced' : 'Cluster', names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }, versions: [version('v1', true), ...(dice.chance(0.3) ? [version('v2', false)] : [])] },
  };
}

/** A value that often fits a schema. */
export function valueFor(dice, made, depth = 0, tame = false) {
  if (!tame && (dice.chance(0.05) || depth > 8)) return oddValue(dice);
  switch (made.type) {
    case 'object':
      return Object.fromEntries(Object.entries(made.properties ?? { k: made.additionalProperties ?? {} }).filter(() => dice.chance(0.8)).map(([key, child]) => [key, valueFor(dice, child, depth + 1, tame)]));
    case 'array':
      return dice.several(4, () => valueFor(dice, made.items ?? {}, depth + 1, tame));
    case 'string':
      return dice.pick(['', 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', 'a'.repeat(3000) + '!', '2026-01-01T00:00:00Z', '1.2.3.4', 'x@y.z']);
    case 'integer':
      return dice.pick([0, 1, -1, 2 ** 53, 1.5]);
    case 'number':
      return dice.pick([0, 1, 0.3, -1e300]);
    default:
      return dice.chance(0.5);
  }
}

/** An object of a definition, valid or not. */
export function customObject(dice, made) {
  const version = dice.pick(made.spec.versions);
  const object = { ...valueFor(dice, version.schema.openAPIV3Schema), apiVersion: `${made.spec.group}/${version.name}`, kind: 'Thing', metadata: { name: `t${dice.below(5)}` } };
  return { version: version.name, object: dice.chance(0.4) ? mutated(dice, object) : object };
}
