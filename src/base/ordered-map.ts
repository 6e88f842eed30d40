/** Orders keys: negative when `a` comes first, 0 when they are the same. */
export type CompareKeys = (a: string, b: string) => number;

/** Order of UTF-16 code units: the fastest one, and that of UTF-8 bytes for all text without surrogates. */
export const compareCodeUnits: CompareKeys = (a, b) => (a < b ? -1 : a === b ? 0 : 1);

/** Order of the UTF-8 bytes of the keys. */
export const compareUtf8: CompareKeys = (a, b) => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for code points above U+FFFF, which come after all others.
    const high = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
    return high(x) - high(y);
  }
  return a.length - b.length;
};

interface Leaf<V> {
  readonly leaf: true;
  readonly keys: readonly string[];
  readonly values: readonly V[];
  readonly size: number;
}

interface Branch<V> {
  readonly leaf: false;
  /** Smallest key under each child. */
  readonly keys: readonly string[];
  readonly children: readonly Node<V>[];
  readonly size: number;
}

type Node<V> = Leaf<V> | Branch<V>;

/** Most entries of a node; a node that grows beyond is cut in two. */
const MAX = 32;
/** A node that shrinks below is merged with a neighbour. */
const MIN = 8;

const EMPTY: Leaf<never> = { leaf: true, keys: [], values: [], size: 0 };

/**
 * An immutable map ordered by key (a B+ tree with copy-on-write nodes): `set` and `delete` give a new map
 * and share all but O(log n) nodes with the old one, so that keeping many versions is cheap. Ranges are half open:
 * `start` is included, `end` is not; leaving one out means no bound.
 */
export class OrderedMap<V> {
  private constructor(
    private readonly root: Node<V>,
    private readonly compare: CompareKeys,
  ) {}

  static empty<V>(compare: CompareKeys = compareCodeUnits): OrderedMap<V> {
    return new OrderedMap<V>(EMPTY, compare);
  }

  /** Number of keys. */
  get size(): number {
    return this.root.size;
  }

  get(key: string): V | undefined {
    let node = this.root;
    while (!node.leaf) node = node.children[childFor(node.keys, key, this.compare)]!;
    const i = lowerBound(node.keys, key, this.compare);
    return i < node.keys.length && node.keys[i] === key ? node.values[i] : undefined;
  }

  set(key: string, value: V): OrderedMap<V> {
    const [left, right] = insert(this.root, key, value, this.compare);
    return new OrderedMap(right === undefined ? left : branch([left, right]), this.compare);
  }

  /** The same map when the key is absent. */
  delete(key: string): OrderedMap<V> {
    const root = remove(this.root, key, this.compare);
    if (root === this.root) return this;
    let top: Node<V> = root;
    while (!top.leaf && top.children.length === 1) top = top.children[0]!;
    return new OrderedMap(top.size === 0 ? EMPTY : top, this.compare);
  }

  /** Number of keys before `key`. */
  rank(key: string): number {
    let before = 0;
    let node = this.root;
    while (!node.leaf) {
      const at = childFor(node.keys, key, this.compare);
      for (let i = 0; i < at; i++) before += node.children[i]!.size;
      node = node.children[at]!;
    }
    return before + lowerBound(node.keys, key, this.compare);
  }

  /** Number of keys in the range. */
  count(start?: string, end?: string): number {
    return Math.max(0, (end === undefined ? this.size : this.rank(end)) - (start === undefined ? 0 : this.rank(start)));
  }

  /** Calls `fn` for the range in order until it returns false. */
  visit(start: string | undefined, end: string | undefined, fn: (value: V, key: string) => boolean | void): void {
    visit(this.root, start, end, fn, this.compare);
  }

  /** The values of the range in order, at most `limit`. */
  values(start?: string, end?: string, limit = Infinity): V[] {
    const found: V[] = [];
    if (limit <= 0) return found;
    this.visit(start, end, (value) => {
      found.push(value);
      return found.length < limit;
    });
    return found;
  }
}

