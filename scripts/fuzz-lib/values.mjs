// Values that fit hardly any field, and objects in which some fields were replaced by them.

const ODD = [
  null, true, false, 0, -1, 1.5, 1e308, -(2 ** 63), 2 ** 53, '', ' ', '\0', '..', '/', '%', '%2e%2e', 'a'.repeat(5000), '💥', '\ud800', '{{', '-', 'A_B', '1', '10Gi', '1e1000000', '9'.repeat(400), '0.' + '0'.repeat(400) + '1', '-5m',
  '999999999999999999999', '2026-13-45T99:99:99Z', 'NaN', '0/0', '::ffff:1.2.3.4', '1.2.3.4/33', '@every 1ns', '*/0 * * * *', 'TZ=x * * * * *', '100000000000h', '-0%', '1e9%', [], {}, [null], [[]], [{}], [[[[1]]]], { a: null }, { '': '' }, { constructor: {} }, { toString: 'x' },
  { length: 5 }, { hasOwnProperty: 1 }, { $patch: 'nonsense' }, { $patch: 'delete' }, { $patch: 'replace' }, [{ $patch: 'replace' }], [{ $patch: 'merge' }], { $setElementOrder: 1 }, { $retainKeys: ['x'] }, { '$deleteFromPrimitiveList/finalizers': ['a'] }, { '$setElementOrder/containers': [{ name: 'x' }, {}] },
];

/** One awkward value. */
export function oddValue(dice) {
  if (dice.chance(0.02)) return JSON.parse(`{"__proto__":{"a":${dice.below(9)}}}`);
  if (dice.chance(0.02)) return deep(dice.below(800), dice.chance(0.5));
  if (dice.chance(0.02)) return Array.from({ length: dice.below(20_000) }, (_, i) => (dice.chance(0.9) ? `x${i}` : i));
  if (dice.chance(0.1)) return String.fromCharCode(...Array.from({ length: dice.below(30) }, () => dice.below(dice.chance(0.5) ? 128 : 65_536)));
  return structuredClone(dice.pick(ODD));
}

function deep(depth, lists) {
  let value = 1;
  for (let i = 0; i < depth; i++) value = lists ? [value] : { a: value };
  return value;
}

/** All paths of an object, parents before children. */
export function pathsOf(value, path = [], found = []) {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    found.push(here);
    pathsOf(value[key], here, found);
  }
  return found;
}

/** A copy with up to four fields changed. */
export function mutated(dice, object) {
  const copy = structuredClone(object);
  const paths = pathsOf(copy);
  if (paths.length === 0) return copy;
  for (let i = 1 + dice.below(4); i > 0; i--) change(dice, copy, dice.pick(paths));
  return copy;
}

function change(dice, root, path) {
  let parent = root;
  for (const key of path.slice(0, -1)) {
    parent = parent?.[key];
    if (typeof parent !== 'object' || parent === null) return;
  }
  const last = path.at(-1);
  // An earlier change may have removed it; what is inherited is no value.
  if (!Object.hasOwn(parent, last)) return;
  const how = dice.below(10);
  if (how < 5) parent[last] = oddValue(dice);
  else if (how === 5) delete parent[last];
  else if (how === 6) parent[oddText(dice).slice(0, 300)] = parent[last];
  else if (how === 7) parent[last] = [parent[last], parent[last]];
  else if (how === 8 && Array.isArray(parent[last])) parent[last] = [...parent[last], ...parent[last]];
  else if (typeof parent[last] === 'string') parent[last] = garbled(dice, parent[last]);
  else if (typeof parent[last] === 'number') parent[last] = dice.pick([-parent[last], parent[last] * 2 ** 40, parent[last] + 0.5]);
}

/** A text with a few characters changed. */
export function garbled(dice, text) {
  const at = dice.below(text.length + 1);
  const piece = dice.pick(['', '\0', '-', '.', '/', '%', '"', '\\', 'é', '\ud800', ',', '=', '(', ')', '!', ' ', '0', 'A', text, '\n']);
  return text.slice(0, at) + piece + text.slice(at + dice.below(3));
}

/** An awkward text. */
export function oddText(dice) {
  const value = oddValue(dice);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
