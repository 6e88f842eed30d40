import type { ApplyType } from './apply-type.js';
import { atomOf, type Dictionary } from './atom.js';

/** Ends every name and value: two shapes have the same text only when they are the same. */
const END = '\u0000';

/**
 * A text of everything in a new object that decides who owns which fields: names, keys of list elements, what is empty, null or zero; no other values. Objects with
 * one text have one set of fields, which need not be made again. Undefined: names hold what ends them, or the text would be longer than `limit` characters.
 */
export function shapeOf(type: ApplyType, value: unknown, limit: number): string | undefined {
  const text = shape(type, value, limit);
  return text.length > limit || text.includes(NONE) ? undefined : text;
}

const NONE = '\u0000\u0001\u0000';

function shape(type: ApplyType, value: unknown, limit: number): string {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false ? 'z' : 's';
  if (value === null) return 'n';
  if (Array.isArray(value)) {
    if (value.length === 0) return 'e';
    const rule = type.list;
    if (!rule || rule.atomic) return 'a';
    let text = '[';
    for (const item of value as readonly unknown[]) {
      if (rule.keys.length === 0) text += plain(typeof item === 'string' ? item : JSON.stringify(item) ?? '');
      else for (const key of rule.keys) text += keyText((item as Dictionary | null)?.[key]);
      text += shape(rule.element, item, limit);
      if (text.length > limit) return NONE;
    }
    return `${text}]`;
  }
  const rule = atomOf(type, value) === 'map' ? type.map : undefined;
  if (!rule) return 's';
  let text = '{';
  for (const name in value) {
    const child = (value as Dictionary)[name];
    if (child === undefined) continue;
    const field = rule.fields.get(name);
    const childType = field?.type ?? rule.element;
    text += field ? name + END : plain(name);
    text += rule.atomic || !childType ? 'a' : shape(childType, child, limit);
    if (text.length > limit) return NONE;
  }
  return `${text}}`;
}

function keyText(value: unknown): string {
  return typeof value === 'string' ? `"${plain(value)}` : typeof value === 'object' ? NONE : String(value as number | boolean | undefined) + END;
}

function plain(text: string): string {
  return text.includes(END) ? NONE : text + END;
}
