// Patches of all four kinds, derived from the object that they are for.
import { mutated, oddValue, pathsOf } from './values.mjs';

const pointer = (path) => path.map((key) => `/${String(key).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');

/** { contentType, body, query } of a patch. */
export function patch(dice, object) {
  switch (dice.below(4)) {
    case 0:
      return { contentType: 'application/json-patch+json', body: jsonPatch(dice, object) };
    case 1:
      return { contentType: 'application/merge-patch+json', body: part(dice, object) };
    case 2:
      return { contentType: 'application/strategic-merge-patch+json', body: part(dice, object) };
    default:
      return {
        contentType: 'application/apply-patch+yaml',
        body: dice.chance(0.3) ? part(dice, object) : { apiVersion: object.apiVersion, kind: object.kind, ...part(dice, object), metadata: { name: object.metadata.name, ...(dice.chance(0.2) ? { managedFields: oddValue(dice) } : {}) } },
        query: `fieldManager=${dice.pick(['a', 'b', 'c', '', 'x'.repeat(200), '%00'])}${dice.chance(0.5) ? '&force=true' : ''}`,
      };
  }
}

function jsonPatch(dice, object) {
  const paths = pathsOf(object);
  const place = () => (dice.chance(0.1) ? dice.pick(['', '/', '/-', '/a~2', '/__proto__/x', '/constructor/prototype/x', 'a', '/metadata/annotations/-', '/spec/999999999', '/spec/01', '/spec/-1']) : pointer(dice.pick(paths)) + (dice.chance(0.2) ? dice.pick(['/-', '/0', '/x', '/-1', '/99']) : ''));
  const operations = dice.several(dice.chance(0.02) ? 12_000 : 5, () => ({ op: dice.chance(0.03) ? oddValue(dice) : dice.pick(['add', 'remove', 'replace', 'move', 'copy', 'test']), path: place(), from: place(), value: oddValue(dice) }));
  if (dice.chance(0.03)) operations.push(...Array.from({ length: 40 }, () => ({ op: 'copy', from: '/metadata', path: '/metadata/annotations' })));
  return operations;
}

const DIRECTIVES = [['$patch', ['delete', 'replace', 'merge', 'x', 1, null]], ['$retainKeys', [['a'], [1], 'x', []]], ['$setElementOrder/containers', [[{ name: 'a' }], ['a'], {}, null]], ['$setElementOrder/finalizers', [['a', 'b'], [1]]], ['$deleteFromPrimitiveList/finalizers', [['a'], [{}], 'x']]];

/** Some of the object's fields, with awkward values and directives among them. */
function part(dice, object) {
  const copy = mutated(dice, object);
  if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) for (const key of Object.keys(copy)) if (dice.chance(0.3)) delete copy[key];
  const nodes = [copy, ...pathsOf(copy).map((path) => path.reduce((value, key) => value?.[key], copy))].filter((node) => typeof node === 'object' && node !== null && !Array.isArray(node));
  if (nodes.length > 0)
    for (let i = dice.below(4); i > 0; i--) {
      const [key, values] = dice.pick(DIRECTIVES);
      dice.pick(nodes)[key] = dice.pick(values);
    }
  return copy;
}
