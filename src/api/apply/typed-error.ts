/** What is wrong with one value; `path` as {@link ../apply/path-element} prints it. */
export interface TypedProblem {
  readonly path: string;
  readonly message: string;
}

/** An object does not fit its type. The message is upstream's, one line per problem when there are several. */
export class TypedError extends Error {
  constructor(readonly problems: readonly TypedProblem[]) {
    super(problems.length === 1 ? text(problems[0]!) : ['errors:', ...problems.map((problem) => `  ${text(problem)}`)].join('\n'));
    this.name = 'TypedError';
  }
}

function text({ path, message }: TypedProblem): string {
  return path === '' ? message : `${path}: ${message}`;
}
