/** A JSON value as text, where an encoder needs nothing else of it. */
export class RawJson {
  constructor(readonly text: string) {}
}