function lowerBound(keys: readonly string[], key: string, compare: CompareKeys): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(keys[middle]!, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the child that holds `key` or would. */
function childFor(keys: readonly string[], key: string, compare: CompareKeys): number {
  let low = 1;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(keys[middle]!, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function leaf<V>(keys: readonly string[], values: readonly V[]): Leaf<V> {
  return { leaf: true, keys, values, size: keys.length };
}

function branch<V>(children: readonly Node<V>[]): Branch<V> {
  const keys = new Array<string>(children.length);
  let size = 0;
  for (let i = 0; i < children.length; i++) {
    keys[i] = children[i]!.keys[0]!;
    size += children[i]!.size;
  }
  return { leaf: false, keys, children, size };
}

function insert<V>(node: Node<V>, key: string, value: V, compare: CompareKeys): [Node<V>, Node<V>?] {
  if (node.leaf) {
    const at = lowerBound(node.keys, key, compare);
    const values = node.values.slice();
    if (node.keys[at] === key) {
      values[at] = value;
      return [leaf(node.keys, values)];
    }
    const keys = node.keys.slice();
    keys.splice(at, 0, key);
    values.splice(at, 0, value);
    if (keys.length <= MAX) return [leaf(keys, values)];
    // Ascending keys are the common case: a full left half then stays full.
    const cut = at === keys.length - 1 ? MAX - MIN : keys.length >> 1;
    return [leaf(keys.slice(0, cut), values.slice(0, cut)), leaf(keys.slice(cut), values.slice(cut))];
  }
  const at = childFor(node.keys, key, compare);
  const [left, right] = insert(node.children[at]!, key, value, compare);
  const children = node.children.slice();
  children[at] = left;
  if (right !== undefined) children.splice(at + 1, 0, right);
  if (children.length <= MAX) return [branch(children)];
  const cut = children.length >> 1;
  return [branch(children.slice(0, cut)), branch(children.slice(cut))];
}

function remove<V>(node: Node<V>, key: string, compare: CompareKeys): Node<V> {
  if (node.leaf) {
    const at = lowerBound(node.keys, key, compare);
    if (node.keys[at] !== key) return node;
    const keys = node.keys.slice();
    const values = node.values.slice();
    keys.splice(at, 1);
    values.splice(at, 1);
    return leaf(keys, values);
  }
  const at = childFor(node.keys, key, compare);
  const child = remove(node.children[at]!, key, compare);
  if (child === node.children[at]) return node;
  const children = node.children.slice();
  if (length(child) === 0) children.splice(at, 1);
  else if (length(child) >= MIN || children.length === 1) children[at] = child;
  else {
    const first = at > 0 ? at - 1 : at;
    const pair = at > 0 ? ([children[at - 1]!, child] as const) : ([child, children[at + 1]!] as const);
    children.splice(first, 2, ...merge(pair[0], pair[1]));
  }
  return branch(children);
}

function length<V>(node: Node<V>): number {
  return node.keys.length;
}

function merge<V>(a: Node<V>, b: Node<V>): Node<V>[] {
  if (a.leaf && b.leaf) {
    const keys = a.keys.concat(b.keys);
    const values = a.values.concat(b.values);
    if (keys.length <= MAX) return [leaf(keys, values)];
    const cut = keys.length >> 1;
    return [leaf(keys.slice(0, cut), values.slice(0, cut)), leaf(keys.slice(cut), values.slice(cut))];
  }
  if (a.leaf || b.leaf) throw new TypeError('the tree is not balanced');
  const children = a.children.concat(b.children);
  if (children.length <= MAX) return [branch(children)];
  const cut = children.length >> 1;
  return [branch(children.slice(0, cut)), branch(children.slice(cut))];
}

function visit<V>(
  node: Node<V>,
  start: string | undefined,
  end: string | undefined,
  fn: (value: V, key: string) => boolean | void,
  compare: CompareKeys,
): boolean {
  const from = start === undefined ? 0 : node.leaf ? lowerBound(node.keys, start, compare) : childFor(node.keys, start, compare);
  for (let i = from; i < node.keys.length; i++) {
    if (end !== undefined && compare(node.keys[i]!, end) >= 0) return false;
    if (node.leaf) {
      if (fn(node.values[i]!, node.keys[i]!) === false) return false;
    } else if (!visit(node.children[i]!, i === from ? start : undefined, end, fn, compare)) return false;
  }
  return true;
}
