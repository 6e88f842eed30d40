import { matchingBlocks } from './matching-blocks.js';

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
    while (end + 1 < changed.length && changed[end + 1]! - changed[end]! <= 2 * CONTEXT + 1) end++;
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
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  const goTo = (nextI: number, nextJ: number): void => {
    for (; i < nextI; i++) edits.push({ sign: '-', line: before[i]! });
    for (; j < nextJ; j++) edits.push({ sign: '+', line: after[j]! });
  };
  for (const block of before.length > MAX_LINES || after.length > MAX_LINES ? [] : matchingBlocks(before, after)) {
    goTo(block.before, block.after);
    for (let k = 0; k < block.size; k++, i++, j++) edits.push({ sign: ' ', line: before[i]! });
  }
  goTo(before.length, after.length);
  return edits;
}
