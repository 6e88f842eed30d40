import { isWord } from './pattern-parser.js';
import { compileProgram, type Program } from './pattern-program.js';

/** States kept per pattern before they are forgotten: an upper bound of its memory. */
const MAX_STATES = 500;

/** Short texts that matched and are remembered: most values come again and again. */
const MAX_MATCHED = 64;
const MATCHED_LENGTH = 64;

/** Steps that one match may take beyond those it remembers; a pattern and a text that need more do not match. Well under a tenth of a second. */
const MAX_WORK = 1_000_000;

interface State {
  readonly accepts: boolean;
  readonly threads: readonly number[];
  /** What follows after a character, by its code point. */
  readonly next: Map<number, Moved>;
}

/** Where a character leads, before it is known what stands behind it. */
interface Moved {
  readonly threads: readonly number[];
  /** By what assertions can see of the character behind. */
  readonly states: Map<string, State>;
}

/**
 * A regular expression in the syntax of Go's `regexp` (RE2), matched in time linear in the text, whatever the expression is. Only tells whether it is
 * found anywhere in a text. Throws `Error` with Go's message when it cannot be read.
 */
export class Pattern {
  private readonly program: Program;
  private states = new Map<string, State>();
  private start: Moved = { threads: [], states: new Map() };
  private work = 0;
  private readonly matched = new Set<string>();

  constructor(source: string) {
    this.program = compileProgram(source);
  }

  /** What the last {@link test} took beyond what was remembered. */
  get steps(): number {
    return this.work;
  }

  test(text: string): boolean {
    this.work = 0;
    if (this.matched.has(text)) return true;
    if (!this.find(text)) return false;
    if (text.length <= MATCHED_LENGTH) {
      if (this.matched.size >= MAX_MATCHED) this.matched.clear();
      this.matched.add(text);
    }
    return true;
  }

  private find(text: string): boolean {
    // The position before the text and the one after it matter to `^`, `$` and `\b`, so that what follows is looked at, too.
    const points = Array.from(text, (character) => character.codePointAt(0)!);
    let moved = this.start;
    for (let i = 0; i <= points.length; i++) {
      const after = i === points.length ? -1 : points[i]!;
      const seen = context(after);
      let state = moved.states.get(seen);
      if (state === undefined) {
        if (this.work > MAX_WORK) return false;
        moved.states.set(seen, (state = this.closure(moved.threads, i === 0 ? -1 : points[i - 1]!, after)));
      }
      if (state.accepts) return true;
      if (i === points.length) return false;
      moved = state.next.get(after) ?? this.move(state, after);
    }
    return false;
  }

  private move(state: State, point: number): Moved {
    const threads = new Set<number>();
    this.work += state.threads.length;
    for (const at of state.threads) {
      const { matches, next } = this.program[at] as { matches(point: number): boolean; next: number };
      if (matches(point)) threads.add(next);
    }
    const moved: Moved = { threads: [...threads], states: new Map() };
    state.next.set(point, moved);
    return moved;
  }

  /** All that can be reached without a character, a new start included. */
  private closure(from: readonly number[], before: number, after: number): State {
    const key = `${from.join(',')}|${context(before)}${context(after)}`;
    this.work += from.length;
    const known = this.states.get(key);
    if (known) return known;
    const seen = new Set<number>();
    const threads: number[] = [];
    let accepts = false;
    const pending = [0, ...[...from].reverse()];
    while (pending.length > 0) {
      const at = pending.pop()!;
      if (seen.has(at)) continue;
      seen.add(at);
      this.work++;
      const step = this.program[at]!;
      if (step.type === 'match') accepts = true;
      else if (step.type === 'split') pending.push(...step.to);
      else if (step.type === 'assert') {
        if (step.holds(before, after)) pending.push(step.next);
      } else threads.push(at);
    }
    const state: State = { accepts, next: new Map(), threads };
    if (this.states.size >= MAX_STATES) {
      // Whatever leads to them goes with them.
      this.states = new Map();
      this.start = { threads: [], states: new Map() };
    }
    this.states.set(key, state);
    return state;
  }
}

/** All that assertions can see of a neighbour. */
function context(point: number): string {
  if (point < 0) return '-';
  return point === 10 ? 'n' : isWord(point) ? 'w' : 'o';
}
