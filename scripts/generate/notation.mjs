// Reads the notation of src/api/facts/types/grammar.ts.

const FIELD = /^([^\s*=!?~+]+)([*=!?~]*)(?: ([^+]\S*))?(?: (\+.*))?$/;

/** One type's facts: { atomic, union, embedded: Map(field -> path), fields: Map(name -> {...}) }. */
export function parseType(text) {
  const facts = { atomic: false, union: undefined, embedded: new Map(), fields: new Map() };
  for (const entry of splitEntries(text)) {
    if (entry === '@atomic') facts.atomic = true;
    else if (entry.startsWith('@union(')) facts.union = parseUnion(entry);
    else if (entry.startsWith('^')) {
      const [, path, names] = /^\^([\w.]+)\(([^)]*)\)$/.exec(entry);
      for (const name of names.trim().split(/\s+/)) facts.embedded.set(name, path);
    } else {
      const match = FIELD.exec(entry);
      if (!match) throw new Error(`cannot read the fact ${JSON.stringify(entry)}`);
      facts.fields.set(match[1], { marks: match[2], goType: match[3], ...parseAttributes(match[4] ?? '') });
    }
  }
  return facts;
}

/** Splits at `;` outside parentheses. */
function splitEntries(text) {
  const entries = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (i === text.length || (text[i] === ';' && depth === 0)) {
      entries.push(text.slice(start, i).trim().replace(/\s+/g, ' '));
      start = i + 1;
    }
  }
  return entries.filter((entry) => entry !== '');
}

function parseUnion(entry) {
  const [, discriminator, pairs] = /^@union\((\w*); (.*)\)$/.exec(entry);
  const fields = Object.fromEntries(pairs.split(' ').map((pair) => pair.split('=')));
  return [{ ...(discriminator ? { discriminator } : {}), 'fields-to-discriminateBy': fields }];
}

function parseAttributes(text) {
  const out = {};
  for (const [, name, argument] of text.matchAll(/\+(\w+)(?:\(([^)]*)\))?/g)) {
    if (name === 'atomic' || name === 'set') out.listType = name;
    else if (name === 'map') Object.assign(out, { listType: 'map', mapKeys: argument.split(',') });
    else if (name === 'merge') Object.assign(out, { mergeKey: argument, strategy: out.strategy ?? 'merge' });
    else if (name === 'strategy') out.strategy = argument;
    else if (name === 'atomicmap') out.mapType = 'atomic';
    else if (name === 'granularmap') out.mapType = 'granular';
    else if (name === 'default') out.default = JSON.parse(argument);
    else throw new Error(`unknown attribute +${name}`);
  }
  return out;
}
