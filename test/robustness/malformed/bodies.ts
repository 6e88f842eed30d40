import fc from 'fast-check';

type Json = unknown;

const DEPTH = 20_000;

/** Values that fit hardly any field. */
export const oddValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 1e308, -(2 ** 63), 2 ** 53, '', ' ', '\0', '..', '/', '%', 'a'.repeat(5000), '💥', '\ud800', '{{', '-', 'A_B', '1', '10Gi', '-5m', '999999999999999999999', '2026-13-45T99:99:99Z', 'NaN'),
  fc.constantFrom<Json>([], {}, [null], [[]], [{}], [[[[1]]]], { a: null }, { '': '' }, { ['__proto__']: { a: 1 } }, { constructor: {} }, { toString: 'x' }, { length: 5 }, { hasOwnProperty: 1 }, { $patch: 'nonsense' }, { $patch: 'delete' }, [{ $patch: 'replace' }], { $setElementOrder: 1 }, { $retainKeys: ['x'] }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Texts that are no JSON, or JSON of an awkward kind. */
export const brokenText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', ' ', '{', '}', '[', ']', '"', 'nul', 'null', 'true', '1', '""', '[]', '{}', '[[]]', '{"', '{"a"', '{"a":', '{"a":1', '{"a":1,}', "{'a':1}", '{"a":1}{"a":2}', '\u0000', '\ufeff{}', '{"kind":1}', '{"kind":[]}', '{"apiVersion":{}}', '{"metadata":1}', '{"metadata":[]}', '{"metadata":null}', '{"metadata":{"name":1}}', '{"metadata":{"labels":{"a":1}}}', '{"metadata":{"labels":[]}}', '{"metadata":{"ownerReferences":{}}}', '{"metadata":{"ownerReferences":[null]}}', '{"metadata":{"managedFields":[null]}}', '{"metadata":{"finalizers":[1,null]}}', '{"metadata":{"creationTimestamp":"x"}}', '{"metadata":{"resourceVersion":"-1"}}', '{"spec":[]}', '{"spec":null}', '{"spec":"x"}', '{"status":7}', '{"a":1e999}', '{"a":-0}', '{"a":0.1e-400}', '{"kind":"List","items":[]}', '{"kind":"Status"}', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}'),
  fc.json({ maxDepth: 4 }),
  fc.string({ maxLength: 200 }),
);

/** Nested so deeply that recursion ends badly. */
export const deepTexts: readonly string[] = [
  '['.repeat(DEPTH),
  '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  '{"a":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH),
  '{"metadata":{"annotations":' + '{"a":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH) + '}}',
  '{"spec":{"versions":[{"schema":{"openAPIV3Schema":' + '{"properties":{"a":'.repeat(DEPTH) + '1' + '}}'.repeat(DEPTH) + '}}]}}',
  '{"spec":{"template":' + '['.repeat(DEPTH) + ']'.repeat(DEPTH) + '}}',
];

