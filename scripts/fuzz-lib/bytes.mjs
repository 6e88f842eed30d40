// Bodies as bytes: JSON, YAML and protobuf that are damaged, or that grow when they are read.
import { dump } from 'js-yaml';

/** Bytes with a few places changed, removed, repeated or cut off. */
export function damaged(dice, bytes) {
  const parts = Buffer.from(bytes);
  let result = parts;
  for (let i = 1 + dice.below(6); i > 0 && result.length > 0; i--) {
    const at = dice.below(result.length);
    const how = dice.below(6);
    if (how === 0) result[at] = dice.below(256);
    else if (how === 1) result[at] ^= 1 << dice.below(8);
    else if (how === 2) result = result.subarray(0, at);
    else if (how === 3) result = Buffer.concat([result.subarray(0, at), result.subarray(dice.below(result.length))]);
    else if (how === 4) result = Buffer.concat([result.subarray(0, at), Buffer.from(dice.pick(HURTFUL)), result.subarray(at)]);
    else result = Buffer.concat([result.subarray(0, at), result.subarray(at, at + dice.below(40)), result.subarray(at)]);
  }
  return result;
}

/** Bytes of which one, behind the envelope's head, was changed. */
export function lightly(dice, bytes) {
  const result = Buffer.from(bytes);
  result[Math.min(result.length - 1, 20 + dice.below(result.length))] = dice.below(256);
  return result;
}

const HURTFUL = [
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], [0xff, 0xff, 0xff, 0xff, 0x0f], [0x0a, 0xff, 0xff, 0xff, 0x7f], [0x0b], [0x0c], [0x0d], [0x80, 0x00], [0x00], [0x12, 0x00], [0x0a, 0x00, 0x0a, 0x00],
  Array.from({ length: 600 }, () => 0x0a), ...['{', '[', '"', '\\u', '\\ud83d', 'null', ',', ':', '1e999', '-', '&a ', '*a', '!!binary ', '<<: *a', '\t', '---\n', '"a":1,"a":2,'].map((text) => [...Buffer.from(text)]),
];

/** An object as YAML, sometimes with what makes parsers suffer. */
export function asYaml(dice, object) {
  let text;
  try {
    text = dump(object, { flowLevel: dice.below(6) - 1, noRefs: true });
  } catch {
    text = JSON.stringify(object);
  }
  const extra = dice.below(8);
  if (extra === 0) text += `\nbomb:\n${bomb(2 + dice.below(12), 2 + dice.below(9))}`;
  if (extra === 1) text = text.replace(/: /, ': &x ').replace(/- /, '- *x\n- ');
  if (extra === 2) text += '\n---\n' + text;
  if (extra === 3) text = damaged(dice, Buffer.from(text)).toString('utf8');
  if (extra === 4) text += `\n${'- '.repeat(dice.below(5000))}a`;
  return text;
}

function bomb(levels, width) {
  const lines = [`  a0: &a0 [${Array(width).fill('x').join(', ')}]`];
  for (let i = 1; i < levels; i++) lines.push(`  a${i}: &a${i} [${Array(width).fill(`*a${i - 1}`).join(', ')}]`);
  return lines.join('\n');
}
