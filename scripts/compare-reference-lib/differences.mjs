// Collects differences; the same one found in many places is one line with a count.

export class Differences {
  #counts = new Map();

  add(text) {
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /** Texts with their counts, sorted. */
  entries() {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /**
   * Compares two values deeply. Objects are compared key by key, lists as a whole. `label` names the place in messages.
   */
  compare(label, ours, theirs) {
    if (isObject(ours) && isObject(theirs)) {
      for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) this.compare(`${label}.${key}`, ours[key], theirs[key]);
      return;
    }
    const [a, b] = [text(ours), text(theirs)];
    if (a === b) return;
    if (ours === undefined) this.add(`${label}: only in the reference: ${shorten(b)}`);
    else if (theirs === undefined) this.add(`${label}: only ours: ${shorten(a)}`);
    else this.add(`${label}: ours ${shorten(a)}, reference ${shorten(b)}`);
  }

  /** Compares two sets of names; `what` names their members in messages. Returns the names that both have. */
  compareNames(what, ours, theirs) {
    const [a, b] = [new Set(ours), new Set(theirs)];
    for (const name of a) if (!b.has(name)) this.add(`${what} ${name}: only ours`);
    for (const name of b) if (!a.has(name)) this.add(`${what} ${name}: only in the reference`);
    return [...a].filter((name) => b.has(name));
  }
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON with sorted keys; undefined stays undefined. */
function text(value) {
  return value === undefined ? undefined : JSON.stringify(value, (_, item) => (isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item));
}

function shorten(value) {
  return value.length > 200 ? `${value.slice(0, 200)}…` : value;
}
