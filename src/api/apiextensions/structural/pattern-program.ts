import { parsePattern, type Expression } from './pattern-parser.js';

/** One step of a compiled expression. */
export type Step =
  | { readonly type: 'character'; matches(point: number): boolean; next: number }
  | { readonly type: 'split'; to: number[] }
  | { readonly type: 'assert'; holds(before: number, after: number): boolean; next: number }
  | { readonly type: 'match' };

export type Program = readonly Step[];

/** Steps of a program at most; upstream's library has such a limit, too. */
const MAX_STEPS = 30_000;

/** Thompson's construction. Step 0 is the start. */
export function compileProgram(source: string): Program {
  const steps: Step[] = [];
  const add = (step: Step): number => {
    if (steps.length >= MAX_STEPS) throw new Error(`error parsing regexp: expression too large: \`${source}\``);
    return steps.push(step) - 1;
  };
  /** Emits an expression that goes on to `next`; returns where it begins. */
  const emit = (expression: Expression, next: number): number => {
    switch (expression.type) {
      case 'empty':
        return next;
      case 'character':
        return add({ type: 'character', matches: expression.matches, next });
      case 'assert':
        return add({ type: 'assert', holds: expression.holds, next });
      case 'sequence':
        return expression.parts.reduceRight((following, part) => emit(part, following), next);
      case 'choice':
        return add({ type: 'split', to: expression.parts.map((part) => emit(part, next)) });
      case 'repeat': {
        const { min, max, of } = expression;
        let at = next;
        if (max === Infinity) {
          const loop = { type: 'split' as const, to: [next] };
          at = add(loop);
          loop.to.unshift(emit(of, at));
        } else for (let i = min; i < max; i++) at = add({ type: 'split', to: [emit(of, at), next] });
        for (let i = 0; i < min; i++) at = emit(of, at);
        return at;
      }
    }
  };
  // The start is to be step 0.
  const start: { type: 'split'; to: number[] } = { type: 'split', to: [] };
  add(start);
  start.to.push(emit(parsePattern(source), add({ type: 'match' })));
  return steps;
}

/** What Go says is wrong with an expression; undefined: nothing. */
export function checkPattern(source: string): string | undefined {
  try {
    parsePattern(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
