import { notSupportedInOrder, required, tooLong, tooMany, typeInvalid, invalid, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';

/** What a schema says against a value. `path` is that of the value in the object (`spec.a[0].b`), with a dot in front below a map at the root. */
export type Problem = { readonly path: string } & (
  | { readonly type: 'required' }
  | { readonly type: 'enum'; readonly value: unknown; readonly values: readonly unknown[] }
  | { readonly type: 'tooLong'; readonly max: number }
  | { readonly type: 'tooMany'; readonly actual: number; readonly max: number }
  | { readonly type: 'type'; readonly value: unknown; readonly message: string }
  | { readonly type: 'invalid'; readonly value: unknown; readonly message: string }
  /** About no field, as upstream sees it. */
  | { readonly type: 'plain'; readonly message: string }
);

/** The outcome of a validation: what is wrong, and how many rules were found to hold (the best of several alternatives is the one with the most). */
export class Outcome {
  readonly problems: Problem[] = [];
  matches = 0;

  get valid(): boolean {
    return this.problems.length === 0;
  }

  merge(other: Outcome): void {
    // There may be more than a call can have arguments.
    for (const problem of other.problems) this.problems.push(problem);
    this.matches += other.matches;
  }
}

/** A problem as a cause of a 422 `Status`. `base`: where the validated value stands (`status`), or undefined for a whole object. */
export function fieldErrorOf(problem: Problem, base: FieldPath | undefined): FieldError {
  const { path } = problem;
  const bare = path.startsWith('.') ? path.slice(1) : path;
  const whole = base ?? FieldPath.root;
  const at = bare === '' || problem.type === 'plain' ? whole : whole.child(bare);
  switch (problem.type) {
    case 'required':
      return required(at);
    case 'enum':
      return notSupportedInOrder(at, problem.value, problem.values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))));
    case 'tooLong':
      return tooLong(at, problem.max);
    case 'tooMany':
      return tooMany(at, problem.actual, problem.max);
    case 'type':
      return typeInvalid(at, problem.value, problem.message);
    case 'invalid':
      return invalid(at, problem.value, problem.message);
    case 'plain':
      return invalid(at, '', problem.message);
  }
}
