/**
 * A number whose text matters: integers beyond 2^53, and forms such as `1.0` or `1e3` that are no integers to upstream. The decoders make them
 * only where a plain number would not do; the check against the schema turns them into numbers or errors.
 */
export class NumberLiteral {
  constructor(readonly text: string) {}

  get value(): number {
    return Number(this.text);
  }
}