/** YAML that is broken, or that grows when it is read. */
export const yamlTexts: readonly string[] = [
  'a: [', 'a: b: c', '\t- a', '- a\n b', '%YAML 9.9\n---\na: 1', '---\n---\n', 'a: &x [*x]', '? [a]\n: 1', '!!js/function "x"', '!!binary "%%%"', 'a: *unknown', '<<: 1', '<<: [1, 2]', '"\\xZZ"', '"\\uD800"', '|', '>', "'", '@', '`', 'metadata: !!set {a, b}', 'metadata: {name: 2026-01-01}', 'metadata: {name: 0x10}', 'metadata: {name: .nan}', 'a: 1\na: 2', '[1]: 2', '{a: b}: c',
  '['.repeat(DEPTH), '- '.repeat(DEPTH) + 'a', '{a: '.repeat(DEPTH) + '}'.repeat(DEPTH),
  Array.from({ length: 5000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
  // Each line is ten times the one before.
  ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]', ...Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 10 }, () => `*a${i}`).join(', ')}]`)].join('\n'),
  `kind: ConfigMap\napiVersion: v1\nmetadata: &m {name: bomb, annotations: &a {x: "${'x'.repeat(1000)}"}}\ndata:\n${Array.from({ length: 5000 }, (_, i) => `  k${i}: *a`).join('\n')}`,
];

/** JSON patches that are none, or that hurt. */
export const jsonPatch: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, 1, {}, [null], [1], [{}], [{ op: 'add' }], [{ op: 1 }], [{ op: 'nonsense', path: '/a' }], [{ op: 'add', path: 'a', value: 1 }], [{ op: 'add', path: '', value: null }], [{ op: 'replace', path: '', value: [] }], [{ op: 'remove', path: '' }], [{ op: 'move', from: '', path: '/metadata/a' }], [{ op: 'copy', from: '/metadata', path: '/metadata/annotations' }], [{ op: 'copy', from: '', path: '/spec' }], [{ op: 'test', path: '/__proto__/x', value: 1 }], [{ op: 'add', path: '/__proto__/x', value: 1 }], [{ op: 'add', path: '/constructor/prototype/x', value: 1 }], [{ op: 'add', path: '/metadata/labels/~2', value: 'x' }], [{ op: 'add', path: '/spec/-', value: 'x' }], [{ op: 'remove', path: '/metadata' }], [{ op: 'remove', path: '/metadata/name' }], [{ op: 'remove', path: '/kind' }], [{ op: 'remove', path: '/spec/containers/99' }], [{ op: 'add', path: '/spec/containers/1e9', value: {} }], Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'x' })),
    Array.from({ length: 60 }, () => ({ op: 'copy', from: '/metadata', path: '/metadata/annotations' }))),
  fc.tuple(fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'), fc.constantFrom('/metadata', '/metadata/name', '/metadata/labels', '/spec', '/status', '/spec/template', '/metadata/ownerReferences/0', '/data', '/kind', '/apiVersion', '/metadata/resourceVersion', '/metadata/uid', '/x/y/z'), oddValue).map(([op, path, value]) => [{ op, path, from: '/metadata', value }]),
);

/** A copy of an object with one or two of its fields replaced, removed or renamed. */
export function mutated(object: Readonly<Record<string, unknown>>): fc.Arbitrary<Json> {
  const paths = pathsOf(object);
  const change = fc.tuple(fc.nat(), fc.constantFrom('set', 'set', 'set', 'remove', 'rename', 'wrap', 'repeat'), oddValue);
  return fc.array(change, { minLength: 1, maxLength: 2 }).map((changes) => {
    const copy = structuredClone(object) as Record<string, unknown>;
    for (const [pick, how, value] of changes) apply(copy, paths[pick % paths.length]!, how, value);
    return copy;
  });
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, above: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return above.length > 0 ? [above] : [];
  const below = Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...above, Array.isArray(value) ? Number(key) : key]));
  return above.length > 0 ? [above, ...below] : below;
}

function apply(root: Record<string, unknown>, path: Path, how: string, value: unknown): void {
  let holder = root as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) {
    const next = holder[key];
    // An earlier change took this part away.
    if (typeof next !== 'object' || next === null) return;
    holder = next as Record<string | number, unknown>;
  }
  const last = path.at(-1)!;
  if (how === 'set') holder[last] = value;
  else if (how === 'remove') delete holder[last];
  else if (how === 'rename') holder[`${last}X`] = holder[last];
  else if (how === 'wrap') holder[last] = [holder[last]];
  else if (Array.isArray(holder[last])) holder[last] = Array.from({ length: 50 }, () => (holder[last] as unknown[])[0]);
}

/** The merge patch that makes one change to an object. */
export function mergePatch(object: Readonly<Record<string, unknown>>): fc.Arbitrary<Json> {
  const paths = pathsOf(object);
  return fc.tuple(fc.nat(), oddValue).map(([pick, value]) =>
    paths[pick % paths.length]!.reduceRight<unknown>((inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }), value));
}
