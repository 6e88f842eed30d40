const CONTEXT = 3;
/** Beyond this many lines on a side the texts are told as wholly different, to bound the work. */
const MAX_LINES = 2000;

interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** The difference of two JSON values as a unified diff of their indented text; empty when there is none. */
export function jsonDiff(before: unknown, after: unknown): string {
  return unifiedDiff(lines(before), lines(after));
}

function lines(value: unknown): string[] {
  return escapeHtml(JSON.stringify(value, undefined, 1) ?? 'null').split('\n');
}

/** Go's JSON may stand in HTML. */
function escapeHtml(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

function unifiedDiff(before: readonly string[], after: readonly string[]): string {
  const edits = compare(before, after);
  const changed = edits.flatMap((edit, i) => (edit.sign === ' ' ? [] : [i]));
  let text = '';
  for (let i = 0; i < changed.length; ) {
    let end = i;
    while (end + 1 < changed.length && changed[end + 1]! - changed[end]! <= 2 * CONTEXT) end++;
    const from = Math.max(0, changed[i]! - CONTEXT);
    const to = Math.min(edits.length, changed[end]! + CONTEXT + 1);
    text += hunk(edits, from, to);
    i = end + 1;
  }
  return text;
}

function hunk(edits: readonly Edit[], from: number, to: number): string {
  const count = (list: readonly Edit[], other: '-' | '+'): number => list.filter((edit) => edit.sign !== other).length;
  const head = edits.slice(0, from);
  const body = edits.slice(from, to);
  const range = (start: number, length: number): string => (length === 1 ? `${start + 1}` : `${length === 0 ? start : start + 1},${length}`);
  const removed = range(count(head, '+'), count(body, '+'));
  const added = range(count(head, '-'), count(body, '-'));
  return `@@ -${removed} +${added} @@\n${body.map(({ sign, line }) => `${sign}${line}\n`).join('')}`;
}

function compare(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < before.length - start && tail < after.length - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const same = (list: readonly string[]): Edit[] => list.map((line) => ({ sign: ' ', line }));
  const middle = longestCommon(before.slice(start, before.length - tail), after.slice(start, after.length - tail));
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - tail))];
}

/** The classic table of longest common subsequences. */
function longestCommon(before: readonly string[], after: readonly string[]): Edit[] {
  const removed = before.map((line): Edit => ({ sign: '-', line }));
  const added = after.map((line): Edit => ({ sign: '+', line }));
  if (before.length === 0 || after.length === 0 || before.length > MAX_LINES || after.length > MAX_LINES) return [...removed, ...added];
  const width = after.length + 1;
  const table = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      table[i * width + j] = before[i] === after[j]
        ? table[(i + 1) * width + j + 1]! + 1
        : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
    }
  }
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      edits.push({ sign: ' ', line: before[i]! });
      i++;
      j++;
    } else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) edits.push(removed[i++]!);
    else edits.push(added[j++]!);
  }
  return [...edits, ...removed.slice(i), ...added.slice(j)];
}
