/** A step of a path in its `fieldsV1` form: `f:<name>`, `k:<keys as JSON>`, `v:<value as JSON>` or `i:<index>`. Equal steps have equal texts. */
export type PathElement = string;

/** Marks in a {@link FieldTree} that the node itself is in the set, beside its children. */
export const SELF = '.';

const ORDER: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };
/** Needs no escapes at all. */
const PLAIN = /^[\w./:-]*$/;
/** What upstream's JSON writer escapes: stored texts are the same. */
const ESCAPED = /[<>&\u2028\u2029]/;

/** The step to a field or to a key of a map. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The step to the element of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${json(value)}`;
}

/** The step to the element of a list by its keys; `keys` must be sorted by name. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): PathElement {
  let text = 'k:{';
  for (let i = 0; i < keys.length; i++) {
    const [name, value] = keys[i]!;
    text += `${i > 0 ? ',' : ''}${json(name)}:${json(value)}`;
  }
  return `${text}}`;
}

/** Reads a step that a client has written, and gives it its one form. Undefined when it is none. */
export function parseElement(text: string): PathElement | undefined {
  const rest = text.slice(2);
  if (text[1] !== ':') return undefined;
  try {
    switch (text[0]) {
      case 'f':
        return text;
      case 'v':
        return valueElement(sortedKeys(JSON.parse(rest)));
      case 'i':
        return /^[-+]?\d+$/.test(rest) ? `i:${Number(rest)}` : undefined;
      case 'k': {
        const keys = JSON.parse(rest) as unknown;
        if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) return undefined;
        return keyElement(Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1)));
      }
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

/** As messages show it: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function elementText(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${rest}`;
    case 'k':
      return `[${Object.entries(JSON.parse(rest) as object).map(([name, value]) => `${name}=${plainText(value)}`).join(',')}]`;
    case 'v':
      return `[=${plainText(JSON.parse(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

/** Keys whose values are all text without escapes, which are in the order of their own texts; a blank or `!` would sort before the closing quote. */
const PLAIN_KEYS = /^k:\{"[^"\\ !]*":"[^"\\ !]*"\}$/;
/** The same for values. */
const PLAIN_VALUE = /^v:"[^"\\ !]*"$/;
const NUMBER = /^v:-?\d/;

/** The order in which upstream writes and lists them: fields, keys, values, indexes. */
export function compareElements(a: PathElement, b: PathElement): number {
  return compareWith(a, b, (element) => JSON.parse(element.slice(2)) as unknown);
}

function compareWith(a: PathElement, b: PathElement, valueOf: (element: PathElement) => unknown): number {
  if (a === SELF || b === SELF) return a === b ? 0 : a === SELF ? -1 : 1;
  const kind = a[0]!;
  if (kind !== b[0]) return (ORDER[kind] ?? 9) - (ORDER[b[0]!] ?? 9);
  if (kind === 'f') return a < b ? -1 : a > b ? 1 : 0;
  if (kind === 'i') return Number(a.slice(2)) - Number(b.slice(2));
  const plain = kind === 'k' ? PLAIN_KEYS : PLAIN_VALUE;
  if (plain.test(a) && plain.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (NUMBER.test(a) && NUMBER.test(b)) return Number(a.slice(2)) - Number(b.slice(2));
  const left = valueOf(a);
  const right = valueOf(b);
  return kind === 'v' ? compareValues(left, right) : compareKeys(Object.entries(left as object), Object.entries(right as object));
}

/** How elements of one kind are sorted: a list of them in place, and which of two comes first. */
export interface ElementOrder {
  readonly sort: (elements: PathElement[]) => PathElement[];
  readonly compare: (a: PathElement, b: PathElement) => number;
}

/** An order that only elements of one form have. */
export interface UniformOrder extends ElementOrder {
  readonly fits: (element: PathElement) => boolean;
}

const BY_TEXT: ElementOrder = { sort: (elements) => elements.sort(), compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0) };

/** Orders that are found out faster than the one of elements of all forms. */
export const UNIFORM_ORDERS: readonly UniformOrder[] = [
  { ...BY_TEXT, fits: (element) => element[0] === 'f' },
  { ...BY_TEXT, fits: (element) => PLAIN_KEYS.test(element) },
  { ...BY_TEXT, fits: (element) => PLAIN_VALUE.test(element) },
  { sort: sortNumbers, compare: (a, b) => Number(a.slice(2)) - Number(b.slice(2)), fits: isNumber },
];

/** The order of {@link compareElements} of a long list, whose elements are not parsed again for every comparison. */
export function generalOrder(): ElementOrder {
  const parsed = new Map<PathElement, unknown>();
  const valueOf = (element: PathElement): unknown => {
    let value = parsed.get(element);
    if (value === undefined) parsed.set(element, (value = JSON.parse(element.slice(2)) as unknown));
    return value;
  };
  const compare = (a: PathElement, b: PathElement): number => compareWith(a, b, valueOf);
  return { sort: (elements) => elements.sort(compare), compare };
}

/** Sorts elements as {@link compareElements} says, in place. */
export function sortElements(elements: PathElement[]): PathElement[] {
  const order = UNIFORM_ORDERS.find(({ fits }) => elements.every(fits)) ?? generalOrder();
  return order.sort(elements);
}

/** A number in the one form that it is written in, which is found again from its value. */
function isNumber(element: PathElement): boolean {
  return NUMBER.test(element) && `v:${Number(element.slice(2))}` === element;
}

function sortNumbers(elements: PathElement[]): PathElement[] {
  Float64Array.from(elements, (element) => Number(element.slice(2))).sort().forEach((value, i) => {
    elements[i] = `v:${value}`;
  });
  return elements;
}

function compareKeys(a: [string, unknown][], b: [string, unknown][]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i]![0] !== b[i]![0]) return a[i]![0] < b[i]![0] ? -1 : 1;
    const order = compareValues(a[i]![1], b[i]![1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const RANK: Readonly<Record<string, number>> = { number: 0, string: 1, boolean: 2, object: 3 };

function compareValues(a: unknown, b: unknown): number {
  if (typeof a !== typeof b) return (RANK[typeof a] ?? 9) - (RANK[typeof b] ?? 9);
  if (typeof a === 'object') return compareValues(JSON.stringify(a), JSON.stringify(b));
  const left = a as string | number | boolean;
  const right = b as string | number | boolean;
  return left < right ? -1 : left > right ? 1 : 0;
}

function json(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  const text = JSON.stringify(value) ?? 'null';
  if (!ESCAPED.test(text)) return text;
  return text.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function plainText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plainText).join(',')}]`;
  if (typeof value === 'object' && value !== null) return Object.entries(value).map(([key, item]) => `${key}=${plainText(item)}`).join('');
  return JSON.stringify(value);
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sortedKeys(item)]));
}
